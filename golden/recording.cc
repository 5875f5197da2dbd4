#include "golden/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <span>
#include <system_error>

#include "compiler/launch/case_file.h"
#include "interpreter/base/files.h"
#include "interpreter/base/json.h"
#include "interpreter/base/sha256.h"

namespace qgpu::golden {
namespace {

using Json = nlohmann::json;
using Names = std::span<const std::string_view>;

constexpr std::string_view kHeaderMembers[] = {"qgpu_golden", "device",  "compute_capability",
                                               "driver",      "toolkit", "date"};
constexpr std::string_view kSourceMembers[] = {"source", "sha256", "text"};
constexpr std::string_view kLaunchMembers[] = {"name",    "kernel",       "entry",  "grid",
                                               "block",   "shared_bytes", "params", "expect",
                                               "compare", "expected"};
constexpr std::string_view kOmissionMembers[] = {"omitted", "reason"};
constexpr std::string_view kEndMembers[] = {"end", "sha256"};
constexpr std::size_t kMostLaunches = 1'000'000;

constexpr std::string_view kAskAgain = "record it again: golden/README.md";

class RecordingReader {
 public:
  RecordingReader(std::string_view file, Origin origin) : file_(file), origin_(origin) {}
  Expected<Recording> read(std::string_view text);

 private:
  Expected<void> readEnd(std::string_view text, std::string_view end);
  Expected<void> readLine(std::string_view line);
  Expected<void> readHeader(const Json& object);
  Expected<void> readSource(const Json& object);
  Expected<void> readLaunch(std::string_view line, const Json& object);
  Expected<void> readOmission(const Json& object);

  Expected<Json> objectIn(std::string_view line) const;
  Expected<void> expectMembers(const Json& object, Names names, Names optional = {}) const;
  // The failure with this line in front of its own place.
  tl::unexpected<Failure> atThisLine(Failure failure) const;
  tl::unexpected<Failure> refuseLine(std::string message, std::string_view hint = {}) const {
    return refuseAt({file_, line_, 1}, std::move(message), std::string(hint));
  }

