#include "tools/bench/ceilings.h"

#include <random>

#include "interpreter/base/sha256.h"
#include "model/qwen/read_weights.h"
#include "tools/bench/timing.h"

namespace qgpu::bench {
namespace {

constexpr std::size_t kBytesEach = std::size_t{96} << 20;  // three times a large cache

double rate(double units, double least, auto& kernel, Time time = Time::Processor) {
  return units / bestSeconds(least, [&] { kernel.run(); }, time);
}

}  // namespace

// ---- Memory ------------------------------------------------------------------------------------

MemoryRead::MemoryRead(int threads, std::size_t bytes_each)
    : threads_(static_cast<std::size_t>(threads)), words_(bytes_each / sizeof(std::uint64_t)) {
  for (std::size_t t = 0; t < threads_; ++t) data_.emplace_back(words_, t + 1);
}

void MemoryRead::run() const {
  onThreads(static_cast<int>(threads_), [&](int thread) {
    keep(model::sumInStreams(std::as_bytes(std::span(data_[static_cast<std::size_t>(thread)]))));
  });
}

// ---- One position ------------------------------------------------------------------------------

// Sizes of the order of the circuit's: 90 matrices of 15,000 weights, of each a tenth of the
// columns.
SparseColumns::SparseColumns() : sums_(4096) {
  constexpr std::size_t kColumns = 90 * 300, kEach = 50;
  std::mt19937 random(1);
  for (std::size_t c = 0; c < kColumns; ++c) {
    starts_.push_back(static_cast<std::uint32_t>(terms_.size()));
    for (std::size_t i = 0; i < kEach; ++i)
      terms_.push_back({static_cast<std::uint16_t>(random() % 4096), 1});
    if (random() % 10 != 0) continue;
    active_.push_back(static_cast<std::uint32_t>(c));
    touched_ += kEach;
  }
  starts_.push_back(static_cast<std::uint32_t>(terms_.size()));
}

void SparseColumns::run() {
  for (const std::uint32_t column : active_)
    for (std::uint32_t i = starts_[column]; i < starts_[column + 1]; ++i)
      sums_[terms_[i].row] += terms_[i].factor;
  keep(sums_[0]);
}

// ---- Many positions ----------------------------------------------------------------------------

BitRows::BitRows() : rows_(2048), units_(1024) {
  constexpr std::size_t kEach = 8;
  std::mt19937_64 random(1);
  for (Row& row : rows_)
    for (std::uint64_t& word : row.words) word = random();
  for (std::size_t i = 0; i < units_.size() * kEach; ++i)
    literals_.push_back(static_cast<std::uint16_t>(random() % rows_.size()));
}

__attribute__((target_clones("avx2", "default"))) void BitRows::run() {
  const std::size_t each = literals_.size() / units_.size();
  const std::uint16_t* literal = literals_.data();
  for (Row& unit : units_) {
    Row all = rows_[*literal++];
    for (std::size_t i = 1; i < each; ++i) {
      const Row& row = rows_[*literal++];
      for (int w = 0; w < 4; ++w) all.words[w] &= row.words[w];
    }
    unit = all;
  }
  keep(units_[0].words[0]);
}

// ---- The rest ----------------------------------------------------------------------------------

PlainInterpreter::PlainInterpreter() {
  std::mt19937 random(1);
  const auto any = [&](unsigned n) { return static_cast<std::uint8_t>(random() % n); };
  for (int i = 0; i < 64; ++i) program_.push_back({any(6), any(16), any(16), any(16)});
}

std::size_t PlainInterpreter::instructions() const { return kRounds * program_.size(); }

void PlainInterpreter::run() {
  const auto lanes = [&](const Instruction& in, auto operation) {
    std::uint32_t result[4];
    for (int l = 0; l < 4; ++l) result[l] = operation(registers_[in.a][l], registers_[in.b][l]);
    for (int l = 0; l < 4; ++l) registers_[in.to][l] = result[l];
  };
  for (std::size_t round = 0; round < kRounds; ++round)
    for (const Instruction& in : program_) switch (in.op) {
        case 0: lanes(in, [](auto a, auto b) { return a + b; }); break;
        case 1: lanes(in, [](auto a, auto b) { return a - b; }); break;
        case 2: lanes(in, [](auto a, auto b) { return a * b; }); break;
        case 3: lanes(in, [](auto a, auto b) { return a & b; }); break;
        case 4: lanes(in, [](auto a, auto b) { return a << (b & 31); }); break;
        default: lanes(in, [](auto a, auto b) { return a < b ? a : b; }); break;
      }
  keep(registers_[0][0]);
}

void Hashing::run() const {
  Sha256 hash;
  hash.add(data_);
  keep(hash.hex()[0]);
}

Ceilings measureCeilings(int cores, double least) {
  Ceilings ceilings;
  {
    const MemoryRead one(1, kBytesEach);
    ceilings.read_one_core = rate(static_cast<double>(one.bytes()), least, one);
  }
  {
    const MemoryRead all(cores, kBytesEach);
    ceilings.read_all_cores = rate(static_cast<double>(all.bytes()), least, all, Time::Wall);
  }
  SparseColumns sparse;
  ceilings.sparse_nonzeros = rate(static_cast<double>(sparse.nonzeros()), least, sparse);
  BitRows bits;
  ceilings.bit_nonzeros =
      rate(static_cast<double>(bits.nonzeros() * BitRows::kPositions), least, bits);
  PlainInterpreter plain;
  ceilings.plain_instructions = rate(static_cast<double>(plain.instructions()), least, plain);
  const Hashing hashing(std::size_t{4} << 20);
  ceilings.hashed_bytes = rate(static_cast<double>(hashing.bytes()), least, hashing);
  return ceilings;
}

}  // namespace qgpu::bench
