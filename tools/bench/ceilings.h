// What the machine can do at most, by small kernels that do nothing else: the floors in the tables
// of `qgpu bench` are work divided by these.
//
// Each is measured anew, in the same run as what it is compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace qgpu::bench {

// Bytes a second that `threads` threads together read from memory: more than any cache holds.
class MemoryRead {
 public:
  MemoryRead(int threads, std::size_t bytes_each);
  std::size_t bytes() const { return threads_ * words_ * sizeof(std::uint64_t); }
  void run() const;

 private:
  std::size_t threads_, words_;
  std::vector<std::vector<std::uint64_t>> data_;
};

// Nonzero weights added, column by column, to sums that stay in the first cache: the product of a
// sparse matrix with a vector that is mostly zero, for one position.
class SparseColumns {
 public:
  SparseColumns();
  std::size_t nonzeros() const { return touched_; }  // of one run
  void run();

 private:
  struct Term {
    std::uint16_t row;
    std::int16_t factor;
  };
  std::vector<Term> terms_;
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> active_;
  std::vector<std::int32_t> sums_;
  std::size_t touched_ = 0;
};

// Nonzero weights met by many positions at once: the conjunction of rows of bits, one bit for each
// position, 256 at a time.
class BitRows {
 public:
  static constexpr std::size_t kPositions = 256;
  BitRows();
  std::size_t nonzeros() const { return literals_.size(); }  // of one run, for all positions
  void run();

 private:
  struct alignas(32) Row {
    std::uint64_t words[4];
  };
  std::vector<Row> rows_, units_;
  std::vector<std::uint16_t> literals_;
};

// Instructions of four lanes, dispatched one by one by a switch: an interpreter without a machine
// around it.
class PlainInterpreter {
 public:
  PlainInterpreter();
  std::size_t instructions() const;  // of one run
  void run();

 private:
  struct Instruction {
    std::uint8_t op, to, a, b;
  };
  static constexpr std::size_t kRounds = 4096;
  std::vector<Instruction> program_;
  std::uint32_t registers_[16][4] = {};
};

// SHA-256 over a buffer.
class Hashing {
 public:
  explicit Hashing(std::size_t bytes) : data_(bytes, std::byte{42}) {}
  std::size_t bytes() const { return data_.size(); }
  void run() const;

 private:
  std::vector<std::byte> data_;
};

// All of them, in units a second.
struct Ceilings {
  double read_one_core = 0;   // bytes
  double read_all_cores = 0;  // bytes
  double sparse_nonzeros = 0;
  double bit_nonzeros = 0;  // times positions
  double plain_instructions = 0;
  double hashed_bytes = 0;
};
// `least`: seconds for each.
Ceilings measureCeilings(int cores, double least);

}  // namespace qgpu::bench
