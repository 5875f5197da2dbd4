#include "compiler/lower/testing/random_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace qgpu::lower::testing {
namespace {

using Kind = Statement::Kind;

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  Words input() {
    Words words;
    for (int i = 0; i < RandomKernel::kInputs; ++i) words.push_back(constant());
    return words;
  }

  Statements list(int depth) {
    Statements statements;
    for (int n = below(depth == 0 ? 5 : 3) + (depth == 0 ? 2 : 1); n > 0; --n)
      statements.push_back(statement(depth));
    return statements;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  int variable() { return below(RandomKernel::kVariables); }

  std::uint32_t constant() {
    switch (below(4)) {
      case 0: return static_cast<std::uint32_t>(below(6));
      case 1: return std::uint32_t{1} << below(32);
      case 2: return 0u - static_cast<std::uint32_t>(below(40));
      default: return static_cast<std::uint32_t>(random_());
    }
  }
  Operand operand() { return below(3) == 0 ? Operand{-1, constant()} : Operand{variable(), 0}; }
  Condition condition() {
    return {static_cast<Relation>(below(6)), below(2) == 0, {variable(), 0}, operand()};
  }

  Statement statement(int depth) {
    Statement s;
    const int choice = below(depth < 2 ? 20 : 13);
    constexpr Kind kKinds[] = {Kind::Assign,  Kind::Assign,  Kind::Assign, Kind::Assign,
                               Kind::Guarded, Kind::Guarded, Kind::Select, Kind::Permute,
                               Kind::Permute, Kind::Load,    Kind::Keep,   Kind::Fetch,
                               Kind::Assign,  Kind::If,      Kind::If,     Kind::If,
                               Kind::Loop,    Kind::Loop,    Kind::Loop,   Kind::If};
    s.kind = kKinds[choice];
    s.variable = variable();
    s.op = static_cast<Op>(below(static_cast<int>(Op::kCount)));
    s.a = operand();
    s.b = operand();
    s.c = operand();
    s.condition = condition();
    if (s.kind == Kind::Permute) permute(s);
    if (s.kind == Kind::If || s.kind == Kind::Loop) s.then = list(depth + 1);
    if (s.kind == Kind::If && below(2) == 0) s.otherwise = list(depth + 1);
    if (s.kind == Kind::Loop) s.count = 1 + below(4);
    return s;
  }

  // A rotation of two to six variables, in any order.
  void permute(Statement& s) {
    s.permutation.resize(RandomKernel::kVariables);
    std::iota(s.permutation.begin(), s.permutation.end(), 0);
    std::vector<int> ring = s.permutation;
    for (std::size_t n = ring.size(); n > 1; --n)
      std::swap(ring[n - 1], ring[static_cast<std::size_t>(below(static_cast<int>(n)))]);
    ring.resize(2 + static_cast<std::size_t>(below(5)));
    for (std::size_t n = 0; n < ring.size(); ++n)
      s.permutation[static_cast<std::size_t>(ring[n])] = ring[(n + 1) % ring.size()];
  }

  std::mt19937 random_;
};

// ---- as C++ ----------------------------------------------------------------------------------

class Thread {
 public:
  Thread(const Words& input, std::uint32_t number) : input_(input) {
    for (std::uint32_t v = 0; v < RandomKernel::kVariables; ++v)
      variables_.push_back(number * 3 + v + input[v]);
  }

  const Words& run(const Statements& statements) {
    for (const Statement& s : statements) step(s);
    return variables_;
  }

 private:
  std::uint32_t value(Operand o) const {
    return o.variable < 0 ? o.constant : variables_[static_cast<std::size_t>(o.variable)];
  }

