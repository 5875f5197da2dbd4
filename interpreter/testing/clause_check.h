// One row of the instruction table held against a meaning of its instruction, on the inputs that
// the row's tests use: pairs of edges, random operands, every range of a shuffle, every vote.
//
//   EXPECT_EQ(clauseDisagreement(Opcode::Add), std::nullopt);      // the plain meaning
//   EXPECT_TRUE(clauseDisagreement(Opcode::Add, mutant.meaning));  // and one that is wrong
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interpreter/isa/table.h"
#include "interpreter/testing/plain_clauses.h"

namespace qgpu::isatest {

// The first input on which the row and the meaning differ, with both answers; nothing where they
// agree on all.
std::optional<std::string> clauseDisagreement(isa::Opcode op, const Meaning& meaning = {});

// What the row says the instruction reads, writes and does with its guard, against the meaning's
// kind: the first difference.
std::optional<std::string> kindDisagreement(isa::Opcode op, const Meaning& meaning = {});

// The comparisons that a row may hold; Eq alone where it holds none.
std::vector<isa::Compare> comparisons(const isa::Row& row);

}  // namespace qgpu::isatest
