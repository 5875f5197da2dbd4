#include "compiler/lower/passes/spill.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/lower/ir/flow.h"
#include "compiler/lower/ir/rewrite.h"
#include "interpreter/base/failure.h"

namespace qgpu::lower {

using isa::Opcode;

namespace {

constexpr std::uint32_t kWord = 4;

}  // namespace

SpillMemory::SpillMemory(const Placement& placement, std::uint32_t threads)
    : free_global_(placement.free_global),
      free_shared_(placement.free_shared),
      threads_(threads),
      first_object_(static_cast<int>(placement.objects.size())) {}

std::optional<MemoryOperand> SpillMemory::take() {
  const std::uint32_t bytes = kWord * threads_;
  const auto end = [](int words) { return kWord * static_cast<std::uint32_t>(words); };
  const auto make = [&](isa::Space space, std::uint32_t& free) {
    MemoryOperand place{.space = space, .scaled = true};
    place.object = first_object_ + words_++;
    place.offset = static_cast<std::int32_t>(free);
    free += bytes;
    return place;
  };
  if (free_shared_ + bytes <= end(kMachine.shared_words))
    return make(isa::Space::Shared, free_shared_);
  if (free_global_ + bytes <= end(kMachine.global_rows))
    return make(isa::Space::Global, free_global_);
  return std::nullopt;
}

namespace {

class WordSpiller {
 public:
  WordSpiller(Function& f, const std::vector<Id>& web, const MemoryOperand& place)
      : f_(f), web_(web.begin(), web.end()), place_(place), uses_(f) {
    for (BasicBlock& block : f.blocks) {
      std::erase_if(block.phis, [&](Id phi) { return web_.count(phi) != 0; });
      for (const Id user : block.body)
        for (const Id operand : wordOperands(std::as_const(f[user])))
          read_in_bodies_.insert(operand);
    }
  }

  int run() {
    for (BasicBlock& block : f_.blocks) visit(block);
    return accesses_;
  }

 private:
  bool isMember(Id id) const { return web_.count(id) != 0; }
  bool reads(const Instruction& i) const {
    const auto operands = wordOperands(i);
    return std::any_of(operands.begin(), operands.end(), [&](Id id) { return isMember(id); });
  }

  // The old value has to be read before a new one is stored: with both in the block it is loaded
  // once, and the stores come last.
  void visit(BasicBlock& block) {
    std::set<Id> made;
    bool reads_old = false, writes = false;
    for (const Id id : block.body) {
      for (const Id operand : wordOperands(std::as_const(f_[id])))
        reads_old |= isMember(operand) && made.count(operand) == 0;
      if (!isMember(id)) continue;
      made.insert(id);
      writes = true;
    }
    made.clear();
    Id loaded = kNone;
    std::vector<Id> stores;
    for (const Id id : std::exchange(block.body, {})) {
      Instruction& i = f_[id];
      if (reads(i)) {
        const bool old = readsOld(i, made);
        if (old && (loaded == kNone || !writes)) loaded = load(block, i.origin);
        for (Id* operand : wordOperands(i))
          if (isMember(*operand) && made.count(*operand) == 0) *operand = loaded;
      }
      const bool stored = isMember(id);
      if (!stored || !isBareCopy(id)) block.body.push_back(id);
      if (!stored) continue;
      made.insert(id);
      const Id value = isBareCopy(id) ? i.b : id;
      const Id store = makeStore(value, i.origin);
      (reads_old ? stores : block.body).push_back(store);
    }
    block.body.insert(block.body.end(), stores.begin(), stores.end());
  }

  bool readsOld(const Instruction& i, const std::set<Id>& made) const {
    const auto operands = wordOperands(i);
    return std::any_of(operands.begin(), operands.end(),
                       [&](Id id) { return isMember(id) && made.count(id) == 0; });
  }

  // A copy made only to be stored.
  bool isBareCopy(Id id) const {
    const Instruction& i = f_[id];
    if (!i.is(Opcode::Mov) || i.hasMemory() || !i.guard.isAlways()) return false;
    return uses_.words[id] <= 1 && read_in_bodies_.count(id) == 0;
  }

  Id load(BasicBlock& block, std::uint32_t origin) {
    Instruction i{.op = Opcode::Mov, .b = f_.special(isa::Special::Tid)};
    i.memory = place_;
    i.origin = origin;
    block.body.push_back(f_.add(std::move(i)));
    ++accesses_;
    return block.body.back();
  }
  Id makeStore(Id value, std::uint32_t origin) {
    Instruction i{.op = Opcode::St, .b = f_.special(isa::Special::Tid), .c = value};
    i.memory = place_;
    i.origin = origin;
    ++accesses_;
    return f_.add(std::move(i));
  }

