// How the command talks: results to standard output, diagnostics to standard error, colour only
// where a person reads it.
//
//   Terminal terminal = Terminal::standard(json);
//   terminal.print("c = [32]\n");
//   terminal.complain(failure);      // dot.cu:3:14: error: ..., with the line and a caret
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "interpreter/base/failure.h"

namespace qgpu::cli {

// JSON objects keep the order in which keys are set.
using Json = nlohmann::ordered_json;

enum class Style : std::uint8_t { Plain, Bold, Dim, Red, Green, Yellow, Blue, Cyan };

// Text in a style, or as it is where `on` is false.
std::string styled(std::string_view text, Style style, bool on);

class Terminal {
 public:
  // Colours follow isatty, NO_COLOR and TERM=dumb; the width follows the window or COLUMNS.
  // With `json`, print and note are silent and `object` is the only thing on standard output.
  static Terminal standard(bool json);

  bool json() const { return json_; }
  // Columns for results, 100 where nobody looks.
  int width() const { return width_; }
  std::string styled(std::string_view text, Style style) const {
    return cli::styled(text, style, colour_out_);
  }

  void print(std::string_view text) const;    // standard output
  void note(std::string_view message) const;  // "note: MESSAGE" on standard error
  void warn(std::string_view message) const;  // a whole "LOCATION: warning: ..." line
  // The failure on standard error, with the source line it points at where that can be read.
  void complain(const Failure& failure) const;
  void object(const Json& object) const;
  // The failure that ends the command: a complaint and, with `json`, its object.
  void report(const Failure& failure) const;

 private:
  bool json_ = false;
  bool colour_out_ = false, colour_error_ = false;
  int width_ = 100;
};

// {"status": "refusal", "message": ..., "location": ...}
Json failureObject(const Failure& failure);

// From here on a check of ours that fails is reported by `terminal` before the process ends.
void reportBugsTo(const Terminal& terminal);

}  // namespace qgpu::cli
