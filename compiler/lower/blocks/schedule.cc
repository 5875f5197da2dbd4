#include "compiler/lower/blocks/schedule.h"

#include <algorithm>
#include <set>

#include "interpreter/base/failure.h"

namespace qgpu::lower {
namespace {

constexpr int kSlots = kMachine.slots;
constexpr std::int16_t kUnplaced = -1;

struct State {
  std::vector<std::int16_t> block_of;       // by unit
  std::vector<bool> carried;                // by position: the result is paid for
  std::vector<std::pair<int, int>> copies;  // machine block, position: made again there
  std::vector<int> open;                    // units of the open block
  std::vector<int> open_copies;             // positions made again in it
  int blocks = 1;
  int used = 0;  // slots of the open block
  int placed = 0;
  int cost = 0;
  int rank = 0;  // cost and what is to come at least
};

class Search {
 public:
  Search(const Function& f, int block, const Units& units, const ValueCosts& values,
         const ScheduleOptions& options)
      : f_(f), body_(f.blocks[block].body), units_(units), values_(values), options_(options) {
    const std::size_t n = units.units.size();
    before_.resize(n);
    for (const UnitEdge& e : units.edges) before_[e.to].push_back(e);
    collectReads(f.blocks[block]);
    for (const Unit& u : units.units) {
      total_slots_ += u.slots;
      total_writes_ += u.writes ? 1 : 0;
    }
  }

  Schedule run() {
    std::vector<State> beam(1);
    beam[0].block_of.assign(units_.units.size(), kUnplaced);
    beam[0].carried.assign(body_.size(), false);
    for (std::size_t step = 0; step < units_.units.size(); ++step) beam = grow(beam);
    return extract(best(beam));
  }

 private:
  struct Read {
    int position;
    bool word, flag;
  };

  // For each unit the results it reads, and for each result the units that read it.
  void collectReads(const BasicBlock& block) {
    reads_.resize(units_.units.size());
    readers_.resize(body_.size());
    std::vector<int> position(f_.instructions.size(), -1);
    for (std::size_t i = 0; i < body_.size(); ++i) position[body_[i]] = static_cast<int>(i);
    for (std::size_t u = 0; u < units_.units.size(); ++u)
      for (const int node : units_.units[u].nodes) {
        const auto note = [&](Id id, bool word) {
          const int at = position[id];
          if (at < 0 || units_.unit_of[at] == static_cast<int>(u)) return;
          reads_[u].push_back({at, word, !word});
          readers_[at].push_back({static_cast<int>(u), word, !word});
        };
        for (const Id id : wordOperands(f_[body_[node]])) note(id, true);
        for (const Predicate& p : flagOperands(f_[body_[node]])) note(p.id, false);
      }
    if (block.conditional()) condition_ = position[block.condition.id];
  }

  const Unit& unit(int u) const { return units_.units[u]; }
  bool isOpen(const State& s, int u) const {
    return s.block_of[u] == static_cast<std::int16_t>(s.blocks - 1);
  }

  std::vector<State> grow(const std::vector<State>& beam) {
    std::vector<State> next;
    std::set<std::pair<std::vector<std::int16_t>, int>> seen;
    const auto keep = [&](State s) {
      if (!seen.insert({s.block_of, s.cost}).second) return;
      next.push_back(std::move(s));
    };
    for (const State& s : beam)
      for (int u = 0; u < static_cast<int>(units_.units.size()); ++u) {
        if (s.block_of[u] != kUnplaced || !isReady(s, u)) continue;
        if (fitsOpen(s, u)) place(s, u, keep);
        if (s.used > 0) {
          State closed = s;
          close(closed);
          place(closed, u, keep);
        }
      }
    check(!next.empty(), "an operation can always be placed next");
    const auto width = static_cast<std::size_t>(options_.beam);
    const auto better = [](const State& a, const State& b) { return a.rank < b.rank; };
    std::stable_sort(next.begin(), next.end(), better);
    if (next.size() > width) next.resize(width);
    return next;
  }