  bool holds(const Condition& c) const {
    const std::int64_t a = c.is_signed ? std::int64_t{static_cast<std::int32_t>(value(c.a))}
                                       : std::int64_t{value(c.a)};
    const std::int64_t b = c.is_signed ? std::int64_t{static_cast<std::int32_t>(value(c.b))}
                                       : std::int64_t{value(c.b)};
    switch (c.relation) {
      case Relation::Eq: return a == b;
      case Relation::Ne: return a != b;
      case Relation::Lt: return a < b;
      case Relation::Le: return a <= b;
      case Relation::Gt: return a > b;
      case Relation::Ge: return a >= b;
    }
    return false;
  }

  static std::uint32_t apply(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
    const std::uint64_t wide = std::uint64_t{a} << 32 | b;
    const auto high = [](auto product) { return static_cast<std::uint32_t>(product >> 32); };
    switch (op) {
      case Op::Add: return a + b;
      case Op::Sub: return a - b;
      case Op::Mul: return a * b;
      case Op::MulHigh: return high(std::uint64_t{a} * b);
      case Op::MulHighSigned: return high(std::int64_t{sa} * sb);
      case Op::Mad: return a * b + c;
      case Op::And: return a & b;
      case Op::Or: return a | b;
      case Op::Xor: return a ^ b;
      case Op::Not: return ~a;
      case Op::ShiftLeft: return b > 31 ? 0 : a << b;
      case Op::ShiftRight: return b > 31 ? 0 : a >> b;
      case Op::ShiftRightSigned: return static_cast<std::uint32_t>(sa >> std::min(b, 31u));
      case Op::MinSigned: return static_cast<std::uint32_t>(std::min(sa, sb));
      case Op::MaxUnsigned: return std::max(a, b);
      case Op::Divide: return a / (b | 1);
      case Op::Remainder: return a % (b | 1);
      case Op::DivideSigned:
        return static_cast<std::uint32_t>(std::int64_t{sa} /
                                          std::int64_t{static_cast<std::int32_t>(b | 1)});
      case Op::Popcount: return static_cast<std::uint32_t>(std::popcount(a));
      case Op::LeadingZeros: return static_cast<std::uint32_t>(std::countl_zero(a));
      case Op::Byte: return a >> 8 & 255;
      case Op::WideAdd: return high(wide + (std::uint64_t{c} << 32 | a));
      case Op::WideProduct: return high(std::uint64_t{a} * b) ^ (a * b);
      case Op::WideShift: return high(wide << (c & 31));
      case Op::kCount: break;
    }
    return 0;
  }

  void step(const Statement& s) {
    std::uint32_t& target = variables_[static_cast<std::size_t>(s.variable)];
    switch (s.kind) {
      case Kind::Guarded:
        if (!holds(s.condition)) return;
        [[fallthrough]];
      case Kind::Assign: target = apply(s.op, value(s.a), value(s.b), value(s.c)); return;
      case Kind::Select: target = holds(s.condition) ? value(s.a) : value(s.b); return;
      case Kind::Permute: {
        const Words old = variables_;
        for (std::size_t v = 0; v < old.size(); ++v)
          variables_[v] = old[static_cast<std::size_t>(s.permutation[v])];
        return;
      }
      case Kind::Load: target = input_[value(s.a) & 7]; return;
      case Kind::Keep: scratch_[value(s.a) & 3] = value(s.b); return;
      case Kind::Fetch: target = scratch_[value(s.a) & 3]; return;
      case Kind::If: run(holds(s.condition) ? s.then : s.otherwise); return;
      case Kind::Loop:
        for (int n = 0; n < s.count; ++n) {
          run(s.then);
          if (holds(s.condition)) return;
        }
    }
  }

