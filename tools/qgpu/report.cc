#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "compiler/launch/case_file.h"
#include "compiler/launch/compare.h"
#include "interpreter/base/files.h"
#include "interpreter/base/progress.h"
#include "tools/api/joined.h"
#include "tools/api/qgpu.h"
#include "tools/qgpu/verb.h"

namespace qgpu::cli {
namespace {

// One case, compiled and run.
struct Row {
  std::string name;
  std::string status;   // "ok", "mismatch", "refusal", "trap", "bug"
  std::string message;  // of what did not run to its end
  bool as_expected = false;
  std::int64_t tokens = 0, executions = 0;
  std::int64_t positions = 0, mismatches = 0;  // of a check
  lower::Report report;
};

Row failed(const std::filesystem::path& file, const Failure& failure,
           launch::Expectation expectation = launch::Expectation::Pass) {
  Row row;
  row.name = file.stem().string();
  row.status = qgpu::name(failure.kind);
  row.message = failure.message;
  row.as_expected = expectation != launch::Expectation::Pass && failure.kind != FailureKind::Bug;
  return row;
}

void addCheck(Row& row, const Check& check) {
  row.positions = check.positions;
  row.mismatches = check.mismatches;
  if (check.mismatches == 0) return;
  row.as_expected = false;
  row.status = "mismatch";
  row.message = check.first;
}

Row runCase(const std::filesystem::path& file, Engine& engine, RunOptions options) {
  const auto test_case = launch::readCase(file);
  if (!test_case) return failed(file, test_case.error());
  const launch::Expectation expectation = test_case->expectation;
  const auto source = readSource(test_case->launch.kernel);
  if (!source) return failed(file, source.error());  // not what a case can expect
  const auto kernel = loadKernel(*source, test_case->launch.entry);
  if (!kernel) return failed(file, kernel.error(), expectation);
  const auto program = compile(*kernel, test_case->launch);
  if (!program) return failed(file, program.error(), expectation);
  Recording recording;
  options.recording = &recording;
  const auto result = run(*program, engine, options);
  if (!result) {
    Row row = failed(file, result.error(), expectation);
    if (recording.run.check) addCheck(row, *recording.run.check);
    return row;
  }
  const launch::Comparison comparison = compare(*test_case, result->arrays);
  Row row;
  row.name = file.stem().string();
  row.status = comparison.agrees() ? "ok" : "mismatch";
  row.message = comparison.text(1);
  row.as_expected = comparison.agrees() && expectation != launch::Expectation::Reject;
  if (result->check) addCheck(row, *result->check);
  row.tokens = result->tokens.model;
  row.executions = result->tokens.of(protocol::TokenKind::Exec);
  row.report = program->lowered.report;
  return row;
}

constexpr std::string_view kColumns[] = {"kernel", "tokens",    "EXEC",   "blocks",
                                         "slots",  "registers", "spills", "global words"};

std::vector<std::string> cellsOf(const Row& row) {
  const lower::Report& r = row.report;
  std::vector<std::string> cells = {row.name};
  for (const std::int64_t n :
       {row.tokens, row.executions, std::int64_t{r.blocks}, std::int64_t{r.slots},
        std::int64_t{r.registers}, std::int64_t{r.spills}, std::int64_t{r.global_words}})
    cells.push_back(std::to_string(n));
  return cells;
}

class ReportVerb : public Verb {
 public:
  std::string_view name() const override { return "report"; }
  std::string_view summary() const override {
    return "Run many cases and tabulate their tokens, blocks and registers";
  }
  std::string_view synopsis() const override { return "FOLDER|CASE.json ... [options]"; }
  std::string_view example() const override {
    return "  $ qgpu report conformance/cases\n"
           "  kernel  tokens  EXEC  blocks  slots  registers  spills  global words\n"
           "  dot          5     1       1      4          0       0             7\n"
           "  ...\n"
           "  $ qgpu report conformance/cases --engine model --check\n";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("paths", paths_, "case files, and folders of case files")
        ->type_name("PATH")
        ->required();
    app.add_flag("--markdown", markdown_, "a Markdown page, as in docs/kernels.md");
    app.add_option("--engine", engine_,
                   fmt::format("what runs them: {} (interpreter)", joined(engineNames(), " or ")))
        ->type_name("NAME");
    app.add_flag("--check", options_.check, "check every launch, as `qgpu run --check` does");
    app.add_option("--max-tokens", options_.max_tokens,
                   "tokens after which a launch counts as endless (1000000)")
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40).description(""));
  }

  Expected<int> run(const Terminal& terminal) override {
    const auto files = caseFiles();
    if (!files) return fail(files.error());
    const auto engine = engineNamed(engine_);
    if (!engine) return fail(engine.error());
    std::vector<Row> rows;
    Progress progress("cases", static_cast<std::int64_t>(files->size()));
    for (const auto& file : *files) {
      rows.push_back(runCase(file, **engine, options_));
      progress.advance();
    }
    const auto good = static_cast<std::size_t>(std::ranges::count(rows, true, &Row::as_expected));
    terminal.print(markdown_ ? markdownPage(rows) : table(terminal, rows));
    if (!markdown_) terminal.print(summary(rows, good));
    if (terminal.json()) terminal.object(json(rows, good == rows.size()));
    return good == rows.size() ? kDone : kDisagreement;
  }