  std::string file_;
  Origin origin_;
  int line_ = 0;
  std::size_t launches_ = 0;  // as the end says
  std::map<std::string, std::size_t, std::less<>> source_named_;
  std::set<std::string, std::less<>> launch_names_;
  Recording recording_;
};

Expected<Recording> RecordingReader::read(std::string_view text) {
  line_ = static_cast<int>(std::ranges::count(text, '\n'));
  if (!text.ends_with('\n') || line_ < 2)
    return refuseLine("the recording broke off before its last line", kAskAgain);
  const std::size_t end = text.rfind('\n', text.size() - 2) + 1;
  if (auto ok = readEnd(text.substr(0, end), text.substr(end, text.size() - end - 1)); !ok)
    return fail(std::move(ok.error()));
  line_ = 0;
  for (std::size_t at = 0; at < end;) {
    const std::size_t next = text.find('\n', at);
    ++line_;
    if (auto ok = readLine(text.substr(at, next - at)); !ok) return fail(std::move(ok.error()));
    at = next + 1;
  }
  if (recording_.goldens.size() != launches_)
    return refuseLine(fmt::format("there are {} launches, the last line says {}",
                                  recording_.goldens.size(), launches_),
                      kAskAgain);
  if (launches_ == 0) return refuseLine("no launch was recorded", kAskAgain);
  return std::move(recording_);
}

Expected<void> RecordingReader::readEnd(std::string_view text, std::string_view end) {
  const auto object = objectIn(end);
  if (!object) return fail(object.error());
  if (!object->contains("end"))
    return refuseLine("the recording broke off: this is not its last line", kAskAgain);
  if (auto ok = expectMembers(*object, kEndMembers); !ok) return ok;
  JsonFields fields(*object, file_);
  launches_ = fields.size("end", 0, kMostLaunches);
  recording_.sha256 = fields.string("sha256");
  if (fields.failure()) return atThisLine(*fields.failure());
  if (recording_.sha256 != sha256(text))
    return refuseLine("the contents are not what was recorded: their SHA-256 is another",
                      "restore the file as it was committed, or record it again");
  return {};
}

Expected<void> RecordingReader::readLine(std::string_view line) {
  const auto object = objectIn(line);
  if (!object) return fail(object.error());
  if (object->contains("qgpu_golden") != (line_ == 1))
    return refuseLine(line_ == 1 ? "the first line does not say which device this is"
                                 : "a second header");
  if (line_ == 1) return readHeader(*object);
  if (object->contains("source")) return readSource(*object);
  if (object->contains("omitted")) return readOmission(*object);
  if (auto ok = expectMembers(*object, kLaunchMembers, {{"shared_bytes", "compare"}}); !ok)
    return ok;
  return readLaunch(line, *object);
}

bool isDate(const std::string& text) {
  static const std::regex kForm("20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])");
  return std::regex_match(text, kForm);
}

Expected<void> RecordingReader::readHeader(const Json& object) {
  if (auto ok = expectMembers(object, kHeaderMembers); !ok) return ok;
  JsonFields fields(object, file_);
  fields.size("qgpu_golden", 1, 1);
  Provenance& device = recording_.device;
  device = {fields.string("device"), fields.string("compute_capability"), fields.string("driver"),
            fields.string("toolkit"), fields.string("date")};
  if (fields.failure()) return atThisLine(*fields.failure());
  for (const std::string* text : {&device.device, &device.driver, &device.toolkit})
    if (text->empty() || text->size() > 200)
      return refuseLine("a device, driver or toolkit has an empty name or one of over 200 bytes");
  static const std::regex kCapability("[0-9]{1,2}\\.[0-9]");
  if (!std::regex_match(device.compute_capability, kCapability))
    return refuseLine(fmt::format("'{}' is no compute capability", device.compute_capability),
                      "it has the form 7.5");
  if (!isDate(device.date))
    return refuseLine(fmt::format("'{}' is no date", device.date), "it has the form 2026-11-30");
  const bool fixture = device.device == kFixtureDevice || device.compute_capability == "0.0";
  if (fixture && origin_ == Origin::Device)
    return refuseLine("this is a test's fixture, which no GPU computed: it is no recording",
                      "keep it out of golden/");
  if (!fixture && origin_ == Origin::Fixture)
    return refuseLine(fmt::format("this is a recording of '{}', not a fixture", device.device));
  return {};
}

Expected<void> RecordingReader::readSource(const Json& object) {
  if (auto ok = expectMembers(object, kSourceMembers); !ok) return ok;
  JsonFields fields(object, file_);
  SourceText source{fields.string("source"), fields.string("text")};
  const std::string hash = fields.string("sha256");
  if (fields.failure()) return atThisLine(*fields.failure());
  if (hash != sha256(source.text))
    return refuseLine(fmt::format("the text of '{}' has another SHA-256", source.file),
                      "restore the file as it was committed, or record it again");
  if (!source_named_.emplace(source.file, recording_.sources.size()).second)
    return refuseLine(fmt::format("a second source named '{}'", source.file));
  recording_.sources.push_back(std::move(source));
  return {};
}

// A case file may leave an array's zeros out; here a short line would then take much memory.
bool everyArrayHasData(const Json& launch) {
  return std::ranges::all_of(launch["params"], [](const Json& parameter) {
    return !parameter.is_object() || !parameter.contains("length") || parameter.contains("data");
  });
}

Expected<void> RecordingReader::readLaunch(std::string_view line, const Json& object) {
  if (!everyArrayHasData(object)) return refuseLine("an array has a length and no data");
  auto test_case = launch::parseCase(line, file_);
  if (!test_case) return atThisLine(std::move(test_case.error()));
  const std::string name = test_case->launch.name;
  const auto source = source_named_.find(test_case->launch.kernel.string());
  if (source == source_named_.end())
    return refuseLine(
        fmt::format("no source '{}' stands before this launch", test_case->launch.kernel.string()));
  if (test_case->expected.empty())
    return refuseLine(fmt::format("launch '{}' has no outputs", name));
  if (test_case->expectation == launch::Expectation::Reject)
    return refuseLine(fmt::format("launch '{}' ran on a device and cannot want a refusal", name));
  if (!launch_names_.insert(name).second)
    return refuseLine(fmt::format("a second launch named '{}'", name));
  recording_.goldens.push_back({std::move(*test_case), source->second, line_});
  return {};
}

Expected<void> RecordingReader::readOmission(const Json& object) {
  if (auto ok = expectMembers(object, kOmissionMembers); !ok) return ok;
  JsonFields fields(object, file_);
  Omission omission{fields.string("omitted"), fields.string("reason")};
  if (fields.failure()) return atThisLine(*fields.failure());
  if (!launch_names_.insert(omission.launch).second)
    return refuseLine(fmt::format("a second launch named '{}'", omission.launch));
  recording_.omissions.push_back(std::move(omission));
  return {};
}

Expected<Json> RecordingReader::objectIn(std::string_view line) const {
  auto object = parseJson(line, file_);
  if (!object) return atThisLine(std::move(object.error()));
  if (!object->is_object()) return refuseLine("a line is not an object");
  return object;
}

Expected<void> RecordingReader::expectMembers(const Json& object, Names names,
                                              Names optional) const {
  for (const auto& [name, value] : object.items())
    if (std::ranges::find(names, name) == names.end())
      return refuseLine(fmt::format("a member '{}' is not known here", name));
  for (const std::string_view name : names)
    if (!object.contains(name) && std::ranges::find(optional, name) == optional.end())
      return refuseLine(fmt::format("the member '{}' is missing", name));
  return {};
}

tl::unexpected<Failure> RecordingReader::atThisLine(Failure failure) const {
  failure.location.file = file_;
  failure.location.line = line_;
  failure.location.column = std::max(failure.location.column, 1);
  return fail(std::move(failure));
}

}  // namespace

Expected<Recording> parseRecording(std::string_view text, std::string_view file, Origin origin) {
  return RecordingReader(file, origin).read(text);
}

Expected<Recording> readRecording(const std::filesystem::path& file, Origin origin) {
  const auto text = readFile(file);
  if (!text) return fail(text.error());
  return parseRecording(*text, file.string(), origin);
}

std::string jsonString(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string sourceLine(const SourceText& source) {
  return fmt::format(R"({{"source":{},"sha256":"{}","text":{}}})", jsonString(source.file),
                     sha256(source.text), jsonString(source.text));
}

std::string launchLine(const launch::Case& test_case) {
  launch::Case bare;
  bare.launch = test_case.launch;
  bare.expectation = test_case.expectation;
  bare.compare = test_case.compare;
  bare.expected = test_case.expected;
  return nlohmann::ordered_json::parse(launch::formatCase(bare)).dump();
}

std::string omissionLine(const Omission& omission) {
  return fmt::format(R"({{"omitted":{},"reason":{}}})", jsonString(omission.launch),
                     jsonString(omission.reason));
}

std::string sealed(std::string_view lines) {
  check(lines.ends_with('\n'), "whole lines are sealed");
  std::size_t launches = 0;
  for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1)
    if (lines.substr(at).starts_with(R"({"name":)")) ++launches;
  return fmt::format("{}{{\"end\":{},\"sha256\":\"{}\"}}\n", lines, launches, sha256(lines));
}

std::vector<std::filesystem::path> recordingFiles() {
  std::vector<std::filesystem::path> files;
  const auto folder = std::filesystem::path(QGPU_SOURCE_DIR) / "golden/recordings";
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

}  // namespace qgpu::golden
