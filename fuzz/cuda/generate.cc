#include "fuzz/cuda/generate.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "fuzz/cuda/generate_expression.h"
#include "fuzz/cuda/print.h"
#include "fuzz/cuda/print_expression.h"

namespace qgpu::fuzz::cuda {
namespace {

using isatest::Random;
using launch::Dim3;
using Kind = Statement::Kind;

constexpr auto kInt = ElementType::Int;
constexpr auto kUnsigned = ElementType::Unsigned;
constexpr int kDeepest = 3;          // statements within statements
constexpr int kThreadsInAll = 64;    // each has a word of output
constexpr int kBudget[] = {14, 52};  // least and most, in instructions

class Generator {
 public:
  explicit Generator(std::uint64_t number)
      : random_(Random(number).next()), palette_(drawPalette(random_)) {
    tree_.number = tree_.data = number;
  }

  KernelTree run() {
    shape();
    types();
    inputs();
    make_.budget = random_.between(kBudget[0], kBudget[1]);
    functions();
    variables();
    scope_.collective = true;
    tree_.body = statements(random_.between(2, 6));
    if (palette_.exits) tree_.body.push_back(exit());
    tree_.result = result();
    return std::move(tree_);
  }

 private:
  void shape() {
    constexpr std::array<Dim3, 16> kBlocks = {{{1, 1, 1},
                                               {2, 1, 1},
                                               {3, 1, 1},
                                               {4, 1, 1},
                                               {4, 1, 1},
                                               {4, 1, 1},
                                               {5, 1, 1},
                                               {6, 1, 1},
                                               {7, 1, 1},
                                               {8, 1, 1},
                                               {8, 1, 1},
                                               {12, 1, 1},
                                               {16, 1, 1},
                                               {20, 1, 1},
                                               {32, 1, 1},
                                               {31, 1, 1}}};
    constexpr std::array<Dim3, 6> kFlat = {
        {{2, 2, 1}, {4, 2, 1}, {2, 4, 1}, {3, 2, 1}, {4, 4, 1}, {5, 3, 1}}};
    tree_.block = random_.chance(20) ? random_.pick(kFlat) : random_.pick(kBlocks);
    const int most = std::min(6, kThreadsInAll / tree_.threads());
    if (random_.chance(50)) tree_.grid.x = static_cast<std::uint32_t>(random_.between(1, most));
    if (random_.chance(8) && most >= 4) tree_.grid = {2, 2, 1};
    // Lanes that are not there have nothing to say.
    if (tree_.threads() % 4 != 0) palette_.shuffles = palette_.votes = false;
    if (tree_.threads() < 2) palette_.shared_atomics = palette_.locks = false;
  }

  ElementType narrowType() {
    return random_.pick(
        {ElementType::Int8, ElementType::Uint8, ElementType::Int16, ElementType::Uint16});
  }

  void types() {
    tree_.output = random_.chance(60) ? kInt : kUnsigned;
    if (!palette_.own_atomics) {
      if (palette_.narrow && random_.chance(25)) tree_.output = narrowType();
      if (palette_.wide && tree_.threads() * tree_.blocks() <= 24 && random_.chance(40))
        tree_.output = ElementType::Int64;
    }
    tree_.accumulator = random_.chance(50) ? kInt : kUnsigned;
    if (palette_.wide && random_.chance(60)) tree_.accumulator = ElementType::Uint64;
    tree_.atomic = static_cast<Atomic>(random_.chance(40) ? 0 : random_.below(6));
    tree_.scalars = {static_cast<std::int32_t>(random_.below(10))};
    if (random_.chance(40)) tree_.scalars.push_back(static_cast<std::int32_t>(random_.word()));
  }

  void inputs() {
    const int count = random_.between(1, 2);
    for (int i = 0; i < count; ++i) {
      ElementType type = random_.chance(60) ? kInt : kUnsigned;
      if (palette_.narrow && random_.chance(50)) type = narrowType();
      if (palette_.wide && random_.chance(20)) type = ElementType::Int64;
      std::vector<std::int64_t> values(std::size_t{1} << random_.between(2, 4));
      for (auto& value : values) value = static_cast<std::int32_t>(random_.word());
      tree_.inputs.push_back(launch::arrayOf(fmt::format("in{}", i), values, type));
    }
  }

