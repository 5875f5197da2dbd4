#include "launch_list.h"

#include <sstream>
#include <utility>

namespace qgpu::recorder {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// "-" stands for none.
bool readBytes(const std::string& text, Bytes& bytes) {
  if (text == "-") return true;
  if (text.empty() || text.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]), low = digit(text[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes.push_back(static_cast<std::uint8_t>(16 * high + low));
  }
  return true;
}

bool readMode(const std::string& text, Mode& mode) {
  for (const auto& [name, value] :
       {std::pair("exact", Mode::Exact), std::pair("multiset", Mode::Multiset),
        std::pair("ignored", Mode::Ignored)}) {
    if (text != name) continue;
    mode = value;
    return true;
  }
  return false;
}

bool nothingLeft(std::istream& in) { return (in >> std::ws).eof(); }

class ListReader {
 public:
  // "" or what is wrong with the line.
  std::string add(const std::string& line);
  bool inLaunch() const { return open_.has_value(); }
  std::vector<Entry> take() { return std::move(entries_); }

 private:
  bool addToLaunch(const std::string& word, std::istream& rest);
  bool addArray(std::istream& rest);

  std::vector<Entry> entries_;
  std::optional<Launch> open_;
};

std::string ListReader::add(const std::string& line) {
  std::istringstream rest(line);
  std::string word;
  rest >> word >> std::ws;
  const bool outside = word == "echo" || word == "launch";
  if (outside && open_) return "the launch before this line has no 'record'";
  if (!outside && !open_) return "no launch has begun";
  if (!outside) return addToLaunch(word, rest) ? "" : "'" + word + "' is malformed or unknown";
  std::string text;
  if (!std::getline(rest, text) || text.empty()) return "nothing follows '" + word + "'";
  if (word == "echo") {
    entries_.push_back({text, std::nullopt});
  } else {
    open_.emplace();
    open_->name_json = text;
  }
  return {};
}

bool ListReader::addToLaunch(const std::string& word, std::istream& rest) {
  Launch& launch = *open_;
  const auto three = [&](unsigned* sizes) {
    return static_cast<bool>(rest >> sizes[0] >> sizes[1] >> sizes[2]) && nothingLeft(rest);
  };
  if (word == "module") return rest >> launch.module && nothingLeft(rest);
  if (word == "symbol") return rest >> launch.symbol && nothingLeft(rest);
  if (word == "grid") return three(launch.grid);
  if (word == "block") return three(launch.block);
  if (word == "shared") return rest >> launch.shared_bytes && nothingLeft(rest);
  if (word == "array") return addArray(rest);
  if (word == "value") {
    std::string bytes;
    launch.parameters.emplace_back();
    return rest >> bytes && nothingLeft(rest) && readBytes(bytes, launch.parameters.back().bytes);
  }
  if (word != "record" || launch.module.empty() || launch.symbol.empty()) return false;
  if (!std::getline(rest, launch.record) || launch.record.size() < 2 || launch.record.back() != '}')
    return false;
  entries_.push_back({"", std::move(launch)});
  open_.reset();
  return true;
}

bool ListReader::addArray(std::istream& rest) {
  Parameter array;
  array.is_array = true;
  std::string mode, bytes;
  if (!(rest >> array.type >> mode >> bytes >> std::ws) || !std::getline(rest, array.name_json))
    return false;
  const std::size_t size = elementBytes(array.type);
  if (size == 0 || !readMode(mode, array.mode) || !readBytes(bytes, array.bytes) ||
      array.bytes.size() % size != 0)
    return false;
  open_->parameters.push_back(std::move(array));
  return true;
}

}  // namespace

std::size_t elementBytes(const std::string& type) {
  if (type == "int8" || type == "uint8") return 1;
  if (type == "int16" || type == "uint16") return 2;
  if (type == "int" || type == "unsigned") return 4;
  if (type == "int64" || type == "uint64") return 8;
  return 0;
}

std::optional<std::vector<Entry>> readLaunchList(std::istream& in, std::string& complaint) {
  std::string line;
  if (!std::getline(in, line) || line != "qgpu-launches 1") {
    complaint = "line 1: this is no list of launches, or one of another version";
    return std::nullopt;
  }
  ListReader reader;
  for (int number = 2; std::getline(in, line); ++number) {
    const std::string wrong = reader.add(line);
    if (wrong.empty()) continue;
    complaint = "line " + std::to_string(number) + ": " + wrong;
    return std::nullopt;
  }
  if (reader.inLaunch()) {
    complaint = "the list broke off within a launch";
    return std::nullopt;
  }
  return reader.take();
}

}  // namespace qgpu::recorder
