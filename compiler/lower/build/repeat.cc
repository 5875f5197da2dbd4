#include "compiler/lower/build/repeat.h"

#include "interpreter/base/failure.h"

namespace qgpu::lower {
namespace {

void write(Context& c, const std::vector<Id>& words) {
  for (std::size_t n = 0; n < words.size(); ++n)
    c.variables.write(c.carriedVariable(n), c.b.block(), {words[n]});
}

void leadTo(Context& c, int next) { c.f.blocks[next].predecessors.push_back(c.b.block()); }

}  // namespace

std::vector<Id> repeat(Context& c, std::uint32_t rounds, std::vector<Id> first,
                       const Round& round) {
  check(first.size() < kCarriedWords, "there is a variable for each word that a loop carries");
  // Counted up to zero: the sum's carry says that it is there.
  first.push_back(c.b.constant(0u - rounds));
  write(c, first);
  const int body = c.f.newBlock();
  BasicBlock& before = c.f.blocks[c.b.block()];
  before.terminator = Terminator::Jump;
  before.target = body;
  before.origin = c.b.origin();
  leadTo(c, body);

  c.b.setBlock(body);
  std::vector<Id> now;
  for (std::size_t n = 0; n < first.size(); ++n)
    now.push_back(c.variables.read(c.carriedVariable(n), body).id);
  const Id count = now.back();
  now.pop_back();
  std::vector<Id> next = round(now);
  check(c.b.block() == body, "a round is one block");
  const Value counted = c.b.addWithCarry(count, c.b.constant(1), Predicate::never());
  next.push_back(counted.word);
  write(c, next);
  next.pop_back();

  const int after = c.f.newBlock();
  BasicBlock& last = c.f.blocks[body];
  last.terminator = Terminator::Branch;
  last.condition = counted.flag;
  last.target = after;
  last.other = body;
  last.origin = c.b.origin();
  leadTo(c, after);
  leadTo(c, body);
  c.variables.seal(body);
  c.variables.seal(after);
  c.b.setBlock(after);
  return next;
}

}  // namespace qgpu::lower