  const Words& input_;
  Words variables_;
  Words scratch_ = Words(RandomKernel::kScratch, 0);
};

// ---- as PTX ----------------------------------------------------------------------------------
// %a0..5 are the variables, %a6 the thread's number, %a7.. temporaries, %w0 the thread's scratch.

class Writer {
 public:
  std::string write(const Statements& statements) {
    line("mov.u32 %a6, %tid.x");
    line("mul.wide.u32 %w0, %a6, {}", 4 * RandomKernel::kScratch);
    line("add.s64 %w0, %p1, %w0");
    for (int v = 0; v < RandomKernel::kVariables; ++v) {
      line("ld.global.u32 %a7, [%p0+{}]", 4 * v);
      line("mad.lo.u32 %a{}, %a6, 3, {}", v, v);
      line("add.u32 %a{0}, %a{0}, %a7", v);
    }
    list(statements);
    line("mul.wide.u32 %w1, %a6, {}", 4 * RandomKernel::kVariables);
    line("add.s64 %w1, %p2, %w1");
    for (int v = 0; v < RandomKernel::kVariables; ++v)
      line("st.global.u32 [%w1+{}], %a{}", 4 * v, v);
    return text_;
  }

 private:
  template <typename... Arguments>
  void line(std::string_view format, const Arguments&... arguments) {
    text_ += fmt::vformat(format, fmt::make_format_args(arguments...)) + ";\n";
  }
  void label(int n) { text_ += fmt::format("L{}:\n", n); }

  static std::string text(Operand o) {
    return o.variable < 0 ? std::to_string(o.constant) : fmt::format("%a{}", o.variable);
  }

