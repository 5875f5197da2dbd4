#include "tools/chat/expression/plain_evaluation.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace qgpu::chat::testing {
namespace {

using Row = std::vector<std::int64_t>;

bool fits(std::int64_t value) { return value >= -2147483648LL && value <= 2147483647LL; }

// Notes what does not fit, and goes on with something that does.
std::int64_t kept(Plain& plain, std::int64_t value) {
  if (fits(value)) return value;
  plain.traps = true;
  return 0;
}

std::string textOf(int rank, const std::vector<Row>& rows) {
  if (rank == 0) return std::to_string(rows[0][0]);
  std::string text;
  for (const Row& row : rows) {
    text += text.empty() ? "[" : ", [";
    for (std::size_t i = 0; i < row.size(); ++i) text += (i ? ", " : "") + std::to_string(row[i]);
    text += "]";
  }
  return rank == 2 ? "[" + text + "]" : text;
}

std::int64_t paired(Plain& out, const std::string& op, std::int64_t a, std::int64_t b) {
  if ((op == "/" || op == "%") && b == 0) {
    out.traps = true;
    return 0;
  }
  if (op == "+") return kept(out, a + b);
  if (op == "-") return kept(out, a - b);
  if (op == "*") return kept(out, a * b);
  if (op == "/") return kept(out, a / b);
  if (op == "%") return a % b;
  if (op == "min") return std::min(a, b);
  if (op == "max") return std::max(a, b);
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  return op == ">" ? a > b : a >= b;
}

Plain reduced(const std::string& name, const Plain& a) {
  Plain out{name + "(" + a.text + ")", 0, {{0}}, a.traps};
  const Row all = a.flat();
  std::int64_t& result = out.rows[0][0];
  if (name == "sum") result = kept(out, std::accumulate(all.begin(), all.end(), std::int64_t{0}));
  if (name == "min") result = *std::min_element(all.begin(), all.end());
  if (name == "max") result = *std::max_element(all.begin(), all.end());
  if (name == "count") result = static_cast<std::int64_t>(all.size());
  if (name == "prod") {
    result = all[0];
    for (std::size_t i = 1; i < all.size(); ++i) result = kept(out, result * all[i]);
  }
  return out;
}

Plain rearranged(const std::string& name, const Plain& a) {
  Plain out = a;
  out.text = name + "(" + a.text + ")";
  Row& row = out.rows[0];
  if (name == "sort") std::sort(row.begin(), row.end());
  if (name == "reverse") std::reverse(row.begin(), row.end());
  if (name == "scan")
    for (std::size_t i = 1; i < row.size(); ++i) row[i] = kept(out, row[i] + row[i - 1]);
  return out;
}

Plain mapped(const std::string& before, const std::string& after, const Plain& a,
             const std::function<std::int64_t(std::int64_t)>& f) {
  Plain out = a;
  out.text = before + a.text + after;
  for (Row& row : out.rows)
    for (std::int64_t& value : row) value = kept(out, f(value));
  return out;
}

}  // namespace

std::int64_t PlainWriter::number() {
  switch (pick(0, 9)) {
    case 0: return 0;
    case 1: return pick(-2147483648LL, 2147483647LL);
    case 2: return pick(0, 1) ? 2147483647LL : -2147483648LL;
    case 3: return pick(-70000, 70000);
    default: return pick(-20, 99);
  }
}

Plain PlainWriter::literal(int rank, std::size_t rows, std::size_t columns) {
  Plain out{"", rank, std::vector<Row>(rows, Row(columns)), false};
  for (Row& row : out.rows)
    for (std::int64_t& value : row) value = number();
  out.text = textOf(rank, out.rows);
  return out;
}

// Another operand for an operation element by element.
Plain PlainWriter::like(const Plain& other, int depth) {
  if (pick(0, 3) == 0) return literal(0, 1, 1);
  Plain out = literal(other.rank, other.rows.size(), other.rows[0].size());
  if (depth > 0 && pick(0, 2) == 0) {
    const auto negated = [](std::int64_t v) { return -v; };
    return mapped("-(", ")", out, negated);
  }
  return out;
}

