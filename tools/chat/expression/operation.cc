#include "tools/chat/expression/operation.h"

#include <algorithm>
#include <array>

namespace qgpu::chat {
namespace {

using enum Operation;

constexpr std::array kOperators = {
    Operator{"==", Equal, 1},        Operator{"!=", NotEqual, 1}, Operator{"<=", LessEqual, 1},
    Operator{">=", GreaterEqual, 1}, Operator{"<", Less, 1},      Operator{">", Greater, 1},
    Operator{"+", Add, 2},           Operator{"-", Subtract, 2},  Operator{"*", Multiply, 3},
    Operator{"/", Divide, 3},        Operator{"%", Remainder, 3}, Operator{"@", MatrixMultiply, 3},
};

constexpr std::size_t kMostArguments = 8;

// In alphabetical order; no name begins another.
constexpr std::array kFunctions = {
    Function{"abs", Absolute},
    Function{"count", Count, {}, 1, 1, "len"},
    Function{"dot", Dot, Dot, 2, 2},
    Function{"matmul", MatrixMultiply, MatrixMultiply, 2, 2},
    Function{"max", Largest, Maximum, 1, kMostArguments},
    Function{"min", Smallest, Minimum, 1, kMostArguments},
    Function{"prod", Product, {}, 1, 1, "product"},
    Function{"reverse", Reverse, {}, 1, 1, "reversed"},
    Function{"scan", Scan, {}, 1, 1, "cumsum"},
    Function{"sort", Sort, {}, 1, 1, "sorted"},
    Function{"sum", Sum},
    Function{"transpose", Transpose},
};

}  // namespace

std::span<const Operator> operators() { return kOperators; }
std::span<const Function> functions() { return kFunctions; }

const Operator* operatorAt(std::string_view text) {
  const auto found =
      std::ranges::find_if(kOperators, [&](const Operator& o) { return text.starts_with(o.text); });
  return found == kOperators.end() ? nullptr : &*found;
}

const Function* functionNamed(std::string_view name) {
  const auto found = std::ranges::find_if(
      kFunctions, [&](const Function& f) { return f.name == name || f.another_name == name; });
  return found == kFunctions.end() ? nullptr : &*found;
}

std::string_view spelling(Operation operation) {
  if (operation == Negate) return "-";
  for (const Function& f : kFunctions)
    if (f.of_one == operation || f.of_more == operation) return f.name;
  for (const Operator& o : kOperators)
    if (o.operation == operation) return o.text;
  return "a value";
}

}  // namespace qgpu::chat
