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
    {"tensormap", "tensor maps"}, {"multimem", "multicast memory"},
    {"createpolicy", "cache policies"}, {"applypriority", "cache policies"},
    {"discard", "cache policies"},
    {"mapa", "clusters"}, {"getctarank", "clusters"}, {"clusterlaunchcontrol", "clusters"},
    {"griddepcontrol", "dependent launches"}, {"setmaxnreg", "register reallocation"},
    {"elect", "leader election"},
    {"alloca", "dynamic stack allocation"}, {"stacksave", "dynamic stack allocation"},
    {"stackrestore", "dynamic stack allocation"},
    {"vadd", "video"}, {"vsub", "video"}, {"vabsdiff", "video"}, {"vmin", "video"},
    {"vmax", "video"}, {"vshl", "video"}, {"vshr", "video"}, {"vmad", "video"}, {"vset", "video"},
    {"vadd2", "video"}, {"vsub2", "video"}, {"vavrg2", "video"}, {"vabsdiff2", "video"},
    {"vmin2", "video"}, {"vmax2", "video"}, {"vset2", "video"},
    {"vadd4", "video"}, {"vsub4", "video"}, {"vavrg4", "video"}, {"vabsdiff4", "video"},
    {"vmin4", "video"}, {"vmax4", "video"}, {"vset4", "video"}};
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

std::vector<std::string_view> opcodeNames() {
  std::vector<std::string_view> names(kNames.begin(), kNames.end());
  for (const auto& entry : kFamilies) names.push_back(entry.first);
  return names;
}

}  // namespace qgpu::ptx