Plain PlainWriter::pair(int depth) {
  static const std::vector<std::string> kNames = {"+", "-",  "*", "/",  "%", "min", "max", "+",
                                                  "-", "==", "<", "<=", ">", ">=",  "!="};
  const std::string& op = kNames[static_cast<std::size_t>(pick(0, 14))];
  Plain a = expression(depth - 1);
  if (a.count() > 60) a = literal(1, 1, 5);
  Plain b = like(a, depth - 1);
  if (pick(0, 1)) std::swap(a, b);
  const bool called = op == "min" || op == "max";
  const Plain& shape = a.rank == 0 ? b : a;
  Plain out = shape;
  out.text = called ? op + "(" + a.text + ", " + b.text + ")"
                    : "(" + a.text + ") " + op + " (" + b.text + ")";
  out.traps = a.traps || b.traps;
  for (std::size_t r = 0; r < out.rows.size(); ++r)
    for (std::size_t c = 0; c < out.rows[0].size(); ++c)
      out.rows[r][c] = paired(out, op, a.rank == 0 ? a.rows[0][0] : a.rows[r][c],
                              b.rank == 0 ? b.rows[0][0] : b.rows[r][c]);
  return out;
}

Plain PlainWriter::call(int depth) {
  Plain a = expression(depth - 1);
  if (a.rank == 0) {
    if (pick(0, 1)) return mapped("abs(", ")", a, [](std::int64_t v) { return v < 0 ? -v : v; });
    a = literal(1, 1, static_cast<std::size_t>(pick(1, 40)));
  }
  static const std::vector<std::string> kReductions = {"sum", "min", "max", "count", "prod"};
  static const std::vector<std::string> kMoves = {"sort", "reverse", "scan"};
  if (a.rank == 1 && pick(0, 1)) return rearranged(kMoves[static_cast<std::size_t>(pick(0, 2))], a);
  if (a.rank == 2 && a.count() <= 63 && pick(0, 1)) {
    Plain out{"transpose(" + a.text + ")", 2, std::vector<Row>(a.rows[0].size()), a.traps};
    for (const Row& row : a.rows)
      for (std::size_t c = 0; c < row.size(); ++c) out.rows[c].push_back(row[c]);
    return out;
  }
  return reduced(kReductions[static_cast<std::size_t>(pick(0, 4))], a);
}

// Two operands of `@`, each a list or a matrix.
Plain PlainWriter::product() {
  const auto rows = static_cast<std::size_t>(pick(1, 5)),
             inner = static_cast<std::size_t>(pick(1, 6)),
             columns = static_cast<std::size_t>(pick(1, 5));
  const bool a_list = pick(0, 1), b_list = pick(0, 1);
  const Plain a = literal(a_list ? 1 : 2, a_list ? 1 : rows, inner);
  Plain b = literal(b_list ? 1 : 2, b_list ? 1 : inner, b_list ? inner : columns);
  Plain out{a.text + " @ " + b.text, 2 - (a_list ? 1 : 0) - (b_list ? 1 : 0), {}, false};
  if (a_list && b_list && pick(0, 1)) out.text = "dot(" + a.text + ", " + b.text + ")";
  Row flat;
  for (const Row& row : a.rows)
    for (std::size_t c = 0; c < (b_list ? 1 : columns); ++c) {
      std::int64_t total = 0;
      for (std::size_t k = 0; k < inner; ++k)
        total += kept(out, row[k] * (b_list ? b.rows[0][k] : b.rows[k][c]));
      flat.push_back(kept(out, total));
    }
  if (out.rank < 2) {
    out.rows = {flat};
  } else {
    for (std::size_t r = 0; r < rows; ++r)
      out.rows.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(r * columns),
                            flat.begin() + static_cast<std::ptrdiff_t>((r + 1) * columns));
  }
  return out;
}

Plain PlainWriter::expression(int depth) {
  if (depth > 0) {
    switch (pick(0, 4)) {
      case 0: return product();
      case 1:
      case 2: return call(depth);
      default: return pair(depth);
    }
  }
  switch (pick(0, 4)) {
    case 0: return literal(0, 1, 1);
    case 1:
      return literal(2, static_cast<std::size_t>(pick(1, 6)), static_cast<std::size_t>(pick(1, 6)));
    case 2: return literal(1, 1, static_cast<std::size_t>(pick(1, 60)));
    default: return literal(1, 1, static_cast<std::size_t>(pick(1, 9)));
  }
}

}  // namespace qgpu::chat::testing
