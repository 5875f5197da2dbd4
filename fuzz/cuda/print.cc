#include "fuzz/cuda/print.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "fuzz/cuda/features.h"
#include "fuzz/cuda/print_expression.h"
#include "fuzz/cuda/walk.h"
#include "interpreter/base/failure.h"
#include "interpreter/testing/random.h"

namespace qgpu::fuzz::cuda {
namespace {

using Kind = Statement::Kind;

constexpr auto kInt = ElementType::Int;
constexpr auto kUnsigned = ElementType::Unsigned;
constexpr int kAccumulators = 4;
constexpr int kSharedSums = 2;

std::string_view atomicName(Atomic atomic) {
  constexpr std::array<std::string_view, 6> kNames = {"atomicAdd", "atomicMin", "atomicMax",
                                                      "atomicAnd", "atomicOr",  "atomicXor"};
  return kNames[static_cast<std::size_t>(atomic)];
}

// Which of the names that a kernel shares among its statements it needs.
struct Uses {
  bool accumulators = false, exchange = false, neighbours = false, locked = false,
       shared_sums = false, local = false;
};
Uses usesOf(const KernelTree& tree) {
  Uses uses;
  visitStatements(tree, [&](const Statement& s) {
    uses.accumulators |= s.kind == Kind::AtomicSum;
    uses.exchange |= s.kind == Kind::Exchange || s.kind == Kind::Reduce;
    uses.locked |= s.kind == Kind::Locked;
    uses.neighbours |= s.kind == Kind::Neighbour;
    uses.shared_sums |= s.kind == Kind::SharedSum;
    uses.local |= s.kind == Kind::StoreLocal;
  });
  visitExpressions(tree, [&](const Expression& e) { uses.local |= e.op == Op::Local; });
  return uses;
}

class Printer {
 public:
  explicit Printer(const KernelTree& tree) : tree_(tree) {}

  std::string function(int number) {
    const DeviceFunction& f = tree_.functions[static_cast<std::size_t>(number)];
    std::string parameters;
    types_.clear();
    for (const ElementType type : f.parameters) {
      parameters += fmt::format("{}{} v{}", types_.empty() ? "" : ", ", cName(type), types_.size());
      types_.push_back(type);
    }
    line("__device__ {} f{}_{}({}) {{", cName(promoted(f.result.type)), tree_.number, number,
         parameters);
    inner(f.body, [&] { line("return {};", expressions().as(promoted(f.result.type), f.result)); });
    line("}}");
    return std::move(text_);
  }

  std::string kernel(const launch::Launch& launch) {
    line("__global__ void {}({}) {{", launch.entry, parametersOf(launch));
    types_.clear();
    ++depth_;
    declare(usesOf(tree_));
    statements(tree_.body);
    line("out[g] = {};", expressions().as(tree_.output, tree_.result));
    --depth_;
    line("}}");
    return std::move(text_);
  }

 private:
  template <typename... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    text_.append(2 * static_cast<std::size_t>(depth_), ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_ += '\n';
  }

  ExpressionPrinter expressions() const { return {tree_, loops_}; }
  std::string value(int variable, const Expression& e) const {
    return expressions().as(typeOf(variable), e);
  }
  ElementType typeOf(int variable) const { return types_[static_cast<std::size_t>(variable)]; }

  static std::string parametersOf(const launch::Launch& launch) {
    std::string list;
    for (const launch::Parameter& p : launch.parameters) {
      const bool array = p.kind == launch::ParameterKind::Array;
      list += fmt::format("{}{}{} {}{}", list.empty() ? "" : ", ",
                          p.name.starts_with("in") ? "const " : "", cName(p.type), array ? "*" : "",
                          p.name);
    }
    return list;
  }

  void declare(const Uses& uses) {
    if (uses.exchange) line("__shared__ unsigned s[{}];", tree_.threads());
    if (uses.locked) line("__shared__ unsigned m[2];");
    if (uses.neighbours) line("__shared__ unsigned w[{}];", tree_.threads() + 1);
    if (uses.shared_sums) line("__shared__ unsigned c[{}];", kSharedSums);
    line("int t = {};",
         tree_.block.y == 1 ? "threadIdx.x" : "threadIdx.y * blockDim.x + threadIdx.x");
    line("int g = {} * {} + t;",
         tree_.grid.y == 1 ? "blockIdx.x" : "(blockIdx.y * gridDim.x + blockIdx.x)",
         tree_.block.y == 1 ? "blockDim.x" : fmt::format("{}", tree_.threads()));
    if (uses.local) {
      line("int l[{}];", tree_.local_words);
      line("for (int i = 0; i < {}; ++i) l[i] = t + i;", tree_.local_words);
    }
    for (const Variable& v : tree_.variables) {
      line("{} v{} = {};", cName(v.type), types_.size(), expressions().as(v.type, v.initial));
      types_.push_back(v.type);
    }
  }

