#include "fuzz/cuda/generate_expression.h"

#include "fuzz/cuda/print_expression.h"

namespace qgpu::fuzz::cuda {
namespace {

constexpr auto kInt = ElementType::Int;
constexpr auto kUnsigned = ElementType::Unsigned;

bool isWide(ElementType type) { return sizeOf(type) == 8; }

int operandsOf(Op intrinsic) {
  switch (intrinsic) {
    case Op::Popcount:
    case Op::LeadingZeros:
    case Op::FirstSet:
    case Op::ReverseBits: return 1;
    case Op::BytePermute:
    case Op::FunnelLeft:
    case Op::FunnelRight:
    case Op::AbsoluteDifference: return 3;
    default: return 2;
  }
}

// Instructions of the machine that an operation takes, roughly.
int costOf(Op op, ElementType type) {
  const int wide = isWide(type) ? 3 : 1;
  switch (op) {
    case Op::Divide:
    case Op::Remainder: return isWide(type) ? 24 : 6;
    case Op::Multiply: return isWide(type) ? 6 : 1;
    case Op::ShiftLeft:
    case Op::ShiftRight: return isWide(type) ? 10 : 1;
    case Op::LeadingZeros:
    case Op::FirstSet:
    case Op::ReverseBits:
    case Op::FunnelLeft:
    case Op::FunnelRight:
    case Op::Average:
    case Op::AbsoluteDifference: return 4;
    default: return wide;
  }
}

}  // namespace

Palette drawPalette(isatest::Random& random) {
  const auto in = [&](int percent) { return random.chance(percent); };
  Palette p;
  p.wide = in(18);
  p.narrow = in(25);
  p.divisions = in(25);
  p.intrinsics = in(50);
  p.functions = in(25);
  p.local = in(15);
  p.switches = in(25);
  p.loops = in(60);
  p.barriers = in(45);
  p.shared_atomics = in(16);
  p.atomics = in(36);
  p.own_atomics = in(12);
  p.shuffles = in(34);
  p.votes = in(20);
  p.block_votes = in(14);
  p.uniform_branches = in(36);
  p.exits = in(15);
  p.neighbours = in(20);
  p.locks = in(10);
  return p;
}

ElementType ExpressionMaker::computingType() {
  if (palette_.wide && random_.chance(30))
    return random_.chance(50) ? ElementType::Int64 : ElementType::Uint64;
  return random_.chance(60) ? kInt : kUnsigned;
}

Expression ExpressionMaker::constant(ElementType type) {
  const std::uint32_t value =
      random_.chance(60) ? static_cast<std::uint32_t>(random_.below(17)) : random_.word();
  return {.op = Op::Constant, .type = promoted(type), .value = value};
}

Expression ExpressionMaker::load(ElementType type, const Scope& scope) {
  const bool local = palette_.local && random_.chance(40);
  if (!local && tree_.inputs.empty()) return constant(type);
  --budget;
  Expression e{.op = local ? Op::Local : Op::Input};
  if (!local) {
    e.index = random_.below(static_cast<int>(tree_.inputs.size()));
    e.type = promoted(tree_.inputs[static_cast<std::size_t>(e.index)].type);
  }
  e.operands = {random_.chance(50) ? Expression{.op = Op::Global} : leaf(kInt, scope)};
  return e;
}

Expression ExpressionMaker::leaf(ElementType type, const Scope& scope) {
  if (random_.chance(18)) return constant(type);
  if (scope.loops > 0 && random_.chance(20))
    return {.op = Op::LoopCounter, .index = random_.below(scope.loops)};
  if (!scope.in_function && random_.chance(35)) {
    switch (random_.below(6)) {
      case 0: return {.op = Op::Thread};
      case 1: return {.op = Op::Global};
      case 2: return {.op = Op::BlockIndex};
      case 3:
        return {.op = Op::Scalar, .index = random_.below(static_cast<int>(tree_.scalars.size()))};
      case 4: return {.op = Op::Own, .type = promoted(tree_.output)};
      default: break;
    }
  }
  if (scope.variables.empty()) return constant(type);
  const int variable = random_.below(static_cast<int>(scope.variables.size()));
  return {.op = Op::Variable,
          .type = promoted(scope.variables[static_cast<std::size_t>(variable)]),
          .index = variable};
}

Expression ExpressionMaker::node(Op op, ElementType type, const Scope& scope, int operands,
                                 int depth) {
  budget -= costOf(op, type);
  Expression e{.op = op, .type = type, .value = static_cast<std::uint32_t>(random_.below(2))};
  for (int i = 0; i < operands; ++i) e.operands.push_back(value(type, scope, depth - 1));
  return e;
}

Expression ExpressionMaker::intrinsic(const Scope& scope, int depth) {
  const auto first = static_cast<int>(Op::Popcount), last = static_cast<int>(Op::Product24);
  const Op op = random_.chance(25) ? random_.pick({Op::Minimum, Op::Maximum})
                                   : static_cast<Op>(random_.between(first, last));
  if (op == Op::Minimum || op == Op::Maximum)
    return node(op, random_.chance(50) ? kInt : kUnsigned, scope, 2, depth);
  return node(op, kInt, scope, operandsOf(op), depth);
}

Expression ExpressionMaker::call(const Scope& scope) {
  const int index = random_.below(static_cast<int>(tree_.functions.size()));
  const DeviceFunction& f = tree_.functions[static_cast<std::size_t>(index)];
  Expression e{.op = Op::Call, .type = promoted(f.result.type), .index = index};
  budget -= 8;
  for (const ElementType type : f.parameters) e.operands.push_back(value(promoted(type), scope, 0));
  return e;
}

Expression ExpressionMaker::arithmetic(ElementType type, const Scope& scope, int depth) {
  if (palette_.divisions && random_.chance(isWide(type) ? 60 : 25)) {
    Expression e = node(random_.pick({Op::Divide, Op::Remainder}), type, scope, 2, depth);
    if (random_.chance(50)) e.operands[1] = constant(type);
    return e;
  }
  if (random_.chance(12)) {
    Expression e = node(Op::Select, type, scope, 2, depth);
    e.operands.insert(e.operands.begin(), condition(scope, depth - 1));
    return e;
  }
  if (random_.chance(10))
    return node(random_.pick({Op::Negate, Op::Complement}), type, scope, 1, depth);
  if (palette_.narrow && random_.chance(20))
    return {.op = Op::Convert,
            .type = random_.pick(
                {ElementType::Int8, ElementType::Uint8, ElementType::Int16, ElementType::Uint16}),
            .operands = {value(type, scope, depth - 1)}};
  const Op op = random_.pick({Op::Add, Op::Add, Op::Subtract, Op::Multiply, Op::And, Op::Or,
                              Op::Xor, Op::ShiftLeft, Op::ShiftRight});
  if (op != Op::ShiftLeft && op != Op::ShiftRight) return node(op, type, scope, 2, depth);
  Expression e = node(op, type, scope, 1, depth);
  e.operands.push_back(random_.chance(70) ? constant(kInt) : leaf(kInt, scope));
  return e;
}

Expression ExpressionMaker::value(ElementType type, const Scope& scope, int depth) {
  if (depth <= 0 || budget <= 0 || random_.chance(15)) {
    if (!scope.in_function && budget > 0 && random_.chance(25)) return load(type, scope);
    return leaf(type, scope);
  }
  if (palette_.intrinsics && random_.chance(20)) return intrinsic(scope, depth);
  if (!scope.in_function && !tree_.functions.empty() && random_.chance(15)) return call(scope);
  if (random_.chance(6)) return condition(scope, depth - 1);
  return arithmetic(type, scope, depth);
}

Expression ExpressionMaker::condition(const Scope& scope, int depth) {
  if (depth > 0 && random_.chance(20)) {
    Expression e{.op = random_.pick({Op::LogicalAnd, Op::LogicalOr, Op::LogicalNot})};
    e.operands = {condition(scope, depth - 1)};
    if (e.op != Op::LogicalNot) e.operands.push_back(condition(scope, depth - 1));
    return e;
  }
  if (random_.chance(15)) return value(kInt, scope, depth);
  const ElementType type = computingType();
  return node(random_.pick({Op::Less, Op::LessEqual, Op::Equal, Op::NotEqual}), type, scope, 2,
              depth);
}

Expression ExpressionMaker::uniform() {
  const auto scalar = [&]() -> Expression {
    return {.op = Op::Scalar, .index = random_.below(static_cast<int>(tree_.scalars.size()))};
  };
  Expression left = random_.chance(40) ? Expression{.op = Op::BlockIndex} : scalar();
  if (random_.chance(30))
    left = {.op = Op::And, .operands = {left, Expression{.op = Op::Constant, .value = 1}}};
  budget -= 2;
  return {.op = random_.pick({Op::Less, Op::Equal, Op::NotEqual}),
          .operands = {left, random_.chance(60) ? constant(kInt) : scalar()}};
}

}  // namespace qgpu::fuzz::cuda
