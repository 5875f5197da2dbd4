#include "tools/qgpu/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "interpreter/base/files.h"
#include "interpreter/isa/assembly.h"

namespace qgpu::cli {
namespace {

constexpr std::size_t kCodeColumns = 50;

// The lines of the source files that a listing quotes.
class Sources {
 public:
  std::string line(const Location& where) {
    const auto& lines = linesOf(where.file);
    const auto index = static_cast<std::size_t>(where.line) - 1;
    if (where.line <= 0 || index >= lines.size()) return {};
    const std::size_t first = lines[index].find_first_not_of(" \t");
    return first == std::string::npos ? "" : lines[index].substr(first);
  }
  // Why there are no lines of some.
  const std::vector<Failure>& unread() const { return unread_; }

 private:
  const std::vector<std::string>& linesOf(const std::string& file) {
    const auto [entry, is_new] = files_.try_emplace(file);
    if (!is_new) return entry->second;
    const auto text = readFile(file);
    if (!text) {
      unread_.push_back(text.error());
      return entry->second;
    }
    std::string_view rest = *text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      entry->second.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return entry->second;
  }

  std::map<std::string, std::vector<std::string>> files_;
  std::vector<Failure> unread_;
};

Location placeOf(const Program& program, const lower::Origin& origin) {
  if (origin.source.line != 0) return origin.source;
  return {program.launch.kernel.string(), origin.ptx_line, 0};
}

int usedSlots(const isa::Block& block) {
  int used = kMachine.slots;
  while (used > 0 && block.slots[static_cast<std::size_t>(used - 1)] == isa::Slot{}) --used;
  return used;
}

const lower::BlockOrigin& originsOf(const Program& program, std::size_t block) {
  static const lower::BlockOrigin kUnknown{};
  const auto& origins = program.lowered.report.origins;
  return block < origins.size() ? origins[block] : kUnknown;
}

}  // namespace

Listing listing(const Program& program, const Terminal& terminal) {
  Sources sources;
  std::string text;
  Location last;
  const auto add = [&](const std::string& code, const lower::Origin& origin) {
    text += fmt::format("  {:<{}}", code, kCodeColumns);
    const Location place = placeOf(program, origin);
    std::string note;
    if (place.line != 0 && (place.line != last.line || place.file != last.file)) {
      note = fmt::format("{:>4}  {}", place.line, sources.line(place));
      last = place;
    }
    text += terminal.styled(note.empty() ? "|" : fmt::format("| {}", note), Style::Dim) + '\n';
  };
  const auto& blocks = program.lowered.program.blocks;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    text += terminal.styled(fmt::format("block {}:", b), Style::Bold) + '\n';
    const lower::BlockOrigin& origins = originsOf(program, b);
    for (int s = 0; s < usedSlots(blocks[b]); ++s) {
      const auto i = static_cast<std::size_t>(s);
      add(isa::disassemble(blocks[b].slots[i]), origins.slots[i]);
    }
    add(isa::disassemble(blocks[b].header), origins.terminator);
  }
  return {std::move(text), sources.unread()};
}

Json listingJson(const Program& program) {
  const auto line = [&](const std::string& code, const lower::Origin& origin) {
    Json object = {{"text", code}};
    if (const Location place = placeOf(program, origin); place.line != 0)
      object["location"] = place.text();
    return object;
  };
  Json list = Json::array();
  const auto& blocks = program.lowered.program.blocks;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const lower::BlockOrigin& origins = originsOf(program, b);
    Json slots = Json::array();
    for (int s = 0; s < usedSlots(blocks[b]); ++s) {
      const auto i = static_cast<std::size_t>(s);
      slots.push_back(line(isa::disassemble(blocks[b].slots[i]), origins.slots[i]));
    }
    list.push_back({{"slots", slots},
                    {"terminator", line(isa::disassemble(blocks[b].header), origins.terminator)}});
  }
  return {{"status", "ok"}, {"kernel", program.kernel}, {"blocks", list}};
}

}  // namespace qgpu::cli