  // All that it depends on is placed, with the strict ones in closed blocks or about to be.
  bool isReady(const State& s, int u) const {
    for (const UnitEdge& e : before_[u])
      if (s.block_of[e.from] == kUnplaced) return false;
    return true;
  }

  bool fitsOpen(const State& s, int u) const {
    const Unit& added = unit(u);
    if (s.used + added.slots > kSlots) return false;  // a division takes all of them
    for (const UnitEdge& e : before_[u])
      if (e.strict && isOpen(s, e.from)) return false;
    for (const int o : s.open) {
      const Unit& there = unit(o);
      if (there.writes && added.writes) return false;
      if ((there.replays && added.convergent) || (there.convergent && added.replays)) return false;
      // A read must come before the write, and so must not need its result.
      if (there.writes && added.reads(there.write_space) && needs(s, u, o)) return false;
    }
    return true;
  }

  // Whether `u` reads what `write` makes, by operations of the open block.
  bool needs(const State& s, int u, int write) const {
    for (const UnitEdge& e : before_[u])
      if (e.from == write || (isOpen(s, e.from) && needs(s, e.from, write))) return true;
    return false;
  }

  // Ends the open block: what others will read from it has to be carried on.
  void close(State& s) const {
    for (const int u : s.open)
      for (const int node : unit(u).nodes)
        if (!values_.rematerialisable[node]) carryIfRead(s, node);
    s.cost += options_.costs.block + options_.costs.excess * excess(s);
    s.open.clear();
    s.open_copies.clear();
    s.used = 0;
    ++s.blocks;
  }

  // How many more values are alive behind the open block than there are registers and predicates.
  int excess(const State& s) const {
    int words = 0, flags = 0;
    const auto unread = [&](int unit) { return s.block_of[unit] == kUnplaced; };
    for (std::size_t node = 0; node < body_.size(); ++node) {
      if (unread(units_.unit_of[node])) continue;
      bool word = values_.word_leaves[node], flag = values_.flag_leaves[node];
      flag |= static_cast<int>(node) == condition_;
      for (const Read& r : readers_[node]) {
        if (!unread(r.position)) continue;
        word |= r.word && s.carried[node];
        flag |= r.flag;
      }
      words += word ? 1 : 0;
      flags += flag ? 1 : 0;
    }
    for (const ValueCosts::Incoming& in : values_.incoming) {
      const bool alive = in.leaves || std::any_of(in.readers.begin(), in.readers.end(),
                                                  [&](int r) { return unread(units_.unit_of[r]); });
      (in.port == Port::Word ? words : flags) += alive ? 1 : 0;
    }
    return std::max(0, words - options_.registers) + std::max(0, flags - kMachine.predicates);
  }

  void carryIfRead(State& s, int node) const {
    bool word = false, flag = node == condition_;
    for (const Read& r : readers_[node]) {
      if (s.block_of[r.position] != kUnplaced) continue;
      word |= r.word;
      flag |= r.flag;
    }
    if (!word && !flag) return;
    s.carried[node] = true;
    s.cost += (word ? values_.word[node] : 0) + (flag ? values_.flag[node] : 0);
  }

  template <typename Keep>
  void place(const State& before, int u, Keep keep) const {
    // Results of closed blocks that are not carried yet: made again here, or carried after all.
    std::vector<int> choices;
    for (const Read& r : reads_[u])
      if (values_.rematerialisable[r.position] && !isHere(before, r.position) &&
          !before.carried[r.position] &&
          std::find(choices.begin(), choices.end(), r.position) == choices.end())
        choices.push_back(r.position);
    State plain = before;
    for (const int node : choices) pay(plain, node);
    put(plain, u);
    keep(std::move(plain));
    const auto extra = static_cast<int>(choices.size());
    if (choices.empty() || !options_.rematerialise) return;
    if (before.used + unit(u).slots + extra > kSlots) return;
    if (!copiesFit(before, choices)) return;
    State again = before;
    for (const int node : choices) {
      again.copies.push_back({again.blocks - 1, node});
      again.open_copies.push_back(node);
    }
    again.used += extra;
    put(again, u);
    keep(std::move(again));
  }

