#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "interpreter/isa/assembly.h"
#include "interpreter/isa/table.h"

namespace qgpu::isa {
namespace {

// One line of assembly, read from left to right. The first failure is kept; after it every reader
// returns a default, so that the grammar below reads without checks at each step.
class Line {
 public:
  Line(std::string_view text, Location where) : text_(text), where_(std::move(where)) {}

  bool atEnd() {
    skipBlanks();
    return at_ >= text_.size();
  }
  bool accept(std::string_view word) {
    skipBlanks();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void expect(std::string_view word) {
    if (!accept(word)) say(fmt::format("expected \"{}\"", word));
  }
  // A name: letters, digits, dots and underscores.
  std::string_view name() {
    skipBlanks();
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '.' || text_[at_] == '_'))
      ++at_;
    if (at_ == start) say("expected a name");
    return text_.substr(start, at_ - start);
  }
  int number(int low, int high) {
    skipBlanks();
    int value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{} || value < low || value > high) {
      say(fmt::format("expected a number from {} to {}", low, high));
      return low;
    }
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  bool nextIsNumber() {
    skipBlanks();
    return at_ < text_.size() &&
           (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '-');
  }
  void say(std::string message) {
    if (failure_) return;
    Location here = where_;
    here.column = static_cast<int>(at_) + 1;
    failure_ = Failure{FailureKind::Refusal, here, std::move(message),
                       "the form is shown at the top of assembly.h and by `qgpu disasm`"};
  }
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  void skipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }

  std::string_view text_;
  Location where_;
  std::size_t at_ = 0;
  std::optional<Failure> failure_;
};

class SlotReader {
 public:
  explicit SlotReader(Line& line) : line_(line) {}

  Slot read(Guard guard, std::string_view mnemonic) {
    slot_.guard = guard;
    setOpcode(mnemonic);
    const Row& r = row(slot_.op);
    readDestination(r);
    if (r.a) slot_.a = next();
    readB(r);
    if (r.unit == Unit::Predicate) readSecond();
    if (r.c) slot_.c = next();
    if (r.isShuffle()) readRange();
    if (line_.accept("else")) {
      if (r.c) line_.say(fmt::format("{} has c as an operand: it keeps no old value", r.name));
      slot_.c = operand();
    }
    return slot_;
  }

  static Guard guard(Line& line) {
    const bool negate = line.accept("!");
    if (line.accept("p")) return Guard::predicate(line.number(0, kMachine.predicates - 1), negate);
    if (line.accept("s")) return Guard::slot(line.number(1, kMachine.slots - 1) - 1, negate);
    line.say("expected a predicate: p0 to p3, or s1 to s3");
    return {};
  }

 private:
  // "sub.lt" is sub with a comparison; "vote.any" is a name of its own.
  void setOpcode(std::string_view mnemonic) {
    if (const auto op = opcodeNamed(mnemonic)) {
      slot_.op = *op;
      return;
    }
    const std::size_t dot = mnemonic.rfind('.');
    if (const auto op = opcodeNamed(mnemonic.substr(0, dot))) {
      slot_.op = *op;
      for (unsigned c = 0; c < 8; ++c) {
        slot_.compare = static_cast<Compare>(c);
        if (name(slot_.compare) == mnemonic.substr(dot + 1)) return;
      }
    }
    line_.say(fmt::format("there is no instruction \"{}\"", mnemonic));
  }

  void separate() {
    if (!first_) line_.expect(",");
    first_ = false;
  }
  Operand next() {
    separate();
    return operand();
  }

  void readDestination(const Row& r) {
    if (r.result) {
      separate();
      if (line_.accept("r")) {
        slot_.rd = static_cast<std::uint8_t>(line_.number(1, kMachine.registers - 1));
        line_.expect("!");
        slot_.live = true;
      } else {
        line_.expect("_");
      }
    }
    if (!computesPredicate(slot_)) return;
    if (!r.result)
      separate();
    else if (!line_.accept("|"))
      return;
    line_.expect("p");
    slot_.pd = static_cast<std::uint8_t>(line_.number(0, kMachine.predicates - 1));
    slot_.plive = line_.accept("!");
  }

  void readB(const Row& r) {
    if (!r.b && r.memory == Memory::None) return;
    separate();
    if (!line_.accept("[")) {
      slot_.b = operand();
      return;
    }
    if (line_.accept("shared"))
      slot_.space = Space::Shared;
    else if (line_.accept("global"))
      slot_.space = Space::Global;
    else
      line_.say("expected global or shared");
    if (line_.accept("c")) {
      slot_.base_parameter = true;
      slot_.aux = static_cast<std::uint8_t>(line_.number(0, kMachine.parameters - 1));
    } else {
      immediate();
    }
    line_.expect("+");
    slot_.b = operand();
    if (line_.accept("*")) {
      slot_.scaled = true;
      if (line_.number(1, 4) != r.width) line_.say(fmt::format("{} scales by {}", r.name, r.width));
    }
    line_.expect("]");
  }