  void functions() {
    if (!palette_.functions) return;
    DeviceFunction f;
    const int count = random_.between(1, 3);
    for (int i = 0; i < count; ++i)
      f.parameters.push_back(palette_.narrow && random_.chance(20) ? narrowType()
                                                                   : make_.computingType());
    scope_ = {.variables = f.parameters, .in_function = true};
    if (random_.chance(50)) f.body = statements(random_.between(1, 2));
    f.result = make_.value(make_.computingType(), scope_, 2);
    scope_ = {};
    tree_.functions.push_back(std::move(f));
  }

  void variables() {
    const int count = random_.between(1, 4);
    for (int i = 0; i < count; ++i) {
      ElementType type = make_.computingType();
      if (palette_.narrow && random_.chance(20)) type = narrowType();
      Variable v{type, make_.value(promoted(type), scope_, 1)};
      tree_.variables.push_back(std::move(v));
      scope_.variables.push_back(type);
    }
  }

  // A value in which all variables have a part.
  Expression result() {
    const ElementType type = promoted(tree_.output);
    Expression sum = variable(0);
    for (int i = 1; i < static_cast<int>(tree_.variables.size()); ++i)
      sum = {.op = random_.pick({Op::Add, Op::Xor, Op::Subtract}),
             .type = type,
             .operands = {sum, variable(i)}};
    return sum;
  }
  Expression variable(int number) const {
    return {.op = Op::Variable,
            .type = promoted(tree_.variables[static_cast<std::size_t>(number)].type),
            .index = number};
  }

  int anyVariable() { return random_.below(static_cast<int>(scope_.variables.size())); }
  ElementType typeOf(int variable) const {
    return promoted(scope_.variables[static_cast<std::size_t>(variable)]);
  }

  Statements statements(int count) {
    Statements list;
    for (int i = 0; i < count && make_.budget > 0; ++i) list.push_back(statement());
    if (list.empty()) list.push_back(assignment());
    return list;
  }

  // The statements of a body within the present one.
  Statements body(int count, const Scope& scope) {
    const Scope outer = std::exchange(scope_, scope);
    ++scope_.nesting;
    Statements list = statements(count);
    scope_ = outer;
    return list;
  }
  Scope alone() const {
    Scope scope = scope_;
    scope.collective = false;
    return scope;
  }
  Scope inLoop() const {
    Scope scope = alone();
    scope.can_leave = true;
    ++scope.loops;
    return scope;
  }

  Statement statement() {
    if (scope_.collective && random_.chance(45))
      if (auto made = collective()) return *std::move(made);
    if (scope_.nesting < kDeepest && random_.chance(45)) return compound();
    if (scope_.can_leave && random_.chance(20))
      return {.kind = random_.pick({Kind::Break, Kind::Continue}), .a = make_.condition(scope_)};
    if (!scope_.in_function)
      if (auto made = memory()) return *std::move(made);
    return assignment();
  }

  Statement assignment() {
    const int v = anyVariable();
    return {.kind = random_.chance(60) ? Kind::Assign : Kind::Accumulate,
            .variable = v,
            .a = make_.value(typeOf(v), scope_, random_.between(1, 3))};
  }

  std::optional<Statement> memory() {
    const int v = anyVariable();
    const auto value = [&] { return make_.value(kInt, scope_, 1); };
    if (palette_.atomics && random_.chance(25)) {
      make_.budget -= tree_.accumulator == ElementType::Uint64 ? 14 : 3;
      return Statement{.kind = Kind::AtomicSum, .a = value(), .b = make_.value(kInt, scope_, 0)};
    }
    if (palette_.own_atomics && random_.chance(30)) {
      make_.budget -= 3;
      return Statement{
          .kind = Kind::AtomicOwn, .variable = v, .count = random_.below(6), .a = value()};
    }
    if (palette_.local && random_.chance(30)) {
      make_.budget -= 2;
      return Statement{.kind = Kind::StoreLocal, .a = value(), .b = make_.value(kInt, scope_, 0)};
    }
    if (random_.chance(6)) return Statement{.kind = Kind::StoreOwn, .a = value()};
    return std::nullopt;
  }