  bool copiesFit(const State& s, const std::vector<int>& nodes) const {
    for (const int o : s.open)
      for (const int node : nodes)
        if (unit(o).writes && reads(node, unit(o).write_space)) return false;
    return true;
  }
  bool reads(int node, isa::Space space) const {
    const Instruction& i = f_[body_[node]];
    return readsMemory(i) && i.memory.space == space;
  }

  bool isHere(const State& s, int node) const {
    const auto& copies = s.open_copies;
    return isOpen(s, units_.unit_of[node]) ||
           std::find(copies.begin(), copies.end(), node) != copies.end();
  }

  void pay(State& s, int node) const {
    s.carried[node] = true;
    s.cost += values_.word[node];
  }

  void put(State& s, int u) const {
    s.block_of[u] = static_cast<std::int16_t>(s.blocks - 1);
    s.open.push_back(u);
    s.used += unit(u).slots;
    ++s.placed;
    s.rank = s.cost + options_.costs.block * (1 + blocksToCome(s));
  }

  int blocksToCome(const State& s) const {
    int slots = total_slots_, writes = total_writes_;
    bool open_writes = false;
    for (std::size_t u = 0; u < units_.units.size(); ++u) {
      if (s.block_of[u] == kUnplaced) continue;
      slots -= units_.units[u].slots;
      writes -= units_.units[u].writes ? 1 : 0;
      open_writes |= units_.units[u].writes && isOpen(s, static_cast<int>(u));
    }
    const int by_slots = (std::max(0, slots - (kSlots - s.used)) + kSlots - 1) / kSlots;
    return std::max({0, by_slots, writes - (open_writes ? 0 : 1)});
  }

  static State best(const std::vector<State>& beam) {
    return *std::min_element(beam.begin(), beam.end(),
                             [](const State& a, const State& b) { return a.rank < b.rank; });
  }

  Schedule extract(const State& s) const {
    Schedule blocks(s.blocks);
    for (std::size_t u = 0; u < units_.units.size(); ++u)
      for (const int node : units_.units[u].nodes) blocks[s.block_of[u]].push_back(node);
    for (const auto& [block, node] : s.copies) blocks[block].push_back(node);
    for (auto& nodes : blocks) order(nodes);
    return blocks;
  }

  // The text's order, but reads of the space that is written come before the write.
  void order(std::vector<int>& nodes) const {
    std::sort(nodes.begin(), nodes.end());
    std::vector<int> early, late;
    for (const int node : nodes) {
      const Instruction& i = f_[body_[node]];
      const auto isLate = [&](Id id) {
        return std::any_of(late.begin(), late.end(), [&](int l) { return body_[l] == id; });
      };
      bool after = writesMemory(i);
      for (const Id id : wordOperands(i)) after |= isLate(id);
      for (const Predicate& p : flagOperands(i)) after |= isLate(p.id);
      (after ? late : early).push_back(node);
    }
    nodes = std::move(early);
    nodes.insert(nodes.end(), late.begin(), late.end());
  }

  const Function& f_;
  const std::vector<Id>& body_;
  const Units& units_;
  const ValueCosts& values_;
  const ScheduleOptions& options_;
  std::vector<std::vector<UnitEdge>> before_;  // by unit
  std::vector<std::vector<Read>> reads_;       // by unit: position of the result
  std::vector<std::vector<Read>> readers_;     // by position: `position` is the reading unit
  int condition_ = -1;                         // the position the terminator reads
  int total_slots_ = 0, total_writes_ = 0;
};

}  // namespace

Schedule schedule(const Function& f, int block, const Units& units, const ValueCosts& values,
                  const ScheduleOptions& options) {
  if (f.blocks[block].body.empty()) return Schedule(1);
  return Search(f, block, units, values, options).run();
}

}  // namespace qgpu::lower
