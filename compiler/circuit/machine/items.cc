#include "compiler/circuit/machine/items.h"

#include "compiler/circuit/primitives/functions.h"
#include "compiler/circuit/primitives/logic.h"

namespace qgpu::circuit::machine {
namespace {

void append(Bus& out, std::span<const Wire> bus) { out.insert(out.end(), bus.begin(), bus.end()); }

// All that EXEC stores, in one order for what is written and what is read.
Bus flatten(const Items& items) {
  Bus all = items.owed;
  append(all, items.live);
  append(all, items.plive);
  for (int s = 0; s < kMachine.slots; ++s) {
    append(all, items.rd[s]);
    append(all, items.pd[s]);
    append(all, items.predicates[s]);
  }
  for (const Bus& address : items.address) append(all, address);
  return all;
}

// What the block owes, from its results.
Items computeItems(Net& net, const Inputs& in, const Results& results) {
  Items items;
  items.owed = net.wires("owed", kItems);
  items.address = results.write.address;
  for (int s = 0; s < kMachine.slots; ++s) {
    const StageWires& stage = results.stages[s];
    items.live.push_back(stage.live);
    items.plive.push_back(stage.plive);
    items.rd[s] = stage.rd;
    items.pd[s] = stage.pd;
    items.predicates[s] = net.wires("predicates" + std::to_string(s), kMachine.lanes);
    net.add(items.owed[kFirstPredicate + s], in.exec & stage.plive);
    for (int l = 0; l < kMachine.lanes; ++l) {
      const Gate commits = in.exec & stage.commits[l] & results.write.wins(l);
      net.add(items.owed[s * kMachine.lanes + l], commits & stage.live);
      // The new bit of a lane that commits, else the old one.
      net.add(items.predicates[s][l], in.exec & stage.old[l]);
      net.add(items.predicates[s][l], commits & stage.predicate[l], 1 - Form(stage.old[l]));
      net.add(items.predicates[s][l], commits & !stage.predicate[l], -Form(stage.old[l]));
    }
  }
  for (int l = 0; l < kMachine.lanes; ++l)
    net.add(items.owed[kFirstMemory + l], in.exec & results.write.writes[l]);
  return items;
}

Items storeItems(Net& net, const Inputs& in, const Items& computed) {
  const auto scope = net.scope("stored");
  Items items;
  items.owed = net.wires("owed", kItems);
  items.live = net.wires("live", kMachine.slots);
  items.plive = net.wires("plive", kMachine.slots);
  for (int s = 0; s < kMachine.slots; ++s) {
    const std::string slot = std::to_string(s);
    items.rd[s] = net.wires("rd" + slot, 4);
    items.pd[s] = net.wires("pd" + slot, 2);
    items.predicates[s] = net.wires("predicates" + slot, kMachine.lanes);
  }
  for (int l = 0; l < kMachine.lanes; ++l)
    items.address[l] = net.wires("address" + std::to_string(l), 8);
  net.memory({.name = "items",
              .write = {.when = in.exec},
              .lanes = lanes(flatten(computed), flatten(items))});
  return items;
}

// Where the current token stands: its slot, for VAL and PRED, or its lane, for MEM.
struct Place {
  Bus value_slot, predicate_slot;  // one-hot
  Bus memory_lane;
};

Place findPlace(Net& net, const Inputs& in, const Items& items) {
  Place place{net.wires("value_slot", kMachine.slots), net.wires("predicate_slot", kMachine.slots),
              net.wires("memory_lane", kMachine.lanes)};
  for (int s = 0; s < kMachine.slots; ++s) {
    addEqual(net, place.value_slot[s], in.word.val & items.live[s],
             number(items.rd[s]) - number(in.word.reg()), 0);
    // PRED carries its number plus one modulo four.
    for (unsigned p = 0; p < kMachine.predicates; ++p)
      net.add(place.predicate_slot[s], in.pred & items.plive[s] & spells(items.pd[s], p) &
                                           spells(in.predicate, (p + 1) % kMachine.predicates));
  }
  for (int l = 0; l < kMachine.lanes; ++l)
    addEqual(net, place.memory_lane[l], in.word.mem & items.owed[kFirstMemory + l],
             number(items.address[l]) - number(in.word.address()), 0);
  return place;
}

// due[i] = item i is owed and comes after the current token.
Bus findDue(Net& net, const Inputs& in, const Items& items, const Place& place) {
  const Bus due = net.wires("due", kItems);
  for (int i = 0; i < kItems; ++i) {
    const Wire owed = items.owed[i];
    const int slot = i < kValues ? i / kMachine.lanes : kMachine.slots;
    net.add(due[i], in.exec & owed);
    for (int s = 0; s < slot; ++s) net.add(due[i], place.value_slot[s] & owed);
    // After a VAL for one lane come the later lanes of its slot; after one for all lanes, none.
    for (int l = 0; i < kValues && l < i % kMachine.lanes; ++l)
      net.add(due[i], place.value_slot[slot] & in.word.lane()[l] & owed);
    const int predicates = i < kFirstPredicate ? 0 : std::min(i - kFirstPredicate, kMachine.slots);
    for (int s = 0; s < predicates; ++s) net.add(due[i], place.predicate_slot[s] & owed);
    for (int l = 0; l < i - kFirstMemory; ++l) net.add(due[i], place.memory_lane[l] & owed);
  }
  return due;
}

void chooseNext(Net& net, const Bus& due, Items& items) {
  items.next = net.wires("next_item", kItems);
  items.none_left = net.wire("none_left");
  for (int i = 0; i < kItems; ++i)
    net.add(items.next[i], relu(Form(due[i]) - count(std::span(due).first(i))));
  net.add(items.none_left, relu(1 - count(due)));
}

// The word that the current token is a part of. A VAL for all lanes stands for its lowest lane.
void findHere(Net& net, const Inputs& in, const Front& front, const Place& place, Items& items) {
  items.here = net.wires("here", kWords);
  for (int s = 0; s < kMachine.slots; ++s)
    for (int l = 0; l < kMachine.lanes; ++l) {
      const Wire here = items.here[s * kMachine.lanes + l];
      net.add(here, place.value_slot[s] & in.word.lane()[l]);
      net.add(here, place.value_slot[s] & in.word.allLanes() & front.first_lane[l]);
    }
  for (int l = 0; l < kMachine.lanes; ++l)
    net.add(items.here[kValues + l], Gate(place.memory_lane[l]));
}

}  // namespace

Items buildItems(Net& net, const Inputs& in, const Front& front, const Results& results,
                 int first) {
  const auto scope = net.scope("items");
  const auto from = net.from(first);
  Items items = storeItems(net, in, computeItems(net, in, results));
  const Place place = findPlace(net, in, items);
  findHere(net, in, front, place, items);
  chooseNext(net, findDue(net, in, items, place), items);
  return items;
}

}  // namespace qgpu::circuit::machine
