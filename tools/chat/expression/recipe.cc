#include "tools/chat/expression/recipe.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "interpreter/isa/machine_parameters.h"

namespace qgpu::chat {
namespace {

using launch::Parameter;
using launch::scalarOf;

constexpr std::size_t kBlock = static_cast<std::size_t>(kMachine.blockThreads());
constexpr std::int64_t kWord = std::numeric_limits<std::int32_t>::max();

Parameter arrayOf(std::string name, const Value& value) {
  return launch::arrayOf(std::move(name), {value.elements.begin(), value.elements.end()});
}
Parameter zeros(std::string name, std::size_t n) {
  return launch::arrayOf(std::move(name), std::vector<std::int64_t>(n));
}
Parameter sizeOf(std::string name, std::size_t n) {
  return scalarOf(std::move(name), static_cast<std::int64_t>(n));
}

// The struct that kernels/elementwise.cu has for it.
std::string_view functor(Operation operation) {
  switch (operation) {
    case Operation::Add: return "Add";
    case Operation::Subtract: return "Subtract";
    case Operation::Multiply: return "Multiply";
    case Operation::Divide: return "Divide";
    case Operation::Remainder: return "Remainder";
    case Operation::Minimum: return "Minimum";
    case Operation::Maximum: return "Maximum";
    case Operation::Equal: return "Equal";
    case Operation::NotEqual: return "NotEqual";
    case Operation::Less: return "Less";
    case Operation::LessEqual: return "LessEqual";
    case Operation::Greater: return "Greater";
    case Operation::GreaterEqual: return "GreaterEqual";
    default: bug("an operation has a functor");
  }
}

Recipe elementwise(Operation operation, const Value& a, const Value& b) {
  const std::string of = '<' + std::string(functor(operation)) + '>';
  const std::size_t n = std::max(a.shape.count(), b.shape.count());
  Recipe recipe;
  recipe.file = "elementwise.cu";
  recipe.result = "a";
  recipe.threads = n;
  if (b.shape.isScalar()) {
    recipe.entry = "array_scalar" + of;
    recipe.parameters = {arrayOf("a", a), scalarOf("b", b.elements[0]), sizeOf("n", n)};
  } else if (a.shape.isScalar()) {
    recipe.entry = "scalar_array" + of;
    recipe.parameters = {scalarOf("a", a.elements[0]), arrayOf("b", b), sizeOf("n", n)};
    recipe.result = "b";
  } else {
    recipe.entry = "arrays" + of;
    recipe.parameters = {arrayOf("a", a), arrayOf("b", b), sizeOf("n", n)};
  }
  return recipe;
}

// a, n; the result takes a's place.
Recipe inPlace(std::string file, std::string entry, const Value& a, std::size_t threads) {
  return {.file = std::move(file),
          .entry = std::move(entry),
          .parameters = {arrayOf("a", a), sizeOf("n", a.shape.count())},
          .result = "a",
          .threads = threads};
}

// a, total, n in one thread block.
Recipe reduction(std::string entry, const Value& a, Parameter total) {
  const std::size_t n = a.shape.count();
  std::string result = total.name;
  return {.file = "reductions.cu",
          .entry = std::move(entry),
          .parameters = {arrayOf("a", a), std::move(total), sizeOf("n", n)},
          .result = std::move(result),
          .threads = n,
          .whole_block = true};
}

Recipe scan(const Value& a) {
  const std::size_t n = a.shape.count();
  const std::size_t chunk = (n + kBlock - 1) / kBlock;
  return {.file = "lists.cu",
          .entry = "scan",
          .parameters = {arrayOf("a", a), sizeOf("n", n), sizeOf("chunk", chunk)},
          .result = "a",
          .threads = (n + chunk - 1) / chunk,
          .whole_block = true};
}

Recipe sort(const Value& a) {
  Recipe recipe = inPlace("lists.cu", "sort", a, std::max<std::size_t>(a.shape.count() / 2, 1));
  recipe.whole_block = true;
  return recipe;
}

Recipe transpose(const Value& a) {
  return {.file = "lists.cu",
          .entry = "transpose",
          .parameters = {arrayOf("a", a), zeros("out", a.shape.count()),
                         sizeOf("rows", a.shape.rows), sizeOf("columns", a.shape.columns)},
          .result = "out",
          .threads = a.shape.count()};
}

Recipe product(const Step& step, const Value& a, const Value& b) {
  if (step.shape.isScalar())
    return {.file = "reductions.cu",
            .entry = "dot",
            .parameters = {arrayOf("a", a), arrayOf("b", b), zeros("total", 2),
                           sizeOf("n", a.shape.count())},
            .result = "total",
            .threads = a.shape.count(),
            .whole_block = true};
  const std::size_t n = step.shape.count();
  const std::size_t columns = b.shape.isList() ? 1 : b.shape.columns;
  return {
      .file = "lists.cu",
      .entry = "matmul",
      .parameters = {arrayOf("a", a), arrayOf("b", b), zeros("out", n),
                     sizeOf("inner", a.shape.columns), sizeOf("columns", columns), sizeOf("n", n)},
      .result = "out",
      .threads = n};
}

}  // namespace

launch::Dim3 Recipe::block() const {
  return {static_cast<std::uint32_t>(std::min(threads, kBlock)), 1, 1};
}
launch::Dim3 Recipe::grid() const {
  const std::size_t blocks = whole_block ? 1 : (threads + kBlock - 1) / kBlock;
  return {static_cast<std::uint32_t>(blocks), 1, 1};
}

Recipe recipeFor(const Step& step, const std::vector<Value>& operands) {
  const Value& a = operands[0];
  const std::size_t n = a.shape.count();
  switch (step.operation) {
    case Operation::Negate: return inPlace("elementwise.cu", "negate", a, n);
    case Operation::Absolute: return inPlace("elementwise.cu", "absolute", a, n);
    case Operation::Sum: return reduction("sum", a, zeros("total", 2));
    case Operation::Count: return reduction("count", a, zeros("total", 1));
    case Operation::Product: return inPlace("reductions.cu", "prod", a, 1);
    case Operation::Smallest: return reduction("smallest", a, launch::arrayOf("extreme", {kWord}));
    case Operation::Largest:
      return reduction("largest", a, launch::arrayOf("extreme", {-kWord - 1}));
    case Operation::Scan: return scan(a);
    case Operation::Sort: return sort(a);
    case Operation::Reverse:
      return inPlace("lists.cu", "reverse", a, std::max<std::size_t>(n / 2, 1));
    case Operation::Transpose: return transpose(a);
    case Operation::Dot:
    case Operation::MatrixMultiply: return product(step, a, operands[1]);
    default: return elementwise(step.operation, a, operands[1]);
  }
}

}  // namespace qgpu::chat
