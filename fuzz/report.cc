#include "fuzz/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

namespace qgpu::fuzz {
namespace {

constexpr std::size_t kColumns = 10;
using Cells = std::array<std::string, kColumns>;
constexpr std::size_t kTextColumns = 4;  // these are aligned to the left

const Cells kHeadings = {"level",   "engine",    "options",    "commit",     "launches",
                         "refused", "positions", "mismatches", "95 % bound", "launches/s"};

// The chance of at most `found` events where `expected` are: a sum of Poisson's terms, each from
// its logarithm, since the factors leave a double's range long before the terms do.
double chanceOfAtMost(std::int64_t found, double expected) {
  double sum = 0;
  for (std::int64_t i = 0; i <= found; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(k * std::log(expected) - expected - std::lgamma(k + 1));
  }
  return sum;
}

std::int64_t refused(const Total& total) {
  std::int64_t sum = 0;
  for (const auto& [reason, launches] : total.refusals) sum += launches;
  return sum;
}

double rate(const Total& total) {
  return total.seconds > 0 ? static_cast<double>(total.launches) / total.seconds : 0;
}

// "9fa007e2c4", with a mark where the tree was altered.
std::string shortCommit(const std::string& commit) {
  const bool is_altered = commit.find('+') != std::string::npos;
  return commit.substr(0, 10) + (is_altered ? "+" : "");
}

Cells cellsOf(const Total& t) {
  return {t.book.level,
          t.book.engine,
          t.book.options.empty() ? "-" : t.book.options,
          shortCommit(t.book.program.commit),
          std::to_string(t.launches),
          std::to_string(refused(t)),
          std::to_string(t.positions),
          std::to_string(t.findings),
          fmt::format("{:.1e}", upperBound95(t.findings, judged(t))),
          fmt::format("{:.{}f}", rate(t), rate(t) < 10 ? 1 : 0)};
}

// The sums over all programs, for each way of running that several programs ran.
std::vector<Total> sums(const std::vector<Total>& totals) {
  std::map<std::tuple<std::string, std::string, std::string>, std::pair<Total, int>> by_way;
  for (const Total& t : totals) {
    auto& [sum, programs] = by_way[{t.book.level, t.book.engine, t.book.options}];
    sum.book = {{"all", ""}, "", t.book.level, t.book.engine, t.book.options};
    sum.chunks += t.chunks;
    sum.launches += t.launches;
    sum.positions += t.positions;
    sum.findings += t.findings;
    sum.seconds += t.seconds;
    for (const auto& [reason, launches] : t.refusals) sum.refusals[reason] += launches;
    ++programs;
  }
  std::vector<Total> result;
  for (auto& [way, sum] : by_way)
    if (sum.second > 1) result.push_back(std::move(sum.first));
  return result;
}

std::vector<Cells> rowsOf(const std::vector<Total>& totals) {
  std::vector<Cells> rows;
  for (const Total& t : totals) rows.push_back(cellsOf(t));
  for (const Total& t : sums(totals)) rows.push_back(cellsOf(t));
  return rows;
}

std::map<std::string, std::int64_t> allRefusals(const std::vector<Total>& totals) {
  std::map<std::string, std::int64_t> all;
  for (const Total& t : totals)
    for (const auto& [reason, launches] : t.refusals)
      all[fmt::format("{}: {}", t.book.level, reason)] += launches;
  return all;
}

// Cells side by side, each as wide as the widest of its column.
std::string aligned(const std::vector<Cells>& rows) {
  std::array<std::size_t, kColumns> widths{};
  for (const Cells& row : rows)
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i)
      text += i < kTextColumns ? fmt::format("{:<{}}  ", row[i], widths[i])
                               : fmt::format("{:>{}}  ", row[i], widths[i]);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace

double upperBound95(std::int64_t found, std::int64_t launches) {
  if (launches <= 0) return 1;
  double low = 0, high = 10.0 + 4.0 * static_cast<double>(found);
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (chanceOfAtMost(found, middle) > 0.05 ? low : high) = middle;
  }
  return std::min(1.0, high / static_cast<double>(launches));
}

std::int64_t judged(const Total& total) { return total.launches - refused(total); }

std::string table(const std::vector<Total>& totals) {
  std::vector<Cells> rows = rowsOf(totals);
  rows.insert(rows.begin(), kHeadings);
  std::string text = aligned(rows);
  for (const auto& [reason, launches] : allRefusals(totals))
    text += fmt::format("refused {}  {}\n", launches, reason);
  return text;
}

std::string markdown(const std::vector<Total>& totals) {
  std::string text;
  const auto add = [&](const auto& cells) {
    for (const auto& cell : cells) text += fmt::format("| {} ", cell);
    text += "|\n";
  };
  add(kHeadings);
  for (std::size_t i = 0; i < kColumns; ++i) text += i < kTextColumns ? "|---" : "|---:";
  text += "|\n";
  for (const Cells& row : rowsOf(totals)) add(row);
  const auto refusals = allRefusals(totals);
  if (!refusals.empty()) text += "\n| refused because | launches |\n|---|---:|\n";
  for (const auto& [reason, launches] : refusals)
    text += fmt::format("| {} | {} |\n", reason, launches);
  return text;
}

nlohmann::ordered_json json(const std::vector<Total>& totals) {
  nlohmann::ordered_json books = nlohmann::ordered_json::array();
  for (const Total& t : totals)
    books.push_back({{"level", t.book.level},
                     {"engine", t.book.engine},
                     {"options", t.book.options},
                     {"commit", t.book.program.commit},
                     {"compiler", t.book.program.compiler},
                     {"weights", t.book.weights},
                     {"launches", t.launches},
                     {"refusals", t.refusals},
                     {"positions", t.positions},
                     {"mismatches", t.findings},
                     {"bound_95", upperBound95(t.findings, judged(t))},
                     {"seconds", t.seconds}});
  return {{"status", "ok"}, {"books", std::move(books)}};
}

}  // namespace qgpu::fuzz
