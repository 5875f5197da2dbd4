#include "compiler/lower/blocks/units.h"

#include <algorithm>
#include <map>
#include <optional>

#include "interpreter/base/failure.h"

namespace qgpu::lower {
namespace {

using isa::Opcode;

// Strongly connected components, in topological order (Tarjan's, turned round).
class Components {
 public:
  Components(int size, const std::vector<Dependence>& edges) : node_(size), next_(size) {
    for (const Dependence& e : edges) next_[e.from].push_back(e.to);
    // From the end, so that what is independent keeps the order of the text.
    for (int i = size; i-- > 0;)
      if (node_[i].number < 0) connect(i);
    std::reverse(found_.begin(), found_.end());
    for (auto& component : found_) std::sort(component.begin(), component.end());
  }
  std::vector<std::vector<int>> take() { return std::move(found_); }

 private:
  struct Node {
    int number = -1, low = 0;
    bool open = false;
  };

  void connect(int root) {
    std::vector<std::pair<int, std::size_t>> stack;
    const auto enter = [&](int i) {
      node_[i] = {counter_, counter_, true};
      ++counter_;
      open_.push_back(i);
      stack.push_back({i, 0});
    };
    enter(root);
    while (!stack.empty()) {
      auto& [i, done] = stack.back();
      if (done < next_[i].size()) {
        const int to = next_[i][done++];
        if (node_[to].number < 0)
          enter(to);
        else if (node_[to].open)
          node_[i].low = std::min(node_[i].low, node_[to].number);
        continue;
      }
      const int left = i;
      stack.pop_back();
      if (!stack.empty()) {
        Node& parent = node_[stack.back().first];
        parent.low = std::min(parent.low, node_[left].low);
      }
      if (node_[left].low == node_[left].number) close(left);
    }
  }

  void close(int root) {
    found_.emplace_back();
    for (int i = -1; i != root;) {
      i = open_.back();
      open_.pop_back();
      node_[i].open = false;
      found_.back().push_back(i);
    }
  }

  std::vector<Node> node_;
  std::vector<std::vector<int>> next_;
  std::vector<std::vector<int>> found_;
  std::vector<int> open_;
  int counter_ = 0;
};

class UnitMaker {
 public:
  UnitMaker(Function& f, int block, bool forward, Webs& words, Webs& flags)
      : f_(f), block_(block), forward_(forward), words_(words), flags_(flags) {}

  Units run() {
    for (;;) {
      collectEdges();
      components_ = Components(static_cast<int>(body().size()), edges_).take();
      const auto bad = std::find_if(components_.begin(), components_.end(),
                                    [&](const auto& c) { return !isFeasible(c); });
      if (bad == components_.end()) return assemble();
      breakUp(*bad);
    }
  }

 private:
  std::vector<Id>& body() { return f_.blocks[block_].body; }
  Instruction& at(int position) { return f_[body()[position]]; }

  void collectEdges() {
    const Dependences order(f_, block_, forward_);
    edges_ = order.edges();
    webs_from_ = edges_.size();
    for (Webs* webs : {&words_, &flags_}) addWebOrder(order, *webs);
    addGroups();
  }

  // Reads of a value that comes into the block stand no later than the write of its web.
  void addWebOrder(const Dependences& order, Webs& webs) {
    std::map<Id, int> writer;
    for (int i = 0; i < order.size(); ++i)
      if (webs.port() == Port::Word ? hasWord(at(i)) : hasFlag(at(i)))
        writer[webs.of(body()[i])] = i;
    for (int i = 0; i < order.size(); ++i)
      eachRead(f_, at(i), webs.port(), [&](Id read) {
        if (order.position(read) >= 0) return;
        const auto w = writer.find(webs.of(read));
        if (w != writer.end() && w->second != i) edges_.push_back({i, w->second, false});
      });
  }

  // Clusters, and a division with its quotient and remainder, are one.
  void addGroups() {
    std::map<std::uint32_t, int> first;
    for (int i = 0; i < static_cast<int>(body().size()); ++i) {
      const Instruction& instruction = at(i);
      if (instruction.op == Opcode::Quo || instruction.op == Opcode::Rem)
        for (int d = 0; d < i; ++d)
          if (body()[d] == instruction.a) edges_.push_back({i, d, false});
      if (instruction.cluster == 0) continue;
      const auto [known, is_new] = first.try_emplace(instruction.cluster, i);
      if (is_new) continue;
      edges_.push_back({i, known->second, false});
      edges_.push_back({known->second, i, false});
    }
  }