 private:
  Expected<std::vector<std::filesystem::path>> caseFiles() const {
    std::vector<std::filesystem::path> files;
    for (const std::string& path : paths_) {
      std::error_code error;
      if (!std::filesystem::exists(path, error))
        return refuseAt({path, 0, 0}, "cannot open: there is no such file or folder");
      if (!std::filesystem::is_directory(path, error)) {
        files.emplace_back(path);
        continue;
      }
      for (const auto& entry : std::filesystem::directory_iterator(path, error))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
      if (error) return refuseAt({path, 0, 0}, error.message());
    }
    if (files.empty()) return refuse("there are no case files in these folders");
    std::ranges::sort(files);
    return files;
  }

  std::string summary(const std::vector<Row>& rows, std::size_t good) const {
    std::string text = fmt::format("{} of {} cases end as expected\n", good, rows.size());
    if (!options_.check) return text;
    const Row sum = sumOf(rows);
    return text +
           fmt::format("check: {} positions, {} mismatches\n", sum.positions, sum.mismatches);
  }

  static Row sumOf(const std::vector<Row>& rows) {
    Row sum;
    for (const Row& row : rows) {
      sum.positions += row.positions;
      sum.mismatches += row.mismatches;
    }
    return sum;
  }

  static std::string table(const Terminal& terminal, const std::vector<Row>& rows) {
    std::size_t width = kColumns[0].size();
    for (const Row& row : rows) width = std::max(width, row.name.size());
    std::string text = fmt::format("{:<{}}", kColumns[0], width);
    for (std::size_t c = 1; c < std::size(kColumns); ++c) text += fmt::format("  {}", kColumns[c]);
    text = terminal.styled(text, Style::Bold) + '\n';
    for (const Row& row : rows) {
      text += fmt::format("{:<{}}", row.name, width);
      if (row.status != "ok") {
        text += "  " +
                terminal.styled(row.status + ": " + row.message,
                                row.as_expected ? Style::Dim : Style::Red) +
                '\n';
        continue;
      }
      const auto cells = cellsOf(row);
      for (std::size_t c = 1; c < cells.size(); ++c)
        text += fmt::format("  {:>{}}", cells[c], kColumns[c].size());
      text += '\n';
    }
    return text;
  }

  static std::string markdownPage(const std::vector<Row>& rows) {
    std::string text =
        "<!-- Generated by `qgpu report --markdown conformance/cases`: do not edit. -->\n"
        "# Conformance kernels\n\n"
        "What each kernel of `conformance/` takes: the tokens the model writes for its launch and "
        "how many\n"
        "of them are `EXEC`, the blocks, instructions and registers of its program, registers "
        "spilled to\n"
        "memory, and the words its arrays occupy.\n\n|";
    for (const std::string_view column : kColumns) text += fmt::format(" {} |", column);
    text += "\n|---|";
    for (std::size_t c = 1; c < std::size(kColumns); ++c) text += "---:|";
    text += '\n';
    for (const Row& row : rows) {
      if (row.status != "ok") continue;
      text += '|';
      for (const std::string& cell : cellsOf(row)) text += fmt::format(" {} |", cell);
      text += '\n';
    }
    text += fmt::format("\n{} kernels.\n\n## Refused and trapped\n\n",
                        std::ranges::count(rows, "ok", &Row::status));
    text += "| kernel | ends as | because |\n|---|---|---|\n";
    for (const Row& row : rows)
      if (row.status != "ok")
        text += fmt::format("| {} | {} | {} |\n", row.name, row.status, row.message);
    return text;
  }

  Json json(const std::vector<Row>& rows, bool good) const {
    Json list = Json::array();
    for (const Row& row : rows) {
      Json object = {{"name", row.name}, {"status", row.status}, {"as_expected", row.as_expected}};
      if (row.status == "ok")
        object.update({{"tokens", row.tokens},
                       {"exec", row.executions},
                       {"blocks", row.report.blocks},
                       {"slots", row.report.slots},
                       {"registers", row.report.registers},
                       {"spills", row.report.spills},
                       {"global_words", row.report.global_words}});
      else
        object["message"] = row.message;
      list.push_back(object);
    }
    Json object = {{"status", good ? "ok" : "mismatch"}, {"cases", list}};
    if (const Row sum = sumOf(rows); options_.check)
      object["check"] = {{"positions", sum.positions}, {"mismatches", sum.mismatches}};
    return object;
  }

  std::vector<std::string> paths_;
  std::string engine_ = "interpreter";
  RunOptions options_;
  bool markdown_ = false;
};

}  // namespace

std::unique_ptr<Verb> reportVerb() { return std::make_unique<ReportVerb>(); }

}  // namespace qgpu::cli