  template <typename Last>
  void inner(const Statements& body, const Last& last) {
    ++depth_;
    statements(body);
    last();
    --depth_;
  }
  void inner(const Statements& body) {
    inner(body, [] {});
  }
  // A thread may leave a loop by itself, unless the others would wait for it in there.
  void loop(const std::string& head, const Statements& body, bool can_leave = true) {
    line("{} {{", head);
    ++loops_;
    const bool outer = std::exchange(can_leave_, can_leave);
    inner(body);
    can_leave_ = outer;
    --loops_;
    line("}}");
  }

  void statements(const Statements& list) {
    for (const Statement& s : list) statement(s);
  }

  void statement(const Statement& s) {
    if (isCollective(s.kind)) return collective(s);
    switch (s.kind) {
      case Kind::Assign: return line("v{} = {};", s.variable, value(s.variable, s.a));
      case Kind::Accumulate: {
        const ElementType type = unsignedOf(promoted(typeOf(s.variable)));
        return line("v{0} = ({1})(({2})v{0} + {3});", s.variable, cName(typeOf(s.variable)),
                    cName(type), expressions().as(type, s.a));
      }
      case Kind::StoreLocal:
        return line("l[{}] = {};", expressions().below(tree_.local_words, s.b),
                    expressions().as(kInt, s.a));
      case Kind::StoreOwn: return line("out[g] = {};", expressions().as(tree_.output, s.a));
      case Kind::If: return branch(s);
      case Kind::Loop:
      case Kind::DataLoop:
      case Kind::While: return loopStatement(s);
      case Kind::Break:
      case Kind::Continue:
        if (can_leave_)
          line("if ({}) {};", expressions().condition(s.a),
               s.kind == Kind::Break ? "break" : "continue");
        return;
      case Kind::Switch: return choice(s);
      case Kind::AtomicSum:
        return line("{}(&acc[{}], {});", atomicName(tree_.atomic),
                    expressions().below(kAccumulators, s.b),
                    expressions().as(tree_.accumulator, s.a));
      case Kind::AtomicOwn:
        return line("v{} = {}(&out[g], {});", s.variable, atomicName(static_cast<Atomic>(s.count)),
                    expressions().as(tree_.output, s.a));
      case Kind::Exit:
        line("if ({}) {{", expressions().condition(s.a));
        inner({}, [&] {
          line("out[g] = {};", expressions().as(tree_.output, s.b));
          line("return;");
        });
        return line("}}");
      default: bug("a statement of one thread");
    }
  }

  void branch(const Statement& s) {
    line("if ({}) {{", expressions().condition(s.a));
    inner(s.bodies[0]);
    if (!s.bodies[1].empty()) {
      line("}} else {{");
      inner(s.bodies[1]);
    }
    line("}}");
  }

  std::string countingHead(int count) const {
    return fmt::format("for (int i{0} = 0; i{0} < {1}; ++i{0})", loops_, count);
  }

  void loopStatement(const Statement& s) {
    const std::string i = fmt::format("i{}", loops_);
    if (s.kind == Kind::Loop) return loop(countingHead(s.count), s.bodies[0]);
    if (s.kind == Kind::DataLoop)
      return loop(fmt::format("for (int {0} = 0; {0} < (int)({1}); ++{0})", i,
                              expressions().below(s.count + 1, s.a)),
                  s.bodies[0]);
    loop(fmt::format("for (int {0} = 0; {0} < {1} && ({2}); ++{0})", i, s.count,
                     expressions().condition(s.a)),
         s.bodies[0]);
  }

  void choice(const Statement& s) {
    const int cases = static_cast<int>(s.bodies.size());
    line("switch ({}) {{", expressions().below(cases, s.a));
    for (int i = 0; i < cases; ++i) {
      line("  {}:", i == cases - 1 ? "default" : fmt::format("case {}", i));
      ++depth_;
      inner(s.bodies[static_cast<std::size_t>(i)]);
      if ((s.count >> i & 1) == 0) line("  break;");
      --depth_;
    }
    line("}}");
  }

  void collective(const Statement& s) {
    switch (s.kind) {
      case Kind::UniformIf: return branch(s);
      case Kind::UniformLoop: return loop(countingHead(s.count), s.bodies[0], false);
      case Kind::Locked: return locked(s);
      case Kind::Neighbour: return neighbour(s);
      case Kind::Shuffle: return shuffle(s);
      case Kind::Vote: return vote(s);
      case Kind::BlockVote: return blockVote(s);
      default: break;
    }
    const ElementType type = typeOf(s.variable);
    const std::string a = expressions().as(kUnsigned, s.a);
    if (s.kind == Kind::SharedSum) {
      line("if (t < {}) c[t] = t + 1000u;", kSharedSums);
      line("__syncthreads();");
      line("{}(&c[{}], {});", atomicName(tree_.atomic), expressions().below(kSharedSums, s.b), a);
      line("__syncthreads();");
      line("v{} = ({})c[{}];", s.variable, cName(type), s.count % kSharedSums);
    } else {
      line("s[t] = {};", a);
      line("__syncthreads();");
      if (s.kind == Kind::Reduce) {
        line("for (int h = {}; h > 0; h >>= 1) {{", tree_.threads() / 2);
        line("  if (t < h) s[t] += s[t + h];");
        line("  __syncthreads();");
        line("}}");
        line("v{} = ({})s[0];", s.variable, cName(type));
      } else {
        line("v{} = ({})s[{}];", s.variable, cName(type),
             expressions().below(tree_.threads(), s.b));
      }
    }
    line("__syncthreads();");
  }