  int test(const Condition& c) {
    constexpr std::string_view kNames[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    const int q = predicates_++ % 40;
    line("setp.{}.{}32 %q{}, {}, {}", kNames[static_cast<std::size_t>(c.relation)],
         c.is_signed ? 's' : 'u', q, text(c.a), text(c.b));
    return q;
  }

  // The operation, with what writes the variable under `guard`.
  void operation(const Statement& s, std::string_view guard) {
    const std::string a = text(s.a), b = text(s.b), c = text(s.c);
    const std::string d = fmt::format("%a{}", s.variable);
    const auto plain = [&](std::string_view name) {
      line("{}{} {}, {}, {}", guard, name, d, a, b);
    };
    const auto division = [&](std::string_view name) {
      line("or.b32 %a8, {}, 1", b);
      line("{}{} {}, {}, %a8", guard, name, d, a);
    };
    switch (s.op) {
      case Op::Add: return plain("add.u32");
      case Op::Sub: return plain("sub.s32");
      case Op::Mul: return plain("mul.lo.u32");
      case Op::MulHigh: return plain("mul.hi.u32");
      case Op::MulHighSigned: return plain("mul.hi.s32");
      case Op::Mad: return line("{}mad.lo.u32 {}, {}, {}, {}", guard, d, a, b, c);
      case Op::And: return plain("and.b32");
      case Op::Or: return plain("or.b32");
      case Op::Xor: return plain("xor.b32");
      case Op::Not: return line("{}not.b32 {}, {}", guard, d, a);
      case Op::ShiftLeft: return plain("shl.b32");
      case Op::ShiftRight: return plain("shr.u32");
      case Op::ShiftRightSigned: return plain("shr.s32");
      case Op::MinSigned: return plain("min.s32");
      case Op::MaxUnsigned: return plain("max.u32");
      case Op::Divide: return division("div.u32");
      case Op::Remainder: return division("rem.u32");
      case Op::DivideSigned: return division("div.s32");
      case Op::Popcount: return line("{}popc.b32 {}, {}", guard, d, a);
      case Op::LeadingZeros: return line("{}clz.b32 {}, {}", guard, d, a);
      case Op::Byte: return line("{}bfe.u32 {}, {}, 8, 8", guard, d, a);
      default: return wideOperation(s, guard);
    }
  }

  void wideOperation(const Statement& s, std::string_view guard) {
    const std::string a = text(s.a), b = text(s.b), c = text(s.c);
    if (s.op == Op::WideProduct) {
      line("mul.wide.u32 %w2, {}, {}", registerOf(s.a, 10), b);
      line("mov.b64 {{%a8, %a9}}, %w2");
      return line("{}xor.b32 %a{}, %a8, %a9", guard, s.variable);
    }
    pair("%w2", b, a);
    if (s.op == Op::WideAdd) {
      pair("%w3", a, c);
      line("add.s64 %w2, %w2, %w3");
    } else {
      line("and.b32 %a8, {}, 31", c);
      line("shl.b64 %w2, %w2, %a8");
    }
    line("{}mov.b64 {{%a9, %a{}}}, %w2", guard, s.variable);
  }

  void pair(std::string_view wide, const std::string& low, const std::string& high) {
    line("mov.u32 %a8, {}", low);
    line("mov.u32 %a9, {}", high);
    line("mov.b64 {}, {{%a8, %a9}}", wide);
  }

  std::string registerOf(Operand o, int temporary) {
    line("mov.u32 %a{}, {}", temporary, text(o));
    return fmt::format("%a{}", temporary);
  }

  // The address of word `o` & mask of an array.
  void address(Operand o, int mask, std::string_view array) {
    line("and.b32 %a8, {}, {}", text(o), mask);
    line("mul.wide.u32 %w1, %a8, 4");
    line("add.s64 %w1, {}, %w1", array);
  }

  void list(const Statements& statements) {
    for (const Statement& s : statements) write(s);
  }

  void write(const Statement& s) {
    switch (s.kind) {
      case Kind::Assign: return operation(s, "");
      case Kind::Guarded: return operation(s, fmt::format("@%q{} ", test(s.condition)));
      case Kind::Select: {
        const int q = test(s.condition);
        return line("selp.b32 %a{}, {}, {}, %q{}", s.variable, text(s.a), text(s.b), q);
      }
      case Kind::Permute:
        for (int v = 0; v < RandomKernel::kVariables; ++v) line("mov.u32 %a{}, %a{}", 20 + v, v);
        for (int v = 0; v < RandomKernel::kVariables; ++v)
          line("mov.u32 %a{}, %a{}", v, 20 + s.permutation[static_cast<std::size_t>(v)]);
        return;
      case Kind::Load: address(s.a, 7, "%p0"); return line("ld.global.u32 %a{}, [%w1]", s.variable);
      case Kind::Keep: address(s.a, 3, "%w0"); return line("st.global.u32 [%w1], {}", text(s.b));
      case Kind::Fetch:
        address(s.a, 3, "%w0");
        return line("ld.global.u32 %a{}, [%w1]", s.variable);
      case Kind::If: return branch(s);
      case Kind::Loop: return loop(s);
    }
  }

  void branch(const Statement& s) {
    const int otherwise = labels_++, end = labels_++;
    const int q = test(s.condition);
    line("@!%q{} bra L{}", q, otherwise);
    list(s.then);
    line("bra L{}", end);
    label(otherwise);
    list(s.otherwise);
    label(end);
  }

  void loop(const Statement& s) {
    const int again = labels_++, end = labels_++;
    const int counter = 30 + counters_++ % 10;
    line("mov.u32 %a{}, 0", counter);
    label(again);
    list(s.then);
    line("@%q{} bra L{}", test(s.condition), end);
    line("add.u32 %a{0}, %a{0}, 1", counter);
    const int q = predicates_++ % 40;
    line("setp.lt.u32 %q{}, %a{}, {}", q, counter, s.count);
    line("@%q{} bra L{}", q, again);
    label(end);
  }

  std::string text_;
  int labels_ = 0, predicates_ = 0, counters_ = 0;
};

}  // namespace

RandomKernel::RandomKernel(std::uint32_t seed) {
  Generator generator(seed);
  input_ = generator.input();
  statements_ = generator.list(0);
}

PtxLaunch RandomKernel::launch() const {
  return {.ptx = kernelText(3, 0, Writer().write(statements_)),
          .arrays = {input_, Words(std::size_t{kThreads} * kScratch, 0),
                     Words(std::size_t{kThreads} * kVariables, 0)}};
}

Words RandomKernel::expected() const {
  Words out;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    Thread thread(input_, t);
    const Words& variables = thread.run(statements_);
    out.insert(out.end(), variables.begin(), variables.end());
  }
  return out;
}

}  // namespace qgpu::lower::testing
