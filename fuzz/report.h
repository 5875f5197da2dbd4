// What ledgers say, for a person, a page and a program.
//
//   fmt::print("{}", table(*ledger->totals()));
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fuzz/ledger.h"

namespace qgpu::fuzz {

// The rate of mismatches that a campaign speaks against with 95 % confidence: with more than that,
// as few as `found` would have been seen in `launches` independent ones in less than one campaign
// of twenty. Without a finding it is the rule of three, 3 / launches. 1 where there are no
// launches.
double upperBound95(std::int64_t found, std::int64_t launches);

// Launches that ran: those that no engine took are not among them.
std::int64_t judged(const Total& total);

// One line for each book, the sums over all programs, and the refusals by reason. Commits are cut
// to `git`'s short form.
std::string table(const std::vector<Total>& totals);
std::string markdown(const std::vector<Total>& totals);
nlohmann::ordered_json json(const std::vector<Total>& totals);

}  // namespace qgpu::fuzz
