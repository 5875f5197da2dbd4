// Random expressions and what they are worth, computed without any of our engines: wide integers in
// plain loops. For tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace qgpu::chat::testing {

// A value with the text it comes from. Rank 0: one row of one; 1: one row.
struct Plain {
  std::string text;
  int rank = 0;
  std::vector<std::vector<std::int64_t>> rows;
  bool traps = false;  // somewhere in the text: too large, or a division by zero

  std::size_t count() const { return rows.size() * rows[0].size(); }
  std::vector<std::int64_t> flat() const {
    std::vector<std::int64_t> all;
    for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
    return all;
  }
};

// Writes random expressions that are well-formed and fit the machine.
class PlainWriter {
 public:
  explicit PlainWriter(unsigned seed) : random_(seed) {}

  Plain expression(int depth);

 private:
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  std::int64_t number();
  Plain literal(int rank, std::size_t rows, std::size_t columns);
  Plain pair(int depth);
  Plain call(int depth);
  Plain product();
  Plain like(const Plain& other, int depth);

  std::mt19937 random_;
};

}  // namespace qgpu::chat::testing
