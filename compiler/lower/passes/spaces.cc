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

  std::set<int> objects(Id address) {
    follow(address);
    return std::move(objects_);
  }

 private:
  void follow(Id id) {
    if (id == kNone || !seen_.insert(id).second) return;
    const Instruction& i = f_[id];
    if (i.kind == Kind::Constant && i.memory.object != kNoObject) objects_.insert(i.memory.object);
    for (const Predicate& p : i.inputs) follow(p.id);
    if (!i.isOperation() || i.hasMemory()) return;
    switch (i.op) {
      case Opcode::Add:
      case Opcode::And:  // aligning an address down
      case Opcode::Or:
        follow(i.a);
        follow(i.b);
        break;
      case Opcode::Sub: follow(i.a); break;
      case Opcode::Mad: follow(i.c); break;
      case Opcode::Mov:
        follow(i.b);
        if (keepsOld(i)) follow(i.c);
        break;
      default: break;
    }
  }

  const Function& f_;
  std::set<Id> seen_;
  std::set<int> objects_;
};

class SpaceResolver {
 public:
  SpaceResolver(Function& f, const Placement& placement) : f_(f), placement_(placement) {
    for (const Object& o : placement.objects) only_global_ &= o.space == isa::Space::Global;
  }

  void run() {
    for (BasicBlock& block : f_.blocks)
      for (Id& id : block.body) {
        Instruction& i = f_[id];
        if (i.isOperation() && i.hasMemory() && i.memory.is_generic) resolve(i);
      }
  }

 private:
  void resolve(Instruction& i) {
    std::set<int> objects = Roots(f_).objects(i.b);
    if (i.memory.object != kNoObject) objects.insert(i.memory.object);
    bool global = false, shared = false;
    for (const int o : objects) {
      if (o >= static_cast<int>(placement_.objects.size())) continue;
      (placement_.objects[o].space == isa::Space::Shared ? shared : global) = true;
    }
    if (global == shared && !only_global_) return refuse(i, global);
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

}  // namespace

void resolveSpaces(Function& f, const Placement& placement) { SpaceResolver(f, placement).run(); }

}  // namespace qgpu::lower