  void locked(const Statement& s) {
    line("if (t == 0) m[0] = 0u, m[1] = 7u;");
    line("__syncthreads();");
    line("while (atomicCAS(&m[0], 0u, 1u) != 0u) {{}}");
    line("m[1] += {};", expressions().as(kUnsigned, s.a));
    line("__threadfence_block();");
    line("atomicExch(&m[0], 0u);");
    line("__syncthreads();");
    line("v{} = ({})m[1];", s.variable, cName(typeOf(s.variable)));
    line("__syncthreads();");
  }

  // Each lane writes one word and reads the next one to it, so that a thread's own accesses are to
  // different words. Warps of 32 lanes hold the groups of four whole.
  void neighbour(const Statement& s) {
    const bool before = s.count == 0;
    line("w[{}] = {};", before ? "t + 1" : "t", expressions().as(kUnsigned, s.a));
    line("__syncwarp();");
    line("if ({}) v{} = ({})w[{}];",
         before ? "t % 4 != 0" : fmt::format("t % 4 != 3 && t < {}", tree_.threads() - 1),
         s.variable, cName(typeOf(s.variable)), before ? "t" : "t + 1");
    line("__syncwarp();");
  }

  // All threads of the thread block that there are.
  std::string members() const {
    const int threads = tree_.threads();
    return threads == 32 ? "0xffffffffu" : fmt::format("0x{:x}u", (1u << threads) - 1);
  }

  void shuffle(const Statement& s) {
    constexpr std::array<std::string_view, 4> kForms = {"", "_up", "_down", "_xor"};
    line("v{} = ({})__shfl{}_sync({}, {}, {}, {});", s.variable, cName(typeOf(s.variable)),
         kForms[static_cast<std::size_t>(s.count % 4)], members(), expressions().as(kInt, s.a),
         expressions().below(4, s.b), s.count >= 4 ? 2 : 4);
  }

  void vote(const Statement& s) {
    constexpr std::array<std::string_view, 3> kForms = {"__all", "__any", "__ballot"};
    line("v{} = ({}){}_sync({}, {});", s.variable, cName(typeOf(s.variable)),
         kForms[static_cast<std::size_t>(s.count % 3)], members(), expressions().condition(s.a));
  }

  void blockVote(const Statement& s) {
    constexpr std::array<std::string_view, 3> kForms = {"count", "and", "or"};
    line("v{} = ({})__syncthreads_{}({});", s.variable, cName(typeOf(s.variable)),
         kForms[static_cast<std::size_t>(s.count % 3)], expressions().condition(s.a));
  }

  const KernelTree& tree_;
  std::string text_;
  std::vector<ElementType> types_;  // of the variables in sight
  int depth_ = 0;
  int loops_ = 0;
  bool can_leave_ = false;  // in a loop, alone
};

std::vector<std::int64_t> initialWords(const KernelTree& tree, int count) {
  isatest::Random random(tree.data);
  std::vector<std::int64_t> words(static_cast<std::size_t>(count));
  for (std::int64_t& word : words) word = random.below(1000);
  return words;
}

}  // namespace

bool isCollective(Statement::Kind kind) { return kind >= Kind::Exchange; }

std::string kernelName(std::uint64_t number) { return fmt::format("k{}", number); }

std::string printKernel(const KernelTree& tree) {
  std::string text;
  for (std::size_t i = 0; i < tree.functions.size(); ++i)
    text += Printer(tree).function(static_cast<int>(i)) + "\n";
  return text + Printer(tree).kernel(launchOf(tree));
}

launch::Launch launchOf(const KernelTree& tree) {
  launch::Launch launch;
  launch.name = launch.entry = kernelName(tree.number);
  launch.kernel = launch.entry + ".cu";
  launch.grid = tree.grid;
  launch.block = tree.block;
  launch.parameters = tree.inputs;
  if (usesOf(tree).accumulators)
    launch.parameters.push_back(
        launch::arrayOf("acc", initialWords(tree, kAccumulators), tree.accumulator));
  launch.parameters.push_back(
      launch::arrayOf("out", initialWords(tree, tree.threads() * tree.blocks()), tree.output));
  for (std::size_t i = 0; i < tree.scalars.size(); ++i)
    launch.parameters.push_back(launch::scalarOf(fmt::format("n{}", i), tree.scalars[i]));
  return launch;
}

}  // namespace qgpu::fuzz::cuda
