// The ledger: a file that says which launches ran, on which program, and what was found.
//
//   auto ledger = Ledger::open("runs.db");
//   auto book = ledger->book({.program = thisProgram(), .weights = "", .level = "machine",
//                             .engine = "interpreter", .options = ""});
//   ledger->recorded(*book);        // the ranges of numbers that need not run again
//   ledger->record(*book, chunk);   // one transaction: in the file as a whole or not at all
//   ledger->totals();               // for each book
//
// A book holds the evidence for one program and one way of running it. A number counts once in it:
// a chunk that has a number in common with one that is recorded is not taken. The same numbers for
// another commit are another book's, and evidence of their own.
//
// It is an SQLite database in write-ahead mode: several processes of one machine may record in one
// file, but not several machines through a network's file system. These have a file each, and
// `import` brings the files together. Refused, with SQLite's reason: a file that is no ledger, is
// damaged or of another version, a full disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fuzz/chunk.h"
#include "fuzz/database.h"

namespace qgpu::fuzz {

// The program that ran, as evidence names it.
struct Program {
  std::string commit;    // as git names it; with the program's own hash where the tree was altered
  std::string compiler;  // "g++ 12.2"

  friend bool operator==(const Program&, const Program&) = default;
};

// The program that is running.
Program thisProgram();

struct Book {
  Program program;
  std::string weights;  // the hash of the circuit; empty where no model ran
  std::string level, engine, options;

  friend bool operator==(const Book&, const Book&) = default;
};

using BookId = std::int64_t;

struct Total {
  Book book;
  std::int64_t chunks = 0, launches = 0, positions = 0, findings = 0;
  double seconds = 0;                            // of all threads together
  std::map<std::string, std::int64_t> refusals;  // launches by reason
};

class Ledger {
 public:
  // Access::Write makes a missing file; Access::Read changes nothing.
  static Expected<Ledger> open(const std::filesystem::path& path,
                               Database::Access access = Database::Access::Write);

  // The book of that program and way of running it, begun where there is none.
  Expected<BookId> book(const Book& book);

  // Ranges that do not overlap, in the order of their numbers, neighbours put together.
  Expected<std::vector<Range>> recorded(BookId book);
  // The numbers of findings within a range.
  Expected<std::vector<std::uint64_t>> findings(BookId book, const Range& range);

  // False where some of the chunk's numbers are recorded already, by another process, say; then
  // nothing is written.
  Expected<bool> record(BookId book, const Chunk& chunk);

  Expected<std::vector<Total>> totals();

  // Everything that `other` has and this one has not.
  Expected<void> import(Ledger& other);

 private:
  explicit Ledger(Database database) : database_(std::move(database)) {}
  Expected<void> prepare();
  Expected<std::vector<std::pair<BookId, Book>>> books();
  Expected<void> insert(BookId book, const Chunk& chunk);
  Expected<std::vector<Chunk>> chunks(BookId book);

  Database database_;
};

}  // namespace qgpu::fuzz
