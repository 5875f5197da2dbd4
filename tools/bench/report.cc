// The figures as a table, as JSON and as a page; and the machine they were taken on.
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

#include "tools/bench/measure.h"

namespace qgpu::bench {
namespace {

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      return line.substr(std::min(line.find(':') + 2, line.size()));
  return "unknown processor";
}

// "12,345", "1,234.5" below a million with digits where they matter.
std::string number(double value) {
  if (value == 0) return "";
  const int digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  std::string text = fmt::format("{:.{}f}", value, digits);
  for (auto at = static_cast<std::ptrdiff_t>(std::min(text.find('.'), text.size())) - 3; at > 0;
       at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string withUnit(double value, const Measurement& m) {
  const std::string text = number(value);
  return text.empty() ? text : m.isRate() ? text + "/s" : text + ' ' + m.unit;
}

std::string timesText(const Measurement& m) {
  return m.times() == 0 ? "" : fmt::format("{:.1f}", m.times());
}

std::string hostText(const Host& host) {
  return fmt::format("{}, {} core{}, {:.0f} GB, {}, {}", host.processor, host.cores,
                     host.cores == 1 ? "" : "s", host.memory_gb, host.system, host.compiler);
}

std::string ceilingsText(const Ceilings& c) {
  return fmt::format(
      "memory read {:.1f} GB/s (one core), {:.1f} GB/s (all); sparse columns {:.2f} G weights/s; "
      "bits {:.0f} G weights x positions/s; plain interpreter {:.0f} M warp instructions/s; "
      "SHA-256 {:.2f} GB/s",
      c.read_one_core / 1e9, c.read_all_cores / 1e9, c.sparse_nonzeros / 1e9, c.bit_nonzeros / 1e9,
      c.plain_instructions / 1e6, c.hashed_bytes / 1e9);
}

}  // namespace

Host thisHost() {
  Host host;
  host.processor = processorName();
  host.cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  host.memory_gb = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                   static_cast<double>(sysconf(_SC_PAGE_SIZE)) / 1e9;
  utsname system{};
  if (uname(&system) == 0) host.system = fmt::format("{} {}", system.sysname, system.machine);
#if defined(__clang__)
  host.compiler = fmt::format("clang {}.{}", __clang_major__, __clang_minor__);
#else
  host.compiler = fmt::format("g++ {}.{}", __GNUC__, __GNUC_MINOR__);
#endif
  return host;
}

std::string table(const Bench& bench) {
  std::string text = hostText(bench.host) + '\n' + ceilingsText(bench.ceilings) + '\n';
  std::string group;
  for (const Measurement& m : bench.measurements) {
    if (m.group != group)
      text += fmt::format("\n{:<58} {:>16} {:>16} {:>6}\n", m.group, "measured", "floor", "x");
    group = m.group;
    text += fmt::format("  {:<56} {:>16} {:>16} {:>6}  {}\n", m.what, withUnit(m.value, m),
                        withUnit(m.floor, m), timesText(m), m.floor_from);
  }
  return text;
}

nlohmann::ordered_json json(const Bench& bench) {
  using Json = nlohmann::ordered_json;
  const Host& h = bench.host;
  const Ceilings& c = bench.ceilings;
  Json figures = Json::object();
  for (const Measurement& m : bench.measurements) {
    Json figure = {{"value", m.value}, {"unit", m.unit}};
    if (m.floor != 0)
      figure.update({{"floor", m.floor}, {"times", m.times()}, {"floor_from", m.floor_from}});
    figures[m.group][m.key] = figure;
  }
  return {{"host",
           {{"processor", h.processor},
            {"cores", h.cores},
            {"memory_gb", h.memory_gb},
            {"system", h.system},
            {"compiler", h.compiler}}},
          {"ceilings",
           {{"read_one_core", c.read_one_core},
            {"read_all_cores", c.read_all_cores},
            {"sparse_nonzeros", c.sparse_nonzeros},
            {"bit_nonzeros", c.bit_nonzeros},
            {"plain_instructions", c.plain_instructions},
            {"hashed_bytes", c.hashed_bytes}}},
          {"figures", figures}};
}

std::string page(const Bench& bench) {
  std::string text = fmt::format("Taken on {}.\n\nCeilings, in the same run: {}.\n",
                                 hostText(bench.host), ceilingsText(bench.ceilings));
  std::string group;
  for (const Measurement& m : bench.measurements) {
    if (m.group != group)
      text += fmt::format(
          "\n| {} | measured | floor | times | the floor is |\n|---|---:|---:|---:|---|\n",
          m.group);
    group = m.group;
    text += fmt::format("| {} | {} | {} | {} | {} |\n", m.what, withUnit(m.value, m),
                        withUnit(m.floor, m), timesText(m), m.floor_from);
  }
  return text;
}

}  // namespace qgpu::bench
