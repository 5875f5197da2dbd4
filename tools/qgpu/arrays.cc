#include "tools/qgpu/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tools/api/joined.h"

namespace qgpu::cli {
namespace {

using launch::ElementType;

std::vector<std::string> elementTexts(const std::vector<std::uint8_t>& bytes, ElementType type) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < bytes.size() / launch::sizeOf(type); ++i)
    texts.push_back(launch::elementText(type, launch::elementBits(bytes, type, i)));
  return texts;
}

// Elements in a row: as many as fit, of the numbers that people count in.
std::size_t rowLength(std::size_t room, std::size_t column) {
  const std::size_t fit = std::max<std::size_t>(1, room / column);
  for (const std::size_t nice : {32, 16, 10, 8, 5, 4, 2})
    if (nice <= fit) return nice;
  return 1;
}

Json elementJson(ElementType type, std::uint64_t bits) {
  if (type == ElementType::Float) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (!launch::isSigned(type)) return bits;
  const int unused = 64 - 8 * static_cast<int>(launch::sizeOf(type));
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

}  // namespace

std::string formatArray(const std::string& name, const std::vector<std::uint8_t>& bytes,
                        ElementType type, const Terminal& terminal) {
  const std::vector<std::string> texts = elementTexts(bytes, type);
  const std::string title = terminal.styled(name, Style::Bold) + " = ";
  const std::string line = fmt::format("[{}]", joined(texts));
  const auto width = static_cast<std::size_t>(terminal.width());
  if (name.size() + 3 + line.size() <= width) return title + line + '\n';

  std::size_t column = 0;
  for (const std::string& text : texts) column = std::max(column, text.size());
  const std::size_t index = std::to_string(texts.size()).size();
  const std::size_t row = rowLength(width - std::min(width, index + 6), column + 2);
  std::string result = title + '\n';
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i % row == 0) result += terminal.styled(fmt::format("  [{:>{}}]", i, index), Style::Dim);
    result += fmt::format("  {:>{}}", texts[i], column);
    if (i % row == row - 1 || i + 1 == texts.size()) result += '\n';
  }
  return result;
}

Json arrayJson(const std::vector<std::uint8_t>& bytes, ElementType type) {
  Json list = Json::array();
  for (std::size_t i = 0; i < bytes.size() / launch::sizeOf(type); ++i)
    list.push_back(elementJson(type, launch::elementBits(bytes, type, i)));
  return list;
}

}  // namespace qgpu::cli
