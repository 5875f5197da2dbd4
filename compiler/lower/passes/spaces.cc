#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "compiler/lower/passes/passes.h"

namespace qgpu::lower {
namespace {

using isa::Opcode;

// The arrays an address may point into, found by following sums, selects and phis. An address that
// comes out of memory or of a parameter word gives none.
class Roots {
 public:
  explicit Roots(const Function& f) : f_(f) {}

  void follow(Id address) { rootOf(address); }
  const std::set<int>& objects() const { return objects_; }
  // Among several ways to come by the address, some give an array and some do not.
  bool isPartial() const { return is_partial_; }

 private:
  enum class Root : std::uint8_t { None, Some };
  // Nothing is said by a plain number, and by a value that is being followed already.
  using Known = std::optional<Root>;

  Known rootOf(Id id) {
    if (id == kNone) return std::nullopt;
    const auto [at, is_new] = known_.try_emplace(id, std::nullopt);
    if (!is_new) return at->second;
    const Known root = ofInstruction(f_[id]);
    known_[id] = root;
    return root;
  }

  Known ofInstruction(const Instruction& i) {
    if (i.kind == Kind::Undefined) return std::nullopt;
    if (i.kind == Kind::Constant) return ofConstant(i);
    if (i.isPhi()) {
      Known all;
      for (const Predicate& p : i.inputs) all = either(all, rootOf(p.id));
      return all;
    }
    if (!i.isOperation() || i.hasMemory()) return Root::None;
    switch (i.op) {
      case Opcode::Add:
      case Opcode::And:  // aligning an address down
      case Opcode::Or: return sum(rootOf(i.a), rootOf(i.b));
      case Opcode::Sub: return sum(rootOf(i.a), std::nullopt);
      case Opcode::Mad: return sum(Root::None, rootOf(i.c));
      case Opcode::Mov: return either(rootOf(i.b), rootOf(i.c));
      default: return Root::None;
    }
  }

  Known ofConstant(const Instruction& i) {
    if (i.memory.object == kNoObject) return std::nullopt;
    objects_.insert(i.memory.object);
    return Root::Some;
  }

  static Known sum(Known a, Known b) { return a && b ? std::max(a, b) : a ? a : b; }
  Known either(Known a, Known b) {
    is_partial_ |= a && b && *a != *b;
    return sum(a, b);
  }

  const Function& f_;
  std::map<Id, Known> known_;
  std::set<int> objects_;
  bool is_partial_ = false;
};

class SpaceResolver {
 public:
  SpaceResolver(Function& f, const Placement& placement) : f_(f), placement_(placement) {
    for (const Object& o : placement.objects) only_global_ &= o.space == isa::Space::Global;
  }

  void run() {
    for (const BasicBlock& block : f_.blocks)
      for (const Id id : block.body) {
        Instruction& i = f_[id];
        if (i.isOperation() && i.hasMemory() && i.memory.is_generic) resolve(i);
      }
  }

 private:
  void resolve(Instruction& i) {
    Roots roots(f_);
    roots.follow(i.b);
    std::set<int> objects = roots.objects();
    if (i.memory.object != kNoObject) objects.insert(i.memory.object);
    bool global = false, shared = false;
    for (const int o : objects) {
      if (o >= static_cast<int>(placement_.objects.size())) continue;
      (placement_.objects[o].space == isa::Space::Shared ? shared : global) = true;
    }
    const bool is_unknown = global == shared || (roots.isPartial() && i.memory.object == kNoObject);
    if (is_unknown && !only_global_) return refuse(i, global && shared);
    i.memory.is_generic = false;
    i.memory.space = shared && !global ? isa::Space::Shared : isa::Space::Global;
  }

  void refuse(Instruction& i, bool both) {
    const char* what = both ? "a pointer that may mean global or shared memory"
                            : "a pointer whose memory does not follow from the text";
    f_.complaints.push_back({what,
                             "use one pointer for each memory, derived from a parameter or "
                             "an array"});
    const auto complaint = static_cast<std::uint32_t>(f_.complaints.size() - 1);
    i = {.kind = Kind::Unsupported, .immediate = complaint, .origin = i.origin};
    i.aux = 1;
  }

  Function& f_;
  const Placement& placement_;
  bool only_global_ = true;
};

std::vector<bool> readOnly(const Function& f, std::size_t objects) {
  std::vector<bool> all(objects, true);
  for (const BasicBlock& block : f.blocks)
    for (const Id id : block.body) {
      if (!writesMemory(f[id])) continue;
      const int object = f[id].memory.object;
      if (object == kNoObject) return std::vector<bool>(objects, false);
      if (object < static_cast<int>(objects)) all[static_cast<std::size_t>(object)] = false;
    }
  return all;
}

}  // namespace

void resolveSpaces(Function& f, const Placement& placement) {
  SpaceResolver(f, placement).run();
  f.read_only = readOnly(f, placement.objects.size());
  f.spaces_are_known = true;
}

}  // namespace qgpu::lower
