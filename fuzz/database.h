// A database file of SQLite: statements with values, rows, and failures by value.
//
//   auto database = Database::open("runs.db");              // Expected<Database>
//   auto done = database->run("DELETE FROM chunk WHERE first = ?", 17);
//   Query query(*database, "SELECT count FROM chunk WHERE first > ?", 17);
//   while (query.next()) sum += query.integer(0);
//   if (auto ok = query.finish(); !ok) return fail(ok.error());
//
// Several processes of one machine may use a file at once; each waits for the others up to a
// minute.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "interpreter/base/failure.h"

namespace qgpu::fuzz {

class Database {
 public:
  enum class Access : std::uint8_t { Read, Write };  // Write makes a missing file

  // `path` may be ":memory:". Nothing has been read of the file yet: the first statement refuses
  // what is no database.
  static Expected<Database> open(const std::filesystem::path& path, Access access);

  // One statement, of which no rows are wanted. `values` replace the question marks.
  template <typename... Values>
  Expected<void> run(std::string_view statement, const Values&... values);

  // How many rows the last statement changed.
  std::int64_t changes() const { return sqlite3_changes64(handle_.get()); }

  // What SQLite said last, as a refusal of the file.
  Failure failure() const;
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

// A statement with its values. After a failure there are no rows, and finish() says which it was.
class Query {
 public:
  Query(const Database& database, std::string_view statement);
  template <typename... Values>
  Query(const Database& database, std::string_view statement, const Values&... values)
      : Query(database, statement) {
    int at = 0;
    (bind(++at, values), ...);
  }

  bool next();  // true where another row is there
  Expected<void> finish();

  // The columns of the row, from 0.
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  double real(int column) const { return sqlite3_column_double(statement_.get(), column); }
  std::string text(int column) const;

 private:
  void bind(int at, std::int64_t value);
  void bind(int at, std::uint64_t value) { bind(at, static_cast<std::int64_t>(value)); }
  void bind(int at, int value) { bind(at, std::int64_t{value}); }
  void bind(int at, double value);
  void bind(int at, std::string_view value);

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int status_ = SQLITE_OK;
};

// What is done between its making and commit() is in the file as a whole or not at all.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) {}
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  Expected<void> begin();
  Expected<void> commit();

 private:
  Database& database_;
  bool is_open_ = false;
};

template <typename... Values>
Expected<void> Database::run(std::string_view statement, const Values&... values) {
  Query query(*this, statement, values...);
  while (query.next()) {
  }
  return query.finish();
}

}  // namespace qgpu::fuzz
