#include "fuzz/cuda/features.h"

#include <algorithm>
#include <array>

#include "fuzz/cuda/walk.h"

namespace qgpu::fuzz::cuda {
namespace {

using Kind = Statement::Kind;

constexpr std::array<std::string_view, kFeatures> kNames = {
    "divergent if",   "constant loop",   "data loop",     "break",          "continue",
    "switch",         "barrier",         "warp barrier",  "lock",           "shared memory",
    "atomic",         "atomic result",   "shared atomic", "wide atomic",    "shuffle",
    "vote",           "block vote",      "division",      "wide division",  "intrinsic",
    "select",         "device function", "local array",   "narrow type",    "wide type",
    "two dimensions", "several blocks",  "partial warp",  "uniform branch", "early exit"};

bool isNarrow(ElementType type) { return sizeOf(type) < 4; }
bool isWide(ElementType type) { return sizeOf(type) == 8; }

bool differsBetweenThreads(const Expression& e) {
  bool differs = false;
  visit(e, [&](const Expression& part) {
    differs |= part.op != Op::Scalar && part.op != Op::Constant && part.op != Op::BlockIndex &&
               part.operands.empty();
  });
  return differs;
}

void addType(Features& f, ElementType type) {
  f.add(Feature::NarrowType, isNarrow(type));
  f.add(Feature::WideType, isWide(type));
}

void addExpression(Features& f, const Expression& e) {
  addType(f, e.type);
  const bool divides = e.op == Op::Divide || e.op == Op::Remainder;
  f.add(Feature::Division, divides);
  f.add(Feature::WideDivision, divides && isWide(e.type));
  f.add(Feature::Intrinsic, (e.op >= Op::Popcount && e.op <= Op::Product24) ||
                                e.op == Op::Minimum || e.op == Op::Maximum);
  f.add(Feature::Select, e.op == Op::Select);
  f.add(Feature::DeviceFunction, e.op == Op::Call);
  f.add(Feature::LocalArray, e.op == Op::Local);
}

void addStatement(Features& f, const Statement& s) {
  switch (s.kind) {
    case Kind::If: f.add(Feature::DivergentIf, differsBetweenThreads(s.a)); return;
    case Kind::Loop:
    case Kind::UniformLoop: return f.add(Feature::ConstantLoop);
    case Kind::DataLoop:
    case Kind::While: return f.add(Feature::DataLoop, differsBetweenThreads(s.a));
    case Kind::Break: return f.add(Feature::Break);
    case Kind::Continue: return f.add(Feature::Continue);
    case Kind::Switch: return f.add(Feature::Switch);
    case Kind::AtomicSum: return f.add(Feature::Atomic);
    case Kind::AtomicOwn: f.add(Feature::Atomic); return f.add(Feature::AtomicResult);
    case Kind::SharedSum: f.add(Feature::SharedAtomic); [[fallthrough]];
    case Kind::Exchange:
    case Kind::Reduce: f.add(Feature::Barrier); return f.add(Feature::SharedMemory);
    case Kind::Locked:
      f.add(Feature::Lock);
      f.add(Feature::Barrier);
      return f.add(Feature::SharedMemory);
    case Kind::Neighbour: f.add(Feature::WarpBarrier); return f.add(Feature::SharedMemory);
    case Kind::Shuffle: return f.add(Feature::Shuffle);
    case Kind::Vote: return f.add(Feature::Vote);
    case Kind::BlockVote: f.add(Feature::BlockVote); return f.add(Feature::Barrier);
    case Kind::UniformIf: return f.add(Feature::UniformBranch);
    case Kind::StoreLocal: return f.add(Feature::LocalArray);
    case Kind::Exit: return f.add(Feature::EarlyExit);
    default: return;
  }
}

}  // namespace

std::string_view name(Feature feature) { return kNames[static_cast<std::size_t>(feature)]; }

Features featuresOf(const KernelTree& tree) {
  Features f;
  visitStatements(tree, [&](const Statement& s) {
    addStatement(f, s);
    f.add(Feature::WideAtomic, s.kind == Kind::AtomicSum && isWide(tree.accumulator));
  });
  visitExpressions(tree, [&](const Expression& e) { addExpression(f, e); });
  for (const Variable& v : tree.variables) addType(f, v.type);
  for (const auto& input : tree.inputs) addType(f, input.type);
  addType(f, tree.output);
  f.add(Feature::TwoDimensions, tree.block.y > 1 || tree.grid.y > 1);
  f.add(Feature::SeveralBlocks, tree.blocks() > 1);
  f.add(Feature::PartialWarp, tree.threads() % 4 != 0);
  return f;
}

}  // namespace qgpu::fuzz::cuda
