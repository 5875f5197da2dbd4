#include "recorder.h"

#include <algorithm>
#include <cstdio>

namespace qgpu::recorder {
namespace {

std::string jsonString(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      json += escape;
    } else {
      json += c;
    }
  }
  return json + '"';
}

std::vector<Bytes> memoryFor(const Launch& launch, std::uint8_t pattern) {
  std::vector<Bytes> memory;
  for (const Parameter& parameter : launch.parameters) {
    if (!parameter.is_array) continue;
    Bytes& bytes = memory.emplace_back(kGuardBytes, pattern);
    bytes.insert(bytes.end(), parameter.bytes.begin(), parameter.bytes.end());
    bytes.insert(bytes.end(), kGuardBytes, pattern);
  }
  return memory;
}

bool guardsIntact(const Bytes& memory, std::uint8_t pattern) {
  const auto intact = [pattern](auto first) {
    return std::all_of(first, first + kGuardBytes, [pattern](auto b) { return b == pattern; });
  };
  return intact(memory.begin()) && intact(memory.end() - kGuardBytes);
}

// One run: what the arrays hold after it, in order. Empty, with `reason`, where it failed.
std::vector<Bytes> runOnce(const Launch& launch, Device& device, std::uint8_t pattern,
                           std::string& reason) {
  std::vector<Bytes> memory = memoryFor(launch, pattern);
  reason = device.run(launch, memory);
  if (!reason.empty()) return {};
  for (Bytes& bytes : memory) {
    if (!guardsIntact(bytes, pattern)) {
      reason = "the kernel wrote beside an array";
      return {};
    }
    bytes = Bytes(bytes.begin() + kGuardBytes, bytes.end() - kGuardBytes);
  }
  return memory;
}

std::uint64_t elementAt(const Bytes& bytes, std::size_t size, std::size_t index) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | bytes[index * size + i];
  return value;
}

std::vector<std::uint64_t> elements(const Bytes& bytes, const Parameter& array) {
  const std::size_t size = elementBytes(array.type);
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < bytes.size() / size; ++i) values.push_back(elementAt(bytes, size, i));
  return values;
}

bool sameResult(const Parameter& array, const Bytes& a, const Bytes& b) {
  if (array.mode == Mode::Ignored) return true;
  auto first = elements(a, array), second = elements(b, array);
  if (array.mode == Mode::Multiset) {
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
  }
  return first == second;
}

std::string elementText(std::uint64_t value, const std::string& type) {
  if (type[0] == 'u') return std::to_string(value);
  const unsigned unused = 64 - 8 * static_cast<unsigned>(elementBytes(type));
  return std::to_string(static_cast<std::int64_t>(value << unused) >> unused);
}

std::string arrayText(const Parameter& array, const Bytes& bytes) {
  std::string text;
  for (const std::uint64_t value : elements(bytes, array))
    text += (text.empty() ? "" : ",") + elementText(value, array.type);
  return array.name_json + ":[" + text + "]";
}

// The arrays that count, as a JSON object; "" with `reason` where the runs differ.
std::string outputs(const Launch& launch, const std::vector<Bytes>& first,
                    const std::vector<Bytes>& second, std::string& reason) {
  std::string text;
  std::size_t next = 0;
  for (const Parameter& parameter : launch.parameters) {
    if (!parameter.is_array) continue;
    const std::size_t i = next++;
    if (!sameResult(parameter, first[i], second[i])) {
      reason = "two runs differ in array " + parameter.name_json;
      return {};
    }
    if (parameter.mode != Mode::Ignored)
      text += (text.empty() ? "" : ",") + arrayText(parameter, first[i]);
  }
  if (text.empty()) reason = "it has no array that counts";
  return "{" + text + "}";
}

}  // namespace

std::string recordLaunch(const Launch& launch, Device& device, std::string& reason) {
  constexpr std::uint8_t kPatterns[2] = {0xa5, 0x5a};
  std::string expected;
  const auto first = runOnce(launch, device, kPatterns[0], reason);
  if (reason.empty()) {
    const auto second = runOnce(launch, device, kPatterns[1], reason);
    if (reason.empty()) expected = outputs(launch, first, second, reason);
  }
  if (!reason.empty())
    return "{\"omitted\":" + launch.name_json + ",\"reason\":" + jsonString(reason) + "}";
  return launch.record.substr(0, launch.record.size() - 1) + ",\"expected\":" + expected + "}";
}

std::string headerLine(const Device& device, const Provenance& provenance) {
  return "{\"qgpu_golden\":1,\"device\":" + jsonString(device.name()) +
         ",\"compute_capability\":" + jsonString(device.computeCapability()) +
         ",\"driver\":" + jsonString(provenance.driver) +
         ",\"toolkit\":" + jsonString(provenance.toolkit) +
         ",\"date\":" + jsonString(provenance.date) + "}";
}

Totals recordAll(const std::vector<Entry>& entries, Device& device, std::ostream& out,
                 std::ostream& log) {
  Totals totals;
  for (const Entry& entry : entries) {
    if (!entry.launch) {
      out << entry.echo << '\n';
      continue;
    }
    std::string reason;
    out << recordLaunch(*entry.launch, device, reason) << '\n';
    ++(reason.empty() ? totals.recorded : totals.omitted);
    if (!reason.empty()) log << entry.launch->name_json << " is omitted: " << reason << '\n';
  }
  return totals;
}

}  // namespace qgpu::recorder
