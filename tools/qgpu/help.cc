#include "tools/qgpu/help.h"

#include <fmt/format.h>

#include <algorithm>

namespace qgpu::cli {
namespace {

constexpr std::size_t kColumn = 26;  // where descriptions begin
constexpr std::size_t kWidth = 100;

constexpr std::string_view kStatuses =
    "  0  done; with expectations or --check, all agree      1  they disagree\n"
    "  2  refused: usage, or input that is not supported     3  trap: the kernel's fault\n"
    "  4  a bug in qgpu\n";

std::string heading(std::string_view text, const Terminal& terminal) {
  return '\n' + terminal.styled(text, Style::Bold) + '\n';
}

// `text` in lines of up to kWidth columns, the second and later ones indented to kColumn.
std::string wrapped(std::string_view text) {
  std::string result;
  std::size_t column = kColumn;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column > kColumn && column + 1 + word.size() > kWidth) {
      result += '\n' + std::string(kColumn, ' ');
      column = kColumn;
    }
    if (column > kColumn) result += ' ', ++column;
    result += word;
    column += word.size();
  }
  return result;
}

std::string row(std::string_view left, std::string_view right, const Terminal& terminal) {
  const std::string name = "  " + terminal.styled(left, Style::Green);
  const std::size_t used = left.size() + 2;
  const std::string gap =
      used + 2 > kColumn ? '\n' + std::string(kColumn, ' ') : std::string(kColumn - used, ' ');
  return name + gap + wrapped(right) + '\n';
}

// "--entry NAME", "-h, --help", "FILE".
std::string signature(const CLI::Option& option) {
  if (option.get_positional()) return option.get_type_name();
  std::string names;
  for (const std::string& s : option.get_snames()) names += "-" + s + ", ";
  for (const std::string& l : option.get_lnames()) names += "--" + l + ", ";
  names.resize(names.size() - 2);
  const std::string type = option.get_type_size() == 0 ? "" : option.get_type_name();
  return type.empty() ? names : names + ' ' + type;
}

}  // namespace

std::string overview(const std::vector<std::unique_ptr<Verb>>& verbs, const Terminal& terminal) {
  std::string text = "Runs CUDA kernels on a 4-lane SIMT machine, exactly, and shows how.\n";
  text += heading("Usage", terminal);
  text += "  qgpu VERB [options]\n  qgpu FILE [options]       the same as `qgpu run FILE`\n";
  text += heading("Verbs", terminal);
  for (const auto& verb : verbs) text += row(verb->name(), verb->summary(), terminal);
  text += row("--help, --version", "`qgpu VERB --help` has each verb's options and an example",
              terminal);
  text += heading("Example", terminal);
  text +=
      "  $ cat dot.cu\n"
      "  __global__ void dot(const int* a, const int* b, int* c, int n) {\n"
      "    int i = threadIdx.x;\n"
      "    if (i < n) atomicAdd(c, a[i] * b[i]);\n"
      "  }\n"
      "  $ qgpu dot.cu --block 3 --arg a=1,2,3 --arg b=4,5,6 --arg c=[1] --arg n=3\n"
      "  c = [32]\n";
  return text + heading("Exit status", terminal) + std::string(kStatuses);
}

std::string verbHelp(const Verb& verb, const CLI::App& app, const Terminal& terminal) {
  std::string text = fmt::format("{}.\n", verb.summary());
  text += heading("Usage", terminal);
  text += fmt::format("  qgpu {} {}\n", verb.name(), verb.synopsis());
  text += heading("Options", terminal);
  for (const CLI::Option* option : app.get_options())
    text += row(signature(*option), option->get_description(), terminal);
  text += heading("Example", terminal) + std::string(verb.example());
  return text + heading("Exit status", terminal) + std::string(kStatuses);
}

std::vector<std::string> optionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& l : option->get_lnames()) names.push_back("--" + l);
  return names;
}

}  // namespace qgpu::cli
