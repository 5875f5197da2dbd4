#include "fuzz/ledger.h"

#include <fmt/format.h>

#include <algorithm>

namespace qgpu::fuzz {
namespace {

// Told from other databases by SQLite's application id: "qgpu" in ASCII.
constexpr std::int64_t kApplication = 0x71677075;
constexpr std::int64_t kVersion = 1;

constexpr std::string_view kTables[] = {
    "CREATE TABLE book (id INTEGER PRIMARY KEY, commit_name TEXT NOT NULL, compiler TEXT NOT NULL, "
    "weights TEXT NOT NULL, level TEXT NOT NULL, engine TEXT NOT NULL, options TEXT NOT NULL, "
    "UNIQUE (commit_name, compiler, weights, level, engine, options))",

    "CREATE TABLE chunk (book INTEGER NOT NULL REFERENCES book (id), first INTEGER NOT NULL, "
    "launches INTEGER NOT NULL CHECK (launches > 0), positions INTEGER NOT NULL, "
    "seconds REAL NOT NULL, recorded TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, "
    "PRIMARY KEY (book, first)) WITHOUT ROWID",

    "CREATE TABLE refusal (book INTEGER NOT NULL, first INTEGER NOT NULL, reason TEXT NOT NULL, "
    "launches INTEGER NOT NULL, PRIMARY KEY (book, first, reason), "
    "FOREIGN KEY (book, first) REFERENCES chunk (book, first)) WITHOUT ROWID",

    "CREATE TABLE finding (book INTEGER NOT NULL, first INTEGER NOT NULL, number INTEGER NOT NULL, "
    "difference TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (book, number), "
    "FOREIGN KEY (book, first) REFERENCES chunk (book, first)) WITHOUT ROWID",
};

// A statement that gives one number.
Expected<std::int64_t> numberOf(const Database& database, std::string_view statement) {
  Query query(database, statement);
  const std::int64_t number = query.next() ? query.integer(0) : 0;
  return query.finish().map([&] { return number; });
}

// SQLite notices damage where it reads, and much of it nowhere; this reads all.
Expected<void> checkWhole(const Database& database, const Location& file) {
  Query query(database, "PRAGMA quick_check(1)");
  const std::string verdict = query.next() ? query.text(0) : "";
  if (auto ok = query.finish(); !ok) return ok;
  if (verdict == "ok") return {};
  return refuseAt(file, "is damaged: " + verdict,
                  "name another file; what is readable of this one, `sqlite3 FILE .recover` tells");
}

Expected<void> checkIdentity(const Database& database, const Location& file) {
  const auto application = numberOf(database, "PRAGMA application_id");
  if (!application) return fail(application.error());
  if (*application != kApplication)
    return refuseAt(file, "is not a ledger of campaigns", "name another file, or a new one");
  const auto version = numberOf(database, "PRAGMA user_version");
  if (!version) return fail(version.error());
  if (*version != kVersion)
    return refuseAt(file, fmt::format("is a ledger of version {}", *version),
                    fmt::format("this program reads version {}", kVersion));
  return {};
}

// Begins an empty file, where no other process has meanwhile.
Expected<void> createTables(Database& database) {
  Transaction transaction(database);
  if (auto ok = transaction.begin(); !ok) return ok;
  const auto tables = numberOf(database, "SELECT count(*) FROM sqlite_schema");
  if (!tables) return fail(tables.error());
  if (*tables > 0) return {};
  for (const std::string_view table : kTables)
    if (auto ok = database.run(table); !ok) return ok;
  for (const std::string& pragma : {fmt::format("PRAGMA application_id = {}", kApplication),
                                    fmt::format("PRAGMA user_version = {}", kVersion)})
    if (auto ok = database.run(pragma); !ok) return ok;
  return transaction.commit();
}

// Appends, or lengthens the last one where they touch.
void append(std::vector<Range>& ranges, const Range& range) {
  if (!ranges.empty() && ranges.back().end() == range.first)
    ranges.back().count += range.count;
  else
    ranges.push_back(range);
}

Expected<std::map<std::string, std::int64_t>> refusalsOf(const Database& database, BookId book) {
  std::map<std::string, std::int64_t> refusals;
  Query query(database, "SELECT reason, sum(launches) FROM refusal WHERE book = ? GROUP BY reason",
              book);
  while (query.next()) refusals[query.text(0)] = query.integer(1);
  return query.finish().map([&] { return std::move(refusals); });
}

}  // namespace

Expected<Ledger> Ledger::open(const std::filesystem::path& path, Database::Access access) {
  const Location file{path.string(), 0, 0};
  auto database = Database::open(path, access);
  if (!database) return fail(std::move(database.error()));
  // A first look before anything is written: the file may be somebody else's.
  const auto tables = numberOf(*database, "SELECT count(*) FROM sqlite_schema");
  if (!tables) return fail(tables.error());
  if (*tables == 0 && access == Database::Access::Write)
    if (auto ok = createTables(*database); !ok) return fail(std::move(ok.error()));
  if (auto ok = checkIdentity(*database, file); !ok) return fail(std::move(ok.error()));
  if (auto ok = checkWhole(*database, file); !ok) return fail(std::move(ok.error()));
  if (access == Database::Access::Write)
    if (auto ok = database->run("PRAGMA journal_mode = WAL"); !ok)
      return fail(std::move(ok.error()));
  return Ledger(std::move(*database));
}

Expected<BookId> Ledger::book(const Book& b) {
  if (auto ok = database_.run("INSERT INTO book (commit_name, compiler, weights, level, engine, "
                              "options) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                              b.program.commit, b.program.compiler, b.weights, b.level, b.engine,
                              b.options);
      !ok)
    return fail(std::move(ok.error()));
  Query query(database_,
              "SELECT id FROM book WHERE commit_name = ? AND compiler = ? AND weights = ? AND "
              "level = ? AND engine = ? AND options = ?",
              b.program.commit, b.program.compiler, b.weights, b.level, b.engine, b.options);
  const BookId id = query.next() ? query.integer(0) : 0;
  return query.finish().map([&] { return id; });
}

Expected<std::vector<Range>> Ledger::recorded(BookId book) {
  std::vector<Range> ranges;
  Query query(database_, "SELECT first, launches FROM chunk WHERE book = ? ORDER BY first", book);
  while (query.next())
    append(ranges, {static_cast<std::uint64_t>(query.integer(0)), query.integer(1)});
  return query.finish().map([&] { return std::move(ranges); });
}

Expected<std::vector<std::uint64_t>> Ledger::findings(BookId book, const Range& range) {
  std::vector<std::uint64_t> numbers;
  Query query(database_,
              "SELECT number FROM finding WHERE book = ? AND number >= ? AND number < ? "
              "ORDER BY number",
              book, range.first, range.end());
  while (query.next()) numbers.push_back(static_cast<std::uint64_t>(query.integer(0)));
  return query.finish().map([&] { return std::move(numbers); });
}

Expected<bool> Ledger::record(BookId book, const Chunk& chunk) {
  if (chunk.range.count == 0) return false;
  Transaction transaction(database_);
  if (auto ok = transaction.begin(); !ok) return fail(std::move(ok.error()));
  // Recorded chunks do not overlap, so the last one that begins before the end reaches farthest.
  Query before(database_,
               "SELECT first + launches FROM chunk WHERE book = ? AND first < ? "
               "ORDER BY first DESC LIMIT 1",
               book, chunk.range.end());
  const bool is_taken =
      before.next() && static_cast<std::uint64_t>(before.integer(0)) > chunk.range.first;
  if (auto ok = before.finish(); !ok) return fail(std::move(ok.error()));
  if (is_taken) return false;
  if (auto ok = insert(book, chunk); !ok) return fail(std::move(ok.error()));
  return transaction.commit().map([] { return true; });
}

Expected<void> Ledger::insert(BookId book, const Chunk& chunk) {
  const std::uint64_t first = chunk.range.first;
  auto ok = database_.run(
      "INSERT INTO chunk (book, first, launches, positions, seconds) VALUES (?, ?, ?, ?, ?)", book,
      first, chunk.range.count, chunk.positions, chunk.seconds);
  for (const auto& [reason, launches] : chunk.refusals)
    if (ok)
      ok = database_.run("INSERT INTO refusal VALUES (?, ?, ?, ?)", book, first, reason, launches);
  for (const Finding& f : chunk.findings)
    if (ok)
      ok = database_.run("INSERT INTO finding VALUES (?, ?, ?, ?, ?)", book, first, f.number,
                         f.difference, f.text);
  return ok;
}

Expected<std::vector<std::pair<BookId, Book>>> Ledger::books() {
  std::vector<std::pair<BookId, Book>> books;
  Query query(database_,
              "SELECT id, commit_name, compiler, weights, level, engine, options FROM book "
              "ORDER BY level, engine, options, id");
  while (query.next())
    books.push_back({query.integer(0),
                     {{query.text(1), query.text(2)},
                      query.text(3),
                      query.text(4),
                      query.text(5),
                      query.text(6)}});
  return query.finish().map([&] { return std::move(books); });
}

Expected<std::vector<Total>> Ledger::totals() {
  auto all = books();
  if (!all) return fail(std::move(all.error()));
  std::vector<Total> totals;
  for (auto& [id, book] : *all) {
    Query query(database_,
                "SELECT count(*), coalesce(sum(launches), 0), coalesce(sum(positions), 0), "
                "coalesce(sum(seconds), 0), (SELECT count(*) FROM finding WHERE book = ?1) "
                "FROM chunk WHERE book = ?1",
                id);
    Total total;
    if (query.next())
      total = {
          {}, query.integer(0), query.integer(1), query.integer(2), query.integer(4), query.real(3),
          {}};
    if (auto ok = query.finish(); !ok) return fail(std::move(ok.error()));
    auto refusals = refusalsOf(database_, id);
    if (!refusals) return fail(std::move(refusals.error()));
    total.book = std::move(book);
    total.refusals = std::move(*refusals);
    if (total.chunks > 0) totals.push_back(std::move(total));
  }
  return totals;
}

Expected<std::vector<Chunk>> Ledger::chunks(BookId book) {
  std::vector<Chunk> chunks;
  std::map<std::uint64_t, std::size_t> by_first;
  Query rows(database_,
             "SELECT first, launches, positions, seconds FROM chunk WHERE book = ? ORDER BY first",
             book);
  while (rows.next()) {
    const auto first = static_cast<std::uint64_t>(rows.integer(0));
    by_first[first] = chunks.size();
    chunks.push_back({{first, rows.integer(1)}, rows.integer(2), rows.real(3), {}, {}});
  }
  if (auto ok = rows.finish(); !ok) return fail(std::move(ok.error()));
  const auto of = [&](const Query& row) -> Chunk& {
    return chunks.at(by_first.at(static_cast<std::uint64_t>(row.integer(0))));
  };
  Query refusals(
      database_,
      "SELECT first, reason, refusal.launches FROM refusal JOIN chunk USING (book, first) "
      "WHERE book = ?",
      book);
  while (refusals.next()) of(refusals).refusals[refusals.text(1)] = refusals.integer(2);
  if (auto ok = refusals.finish(); !ok) return fail(std::move(ok.error()));
  Query findings(
      database_,
      "SELECT first, number, difference, text FROM finding JOIN chunk USING (book, first) "
      "WHERE book = ? ORDER BY number",
      book);
  while (findings.next())
    of(findings).findings.push_back(
        {static_cast<std::uint64_t>(findings.integer(1)), findings.text(2), findings.text(3), {}});
  return findings.finish().map([&] { return std::move(chunks); });
}

Expected<void> Ledger::import(Ledger& other) {
  const auto books = other.books();
  if (!books) return fail(books.error());
  for (const auto& [id, name] : *books) {
    const auto own = book(name);
    if (!own) return fail(own.error());
    const auto chunks = other.chunks(id);
    if (!chunks) return fail(chunks.error());
    for (const Chunk& chunk : *chunks)
      if (auto ok = record(*own, chunk); !ok) return fail(std::move(ok.error()));
  }
  return {};
}

}  // namespace qgpu::fuzz
