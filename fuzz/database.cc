#include "fuzz/database.h"

#include <fmt/format.h>

#include <new>

namespace qgpu::fuzz {
namespace {

constexpr int kPatienceMs = 60'000;

std::string_view hintFor(int status) {
  switch (status & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return "name another file; what is readable of this one, `sqlite3 FILE .recover` tells";
    case SQLITE_FULL: return "make room and start again: what was recorded is kept";
    case SQLITE_BUSY:
      return "another process has held the file for a minute; try again when it is done";
    default: return "";
  }
}

}  // namespace

Expected<Database> Database::open(const std::filesystem::path& path, Access access) {
  sqlite3* handle = nullptr;
  const int flags =
      access == Access::Read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int status = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  Database database;
  database.path_ = path.string();
  database.handle_.reset(handle);
  if (handle == nullptr) throw std::bad_alloc();  // the one case without a handle
  if (status != SQLITE_OK) return fail(database.failure());
  sqlite3_busy_timeout(handle, kPatienceMs);
  return database;
}

Failure Database::failure() const {
  const int status = sqlite3_extended_errcode(handle_.get());
  if ((status & 0xff) == SQLITE_NOMEM) throw std::bad_alloc();
  return {FailureKind::Refusal,
          {path_, 0, 0},
          sqlite3_errmsg(handle_.get()),
          std::string(hintFor(status))};
}

Query::Query(const Database& database, std::string_view statement) : database_(database) {
  sqlite3_stmt* prepared = nullptr;
  status_ = sqlite3_prepare_v2(database.handle(), statement.data(),
                               static_cast<int>(statement.size()), &prepared, nullptr);
  statement_.reset(prepared);
}

void Query::bind(int at, std::int64_t value) {
  if (status_ == SQLITE_OK) status_ = sqlite3_bind_int64(statement_.get(), at, value);
}

void Query::bind(int at, double value) {
  if (status_ == SQLITE_OK) status_ = sqlite3_bind_double(statement_.get(), at, value);
}

void Query::bind(int at, std::string_view value) {
  if (status_ == SQLITE_OK)
    status_ = sqlite3_bind_text64(statement_.get(), at, value.data(), value.size(),
                                  SQLITE_TRANSIENT, SQLITE_UTF8);
}

bool Query::next() {
  if (status_ != SQLITE_OK && status_ != SQLITE_ROW) return false;
  status_ = sqlite3_step(statement_.get());
  return status_ == SQLITE_ROW;
}

Expected<void> Query::finish() {
  if (status_ != SQLITE_OK && status_ != SQLITE_ROW && status_ != SQLITE_DONE)
    return fail(database_.failure());
  statement_.reset();
  return {};
}

std::string Query::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (text == nullptr) {
    if (sqlite3_errcode(database_.handle()) == SQLITE_NOMEM) throw std::bad_alloc();
    return {};  // NULL
  }
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

Transaction::~Transaction() {
  // Nothing can be done about a failure: the file rolls back when it is opened next.
  if (is_open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Expected<void> Transaction::begin() {
  // IMMEDIATE waits for its turn now; a transaction that began by reading could lose its turn
  // later.
  return database_.run("BEGIN IMMEDIATE").map([&] { is_open_ = true; });
}

Expected<void> Transaction::commit() {
  return database_.run("COMMIT").map([&] { is_open_ = false; });
}

}  // namespace qgpu::fuzz