  Statement compound() {
    if (palette_.switches && random_.chance(30)) {
      const int cases = random_.between(2, 4);
      Statement s{.kind = Kind::Switch,
                  .count = random_.below(1 << cases) & random_.below(1 << cases),
                  .a = make_.value(kInt, scope_, 1)};
      make_.budget -= 2 * cases;
      for (int i = 0; i < cases; ++i) s.bodies.push_back(body(1, alone()));
      return s;
    }
    if (palette_.loops && random_.chance(50)) return loop();
    Statement s{.kind = Kind::If, .a = make_.condition(scope_)};
    make_.budget -= 2;
    s.bodies = {body(random_.between(1, 2), alone()), {}};
    if (random_.chance(40)) s.bodies[1] = body(random_.between(1, 2), alone());
    return s;
  }

  Statement loop() {
    Statement s{.kind = random_.pick({Kind::Loop, Kind::DataLoop, Kind::While}),
                .count = random_.between(2, 5)};
    make_.budget -= 4;
    if (s.kind == Kind::DataLoop) s.a = make_.value(kInt, scope_, 0);
    if (s.kind == Kind::While) s.a = make_.condition(scope_, 0);
    s.bodies = {body(random_.between(1, 3), inLoop())};
    return s;
  }

  std::optional<Statement> collective() {
    const int v = anyVariable();
    const auto value = [&] { return make_.value(typeOf(v), scope_, 1); };
    const auto chosen = [&](bool wanted, int percent, int cost) {
      if (!wanted || !random_.chance(percent)) return false;
      make_.budget -= cost;
      return true;
    };
    if (chosen(palette_.barriers, 55, 6))
      return Statement{.kind = Kind::Exchange,
                       .variable = v,
                       .a = value(),
                       .b = make_.value(kUnsigned, scope_, 1)};
    if (chosen(palette_.barriers, 25, 12))
      return Statement{.kind = Kind::Reduce, .variable = v, .a = value()};
    if (chosen(palette_.shared_atomics, 50, 12))
      return Statement{.kind = Kind::SharedSum,
                       .variable = v,
                       .count = random_.below(2),
                       .a = value(),
                       .b = make_.value(kInt, scope_, 0)};
    if (chosen(palette_.shuffles, 60, 3))
      return Statement{.kind = Kind::Shuffle,
                       .variable = v,
                       .count = random_.below(8),
                       .a = value(),
                       .b = make_.value(kInt, scope_, 0)};
    if (chosen(palette_.votes, 60, 2))
      return Statement{.kind = Kind::Vote,
                       .variable = v,
                       .count = random_.below(3),
                       .a = make_.condition(scope_)};
    if (chosen(palette_.block_votes, 40, 8))
      return Statement{.kind = Kind::BlockVote,
                       .variable = v,
                       .count = random_.below(3),
                       .a = make_.condition(scope_)};
    if (chosen(palette_.locks, 50, 12))
      return Statement{.kind = Kind::Locked, .variable = v, .a = value()};
    if (chosen(palette_.neighbours, 60, 5))
      return Statement{
          .kind = Kind::Neighbour, .variable = v, .count = random_.below(2), .a = value()};
    if (scope_.nesting >= 2 || !palette_.uniform_branches || !random_.chance(50))
      return std::nullopt;
    make_.budget -= 4;
    Scope inside = scope_;
    if (random_.chance(50)) {
      ++inside.loops;
      inside.can_leave = false;
      return Statement{.kind = Kind::UniformLoop,
                       .count = random_.between(2, 3),
                       .bodies = {body(random_.between(1, 2), inside)}};
    }
    Statement s{.kind = Kind::UniformIf, .a = make_.uniform()};
    s.bodies = {body(random_.between(1, 2), inside), {}};
    if (random_.chance(40)) s.bodies[1] = body(1, inside);
    return s;
  }

  Statement exit() {
    return {.kind = Kind::Exit, .a = make_.condition(scope_), .b = make_.value(kInt, scope_, 1)};
  }

  Random random_;
  Palette palette_;
  KernelTree tree_;
  ExpressionMaker make_{random_, palette_, tree_};
  Scope scope_;
};

}  // namespace

KernelTree generateTree(std::uint64_t number) { return Generator(number).run(); }

GeneratedKernel kernelOf(const KernelTree& tree) {
  return {tree.number, printKernel(tree), launchOf(tree), featuresOf(tree)};
}

GeneratedKernel generateKernel(std::uint64_t number) { return kernelOf(generateTree(number)); }

}  // namespace qgpu::fuzz::cuda
