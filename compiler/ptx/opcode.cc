// Names of opcodes, and of the instruction families that are refused as a whole.
#include <unordered_map>
#include <utility>

#include "compiler/ptx/form.h"

namespace qgpu::ptx {
namespace {

// clang-format off
constexpr std::array<std::string_view, kOpcodes> kNames = {
    "add", "addc", "sub", "subc", "mul", "mad", "madc", "mul24", "mad24", "sad", "div", "rem", "abs",
    "neg", "min", "max", "popc", "clz", "bfind", "fns", "brev", "bfe", "bfi", "szext", "bmsk", "dp4a",
    "dp2a",
    "testp", "copysign", "fma", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh",
    "set", "setp", "selp", "slct",
    "and", "or", "xor", "not", "cnot", "lop3", "shf", "shl", "shr",
    "mov", "shfl", "prmt", "ld", "ldu", "st", "prefetch", "prefetchu", "isspacep", "cvta", "cvt",
    "bar", "barrier", "membar", "fence", "atom", "red", "vote", "match", "activemask", "redux",
    "bra", "brx", "call", "ret", "exit", "trap", "brkpt", "pmevent", "nanosleep"};

constexpr std::pair<std::string_view, std::string_view> kFamilies[] = {
    {"tex", "textures"}, {"tld4", "textures"}, {"txq", "textures"}, {"istypep", "textures"},
    {"suld", "surfaces"}, {"sust", "surfaces"}, {"sured", "surfaces"}, {"suq", "surfaces"},
    {"wmma", "matrix units"}, {"mma", "matrix units"}, {"ldmatrix", "matrix units"},
    {"stmatrix", "matrix units"}, {"movmatrix", "matrix units"}, {"wgmma", "matrix units"},
    {"tcgen05", "matrix units"},
    {"cp", "asynchronous copies"}, {"mbarrier", "asynchronous barriers"},
    {"tensormap", "tensor maps"}, {"multimem", "multicast accesses"},
    {"createpolicy", "cache policies"}, {"applypriority", "cache policies"},
    {"discard", "cache policies"},
    {"mapa", "clusters"}, {"getctarank", "clusters"}, {"clusterlaunchcontrol", "clusters"},
    {"griddepcontrol", "dependent launches"}, {"setmaxnreg", "register reallocations"},
    {"elect", "leader elections"},
    {"alloca", "dynamic stack allocations"}, {"stacksave", "dynamic stack allocations"},
    {"stackrestore", "dynamic stack allocations"},
    {"vadd", "video instructions"}, {"vsub", "video instructions"}, {"vabsdiff", "video instructions"}, {"vmin", "video instructions"},
    {"vmax", "video instructions"}, {"vshl", "video instructions"}, {"vshr", "video instructions"}, {"vmad", "video instructions"}, {"vset", "video instructions"},
    {"vadd2", "video instructions"}, {"vsub2", "video instructions"}, {"vavrg2", "video instructions"}, {"vabsdiff2", "video instructions"},
    {"vmin2", "video instructions"}, {"vmax2", "video instructions"}, {"vset2", "video instructions"},
    {"vadd4", "video instructions"}, {"vsub4", "video instructions"}, {"vavrg4", "video instructions"}, {"vabsdiff4", "video instructions"},
    {"vmin4", "video instructions"}, {"vmax4", "video instructions"}, {"vset4", "video instructions"}};
// clang-format on

using OpcodeMap = std::unordered_map<std::string_view, OpcodeName>;

OpcodeMap makeOpcodes() {
  OpcodeMap map;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    map[kNames[i]] = {OpcodeName::Kind::Known, static_cast<Opcode>(i), {}};
  }
  for (const auto& [name, family] : kFamilies) {
    map[name] = {OpcodeName::Kind::Family, Opcode::Ret, family};
  }
  return map;
}

}  // namespace

std::string_view spelling(Opcode opcode) { return kNames[static_cast<std::size_t>(opcode)]; }

OpcodeName findOpcode(std::string_view text) {
  static const OpcodeMap kOpcodeMap = makeOpcodes();
  const auto found = kOpcodeMap.find(text);
  return found == kOpcodeMap.end() ? OpcodeName{} : found->second;
}

std::span<const std::string_view> opcodeNames() { return kNames; }

}  // namespace qgpu::ptx
