#include "compiler/lower/blocks/allocate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <set>

namespace qgpu::lower {

namespace {

std::vector<Id> sorted(const std::set<Id>& ids) { return {ids.begin(), ids.end()}; }

}  // namespace

BlockLiveness::BlockLiveness(const Function& f, const Placed& placed, const Webs& webs) {
  const std::size_t count = placed.blocks.size();
  const Port port = webs.port();
  std::vector<std::set<Id>> reads(count), makes(count), in(count), out(count);
  for (std::size_t b = 0; b < count; ++b) {
    const PlacedBlock& block = placed.blocks[b];
    std::set<Id> here;
    const auto read = [&](Id id) {
      if (here.count(id) == 0) reads[b].insert(webs.of(id));
    };
    for (const Id id : block.slots) {
      eachRead(f, f[id], port, read);
      here.insert(id);
      if (port == Port::Word ? hasWord(f[id]) : hasFlag(f[id])) makes[b].insert(webs.of(id));
    }
    if (!block.last || port == Port::Word) continue;
    const End end = endOf(f, block.home);
    if (!end.condition.isConstant()) read(end.condition.id);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = count; b-- > 0;) {
      for (const int next : placed.successors(f, static_cast<int>(b)))
        out[b].insert(in[next].begin(), in[next].end());
      std::set<Id> alive = reads[b];
      for (const Id web : out[b])
        if (makes[b].count(web) == 0) alive.insert(web);
      if (alive.size() == in[b].size()) continue;
      in[b] = std::move(alive);
      changed = true;
    }
  }
  for (std::size_t b = 0; b < count; ++b) {
    std::set<Id> written;
    for (const Id web : makes[b])
      if (out[b].count(web) != 0) written.insert(web);
    out_.push_back(sorted(out[b]));
    written_.push_back(sorted(written));
    read_.push_back(sorted(reads[b]));
  }
}

bool BlockLiveness::isLiveOut(int b, Id web) const {
  return std::binary_search(out_[b].begin(), out_[b].end(), web);
}

namespace {

class Graph {
 public:
  Graph(const Placed& placed, const BlockLiveness& live) {
    for (std::size_t b = 0; b < placed.blocks.size(); ++b) {
      const int block = static_cast<int>(b);
      const double weight = std::min(1e6, std::pow(8.0, placed.depth[placed.blocks[b].home]));
      for (const Id web : live.read(block)) add(web, weight);
      for (const Id web : live.written(block)) {
        add(web, weight);
        for (const Id other : live.out(block)) connect(web, other);
        for (const Id other : live.written(block)) connect(web, other);
      }
    }
  }

  struct Node {
    std::set<Id> neighbours;
    double weight = 0;  // accesses, inner loops counting more
  };
  const std::map<Id, Node>& nodes() const { return nodes_; }

 private:
  void add(Id web, double weight) { nodes_[web].weight += weight; }
  void connect(Id x, Id y) {
    if (x == y) return;
    nodes_[x].neighbours.insert(y);
    nodes_[y].neighbours.insert(x);
  }
  std::map<Id, Node> nodes_;
};

// Chaitin's order with Briggs's optimism: webs with few neighbours last, then those that are the
// cheapest to do without for what they block.
std::vector<Id> removalOrder(const std::map<Id, Graph::Node>& nodes, int available) {
  std::map<Id, int> degree;
  for (const auto& [web, node] : nodes) degree[web] = static_cast<int>(node.neighbours.size());
  std::vector<Id> order;
  while (!degree.empty()) {
    auto next = degree.end();
    double cheapest = std::numeric_limits<double>::infinity();
    for (auto at = degree.begin(); at != degree.end(); ++at) {
      if (at->second < available) {
        next = at;
        break;
      }
      const double price = nodes.at(at->first).weight / at->second;
      if (price >= cheapest) continue;
      cheapest = price;
      next = at;
    }
    const Id web = next->first;
    degree.erase(next);
    for (const Id other : nodes.at(web).neighbours)
      if (const auto at = degree.find(other); at != degree.end()) --at->second;
    order.push_back(web);
  }
  return order;
}

}  // namespace

Colouring colourWebs(const Placed& placed, const BlockLiveness& live, int available) {
  const Graph graph(placed, live);
  const std::vector<Id> order = removalOrder(graph.nodes(), available);
  Colouring result;
  for (const Id web : std::views::reverse(order)) {
    std::set<int> taken;
    for (const Id other : graph.nodes().at(web).neighbours)
      if (const auto at = result.colour.find(other); at != result.colour.end())
        taken.insert(at->second);
    int colour = 0;
    while (taken.count(colour) != 0) ++colour;
    if (colour >= available) {
      result.failed.push_back(web);
      continue;
    }
    result.colour[web] = colour;
    result.colours = std::max(result.colours, colour + 1);
  }
  std::reverse(result.failed.begin(), result.failed.end());
  return result;
}

}  // namespace qgpu::lower
