#include "tools/chat/grammar/arguments_recogniser.h"

#include "interpreter/isa/machine_parameters.h"

namespace qgpu::chat {
namespace {

constexpr std::int64_t kLowest = -2147483648LL, kHighest = 4294967295LL;  // of int and unsigned
constexpr NumberListRecogniser::Form kListForm{
    kLowest, kHighest, static_cast<std::size_t>(kMachine.global_words), false};

}  // namespace

bool ArgumentsRecogniser::accept(char byte) {
  const auto expects = [&](char wanted, Expect then) {
    if (byte != wanted) return false;
    expect_ = then;
    return true;
  };
  switch (expect_) {
    case Expect::Brace: return expects('{', Expect::FirstQuote);
    case Expect::FirstQuote: return expects('}', Expect::Nothing) || expects('"', Expect::Name);
    case Expect::SpaceOrQuote: return expects(' ', Expect::Quote) || expects('"', Expect::Name);
    case Expect::Quote: return expects('"', Expect::Name);
    case Expect::Name: return name(byte);
    case Expect::Colon: return expects(':', Expect::SpaceOrValue);
    case Expect::SpaceOrValue: return expects(' ', Expect::Value) || value(byte);
    case Expect::Value: return value(byte);
    case Expect::Digits: return number_.accept(byte) || (number_.complete() && afterValue(byte));
    case Expect::List:
      if (!list_.accept(byte)) return false;
      if (list_.complete()) expect_ = Expect::AfterList;
      return true;
    case Expect::AfterList: return afterValue(byte);
    default: return false;
  }
}

bool ArgumentsRecogniser::name(char byte) {
  if (byte == '"' && letters_ > 0) {
    letters_ = 0;
    ++arguments_;
    expect_ = Expect::Colon;
    return true;
  }
  const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
  const bool digit = byte >= '0' && byte <= '9' && letters_ > 0;
  if (!(letter || digit) || letters_ == kLongestName) return false;
  ++letters_;
  return true;
}

bool ArgumentsRecogniser::value(char byte) {
  if (byte == '[') {
    list_ = NumberListRecogniser(kListForm);
    expect_ = Expect::List;
    return true;
  }
  IntegerRecogniser number(kLowest, kHighest);
  if (!number.accept(byte)) return false;
  number_ = number;
  expect_ = Expect::Digits;
  return true;
}

bool ArgumentsRecogniser::afterValue(char byte) {
  if (byte == '}') {
    expect_ = Expect::Nothing;
    return true;
  }
  if (byte != ',' || arguments_ == kMostArguments) return false;
  expect_ = Expect::SpaceOrQuote;
  return true;
}

void ArgumentsRecogniser::close(std::string& out) const {
  switch (expect_) {
    case Expect::Nothing: return;
    case Expect::Brace: out += "{}"; return;
    case Expect::FirstQuote: out += '}'; return;
    case Expect::SpaceOrQuote:
    case Expect::Quote: out += "\"a\":0}"; return;
    case Expect::Name: out += letters_ == 0 ? "a\":0}" : "\":0}"; return;
    case Expect::Colon: out += ":0}"; return;
    case Expect::SpaceOrValue:
    case Expect::Value: out += "0}"; return;
    case Expect::Digits: number_.close(out); break;
    case Expect::List: list_.close(out); break;
    case Expect::AfterList: break;
  }
  out += '}';
}

}  // namespace qgpu::chat
