#include "tools/chat/grammar/number_list.h"

namespace qgpu::chat {

bool NumberListRecogniser::accept(char byte) {
  switch (expect_) {
    case Expect::NumberOrRow: return beginNumber(byte) || (form_.matrices && beginRow(byte));
    case Expect::Number: return beginNumber(byte);
    case Expect::SpaceOrNumber:
      if (byte != ' ') return beginNumber(byte);
      expect_ = Expect::Number;
      return true;
    case Expect::MoreDigits: return number_.accept(byte) || afterNumber(byte);
    case Expect::SpaceOrRow:
      if (byte != ' ') return beginRow(byte);
      expect_ = Expect::Row;
      return true;
    case Expect::Row: return beginRow(byte);
    case Expect::AfterRow: return afterRow(byte);
    default: return false;
  }
}

bool NumberListRecogniser::beginNumber(char byte) {
  IntegerRecogniser number(form_.low, form_.high);
  if (!number.accept(byte)) return false;
  number_ = number;
  ++numbers_;
  ++in_row_;
  expect_ = Expect::MoreDigits;
  return true;
}

bool NumberListRecogniser::beginRow(char byte) {
  if (byte != '[') return false;
  matrix_ = true;
  in_row_ = 0;
  expect_ = Expect::Number;
  return true;
}

bool NumberListRecogniser::afterNumber(char byte) {
  if (!number_.complete()) return false;
  if (byte == ',' && in_row_ < mostInRow() && numbers_ < form_.most) {
    expect_ = Expect::SpaceOrNumber;
    return true;
  }
  if (byte != ']' || (columns_ > 0 && in_row_ < columns_)) return false;
  if (matrix_) columns_ = in_row_;
  expect_ = matrix_ ? Expect::AfterRow : Expect::Nothing;
  return true;
}

bool NumberListRecogniser::afterRow(char byte) {
  if (byte == ']') {
    expect_ = Expect::Nothing;
    return true;
  }
  if (byte != ',' || numbers_ + columns_ > form_.most) return false;
  expect_ = Expect::SpaceOrRow;
  return true;
}

void NumberListRecogniser::close(std::string& out) const {
  if (expect_ == Expect::Nothing) return;
  if (expect_ != Expect::AfterRow) {
    std::size_t in_row = in_row_;
    if (expect_ == Expect::SpaceOrRow || expect_ == Expect::Row) {
      out += '[';
      in_row = 0;
    }
    if (expect_ == Expect::MoreDigits) {
      number_.close(out);
    } else {
      IntegerRecogniser(form_.low, form_.high).close(out);
      ++in_row;
    }
    for (; in_row < columns_; ++in_row) {
      out += ',';
      IntegerRecogniser(form_.low, form_.high).close(out);
    }
    out += ']';
    if (!matrix_) return;
  }
  out += ']';
}

}  // namespace qgpu::chat