  Function& f_;
  std::set<Id> web_;
  MemoryOperand place_;
  Uses uses_;
  std::set<Id> read_in_bodies_;
  int accesses_ = 0;
};

}  // namespace

int spillWords(Function& f, const std::vector<Id>& web, const MemoryOperand& place) {
  return WordSpiller(f, web, place).run();
}

bool isRematerialisable(const Function& f, const std::vector<Id>& web) {
  if (web.size() != 1) return false;
  const Instruction& i = f[web.front()];
  if (!isPure(i) || i.cluster != 0 || hasFlag(i) || i.row().unit == isa::Unit::Divider)
    return false;
  if (!flagOperands(i).empty()) return false;
  const auto operands = wordOperands(i);
  return std::all_of(operands.begin(), operands.end(), [&](Id id) { return f[id].isLeaf(); });
}

void rematerialise(Function& f, Id value) {
  for (BasicBlock& block : f.blocks) {
    const bool home = std::find(block.body.begin(), block.body.end(), value) != block.body.end();
    if (home) continue;
    for (std::size_t n = 0; n < block.body.size(); ++n)
      for (Id* operand : wordOperands(f[block.body[n]])) {
        if (*operand != value) continue;
        const Id again = f.add(f[value]);
        block.body.insert(block.body.begin() + static_cast<std::ptrdiff_t>(n), again);
        *operand = again;
        ++n;
      }
  }
}

namespace {

class FlagDemoter {
 public:
  FlagDemoter(Function& f, const std::vector<Id>& web) : f_(f), web_(web.begin(), web.end()) {}

  void run() {
    for (BasicBlock& block : f_.blocks) replacePhis(block);
    for (BasicBlock& block : f_.blocks) visit(block);
    for (const auto& [phi, inputs] : phi_inputs_) fill(phi, inputs);
  }

 private:
  // A phi of predicates becomes one of words.
  void replacePhis(BasicBlock& block) {
    for (Id& phi : block.phis) {
      if (web_.count(phi) == 0) continue;
      const Id word = f_.add({.kind = Kind::Phi});
      word_[phi] = word;
      phi_inputs_.push_back({word, f_[phi].inputs});
      phi = word;
    }
  }

  // What flows into a phi of a web is of the web: a copy where need be.
  void fill(Id phi, const std::vector<Predicate>& inputs) {
    for (const Predicate& p : inputs) {
      check(web_.count(p.id) != 0, "the inputs of a web's phi are of the web");
      f_[phi].inputs.push_back({wordFor(p.id)});
    }
  }

  // Members made here get their word, and are compared out of it before each read that does not
  // follow at once.
  void visit(BasicBlock& block) {
    std::map<Id, std::size_t> made;  // and where in the new body
    const auto replace = [&](Predicate& p, std::uint32_t origin) {
      if (web_.count(p.id) == 0) return;
      const auto at = made.find(p.id);
      if (at != made.end() && block.body.size() - at->second <= kNear) return;
      Instruction test{.op = Opcode::Setp, .compare = isa::Compare::Ne, .a = wordFor(p.id)};
      test.b = f_.constant(0);
      test.origin = origin;
      p.id = f_.add(std::move(test));
      block.body.push_back(p.id);
    };
    for (const Id id : std::exchange(block.body, {})) {
      for (Predicate* p : flagOperands(f_[id])) replace(*p, f_[id].origin);
      block.body.push_back(id);
      if (web_.count(id) == 0) continue;
      made[id] = block.body.size();
      Instruction keep{.op = Opcode::Mov, .b = f_.constant(1), .c = f_.constant(0), .guard = {id}};
      keep.origin = f_[id].origin;
      const Id word = wordFor(id);
      f_[word] = std::move(keep);
      block.body.push_back(word);
    }
    if (block.conditional()) replace(block.condition, block.origin);
  }

  // The word of a member, which may still have to be made.
  Id wordFor(Id member) {
    const auto [at, is_new] = word_.try_emplace(member, kNone);
    if (is_new) at->second = f_.add({});
    return at->second;
  }

  static constexpr std::size_t kNear = 2;

  Function& f_;
  std::set<Id> web_;
  std::map<Id, Id> word_;  // by member
  std::vector<std::pair<Id, std::vector<Predicate>>> phi_inputs_;
};

}  // namespace

void demoteFlags(Function& f, const std::vector<Id>& web) { FlagDemoter(f, web).run(); }

}  // namespace qgpu::lower