  void readSecond() {
    separate();
    if (line_.accept("always")) return;
    const Guard second = guard(line_);
    slot_.aux = static_cast<std::uint8_t>(second.code | (second.negate ? 8 : 0));
  }

  void readRange() {
    separate();
    const int clamp = line_.number(0, 3);
    line_.expect(":");
    slot_.aux = static_cast<std::uint8_t>(clamp | line_.number(0, 3) << 2);
  }

  // A slot has one immediate field: every number in it is the same.
  void immediate() {
    const auto value = static_cast<std::int16_t>(line_.number(-32768, 32767));
    if (has_immediate_ && value != slot_.imm) line_.say("a slot has one immediate");
    slot_.imm = value;
    has_immediate_ = true;
  }

  Operand operand() {
    if (line_.nextIsNumber()) {
      immediate();
      return Operand::immediate();
    }
    for (int s = 0; s < kSpecials; ++s)
      if (line_.accept(name(static_cast<Special>(s))))
        return Operand::special(static_cast<Special>(s));
    if (line_.accept("r")) return Operand::reg(line_.number(0, kMachine.registers - 1));
    if (line_.accept("s")) return Operand::slot(line_.number(1, kMachine.slots - 1) - 1);
    if (line_.accept("c")) return Operand::parameter(line_.number(0, kMachine.parameters - 1));
    line_.say("expected an operand: r0-r15, s1-s3, c0-c31, a special name or a number");
    return {};
  }

  Line& line_;
  Slot slot_;
  bool first_ = true;
  bool has_immediate_ = false;
};

Condition readCondition(Line& line) {
  const bool negate = line.accept("!");
  if (line.accept("p"))
    return Condition::predicate(line.number(0, kMachine.predicates - 1), negate);
  line.expect("s");
  return Condition::slot(line.number(1, kMachine.slots) - 1, negate);
}

std::optional<Header> readTerminator(Line& line, std::string_view mnemonic) {
  for (int k = 0; k < kTerminators; ++k) {
    const auto kind = static_cast<Terminator>(k);
    if (name(kind) != mnemonic) continue;
    Header h;
    h.kind = kind;
    const auto target = [&] {
      return static_cast<std::uint8_t>(line.number(0, kMachine.blocks - 1));
    };
    if (kind == Terminator::Branch || kind == Terminator::ExitIf) {
      h.condition = readCondition(line);
      line.expect(",");
    }
    if (kind != Terminator::Exit && kind != Terminator::Trap) h.target = target();
    if (kind == Terminator::Branch) {
      line.expect(",");
      h.other = target();
    }
    return h;
  }
  return std::nullopt;
}

class Assembler {
 public:
  explicit Assembler(const std::string& file_name) : file_name_(file_name) {}

  Expected<Program> run(std::string_view text) {
    int number = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view whole = text.substr(0, end);
      Line line(whole.substr(0, whole.find(';')), {file_name_, ++number, 1});
      if (!line.atEnd()) statement(line);
      if (!line.failure() && !line.atEnd()) line.say("unexpected text");
      if (line.failure()) return fail(*line.failure());
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (open_) return refuseAt({file_name_, number, 1}, "the last block has no terminator");
    return std::move(program_);
  }

 private:
  void statement(Line& line) {
    if (line.accept("block")) return startBlock(line);
    if (!open_) return line.say("expected \"block N:\"");
    Guard guard;
    if (line.accept("@")) guard = SlotReader::guard(line);
    const std::string_view mnemonic = line.name();
    if (guard.always()) {
      if (const auto header = readTerminator(line, mnemonic)) return endBlock(*header);
    }
    if (used_ == kMachine.slots) return line.say("a block has four slots");
    program_.blocks.back().slots[used_++] = SlotReader(line).read(guard, mnemonic);
  }

  void startBlock(Line& line) {
    const int next = static_cast<int>(program_.blocks.size());
    if (open_) line.say("the block before has no terminator");
    if (line.number(0, kMachine.blocks - 1) != next)
      line.say(fmt::format("expected block {}", next));
    line.expect(":");
    program_.blocks.emplace_back();
    open_ = true;
    used_ = 0;
  }

  // Division and replay follow from the instructions.
  void endBlock(Header header) {
    Block& block = program_.blocks.back();
    const Opcode first = block.slots[0].op;
    header.divide = first == Opcode::Div || first == Opcode::Divu;
    for (const Slot& s : block.slots) header.replay |= row(s.op).memory == Memory::Replay;
    block.header = header;
    open_ = false;
  }

  std::string file_name_;
  Program program_;
  bool open_ = false;
  int used_ = 0;
};

}  // namespace

Expected<Program> assemble(std::string_view text, const std::string& file_name) {
  return Assembler(file_name).run(text);
}

}  // namespace qgpu::isa