  bool isDivision(const std::vector<int>& component) {
    return at(component.front()).row().unit == isa::Unit::Divider;
  }

  bool isFeasible(const std::vector<int>& component) {
    if (component.size() == 1) return true;
    int writes = 0;
    bool divides = false, other = false;
    for (const int i : component) {
      writes += writesMemory(at(i)) ? 1 : 0;
      (at(i).row().unit == isa::Unit::Divider ? divides : other) = true;
    }
    if (component.size() > static_cast<std::size_t>(kMachine.slots) || writes > 1) return false;
    if (divides && other) return false;
    return std::none_of(edges_.begin(), edges_.end(), [&](const Dependence& e) {
      return e.strict && contains(component, e.from) && contains(component, e.to);
    });
  }
  static bool contains(const std::vector<int>& component, int i) {
    return std::binary_search(component.begin(), component.end(), i);
  }

  bool isCopy(int i) {
    const Instruction& copy = at(i);
    if (copy.is(Opcode::Mov)) return !copy.hasMemory() && copy.guard.isAlways();
    return copy.is(Opcode::Pand) && copy.guard == copy.second;
  }

  // Takes one write out of its web, or lets one copy read a value that was put aside before.
  void breakUp(const std::vector<int>& component) {
    std::optional<int> copy;
    for (std::size_t n = webs_from_; n < edges_.size(); ++n) {
      const Dependence& e = edges_[n];
      if (!contains(component, e.from) || !contains(component, e.to)) continue;
      if (!isCopy(e.to) && separate(e.to)) return;
      if (isCopy(e.from)) copy = e.from;
    }
    check(copy.has_value(), "operations that need one block have a way out");
    putAside(*copy);
  }

  bool separate(int i) {
    const Id id = body()[i];
    for (Webs* webs : {&words_, &flags_}) {
      const bool has = webs->port() == Port::Word ? hasWord(f_[id]) : hasFlag(f_[id]);
      if (!has || !webs->isShared(id)) continue;
      webs->separate(id, block_);
      return true;
    }
    return false;
  }

  void putAside(int i) {
    Instruction& copy = at(i);
    Instruction aside = copy;
    if (copy.is(Opcode::Pand)) aside.guard = aside.second = {copy.guard.id};
    const Id id = f_.add(std::move(aside));
    body().insert(body().begin(), id);
    if (copy.is(Opcode::Pand))
      copy.guard = copy.second = {id, copy.guard.negate};
    else
      copy.b = id;
  }

  Units assemble() {
    Units result;
    result.unit_of.assign(body().size(), -1);
    for (const auto& component : components_) {
      for (const int i : component) result.unit_of[i] = static_cast<int>(result.units.size());
      result.units.push_back(describe(component));
    }
    std::map<std::pair<int, int>, bool> joined;
    for (const Dependence& e : edges_) {
      const int from = result.unit_of[e.from], to = result.unit_of[e.to];
      if (from != to) joined[{from, to}] |= e.strict;
    }
    for (const auto& [ends, strict] : joined)
      result.edges.push_back({ends.first, ends.second, strict});
    return result;
  }

  Unit describe(const std::vector<int>& component) {
    Unit unit;
    unit.nodes = component;
    unit.divides = isDivision(component);
    unit.slots = unit.divides ? kMachine.slots : static_cast<int>(component.size());
    for (const int i : component) {
      const Instruction& instruction = at(i);
      if (writesMemory(instruction)) {
        unit.writes = true;
        unit.write_space = instruction.memory.space;
        unit.replays |= takesTurns(instruction);
      }
      unit.convergent |= isConvergent(instruction);
      if (!readsMemory(instruction)) continue;
      (instruction.memory.space == isa::Space::Shared ? unit.reads_shared : unit.reads_global) =
          true;
    }
    return unit;
  }

  Function& f_;
  int block_;
  bool forward_;
  Webs& words_;
  Webs& flags_;
  std::vector<Dependence> edges_;
  std::size_t webs_from_ = 0;  // edges_ from here on come from webs and groups
  std::vector<std::vector<int>> components_;
};

}  // namespace

Units makeUnits(Function& f, int block, bool forward, Webs& words, Webs& flags) {
  return UnitMaker(f, block, forward, words, flags).run();
}

}  // namespace qgpu::lower
