// fuzz_launch without a verb: a campaign, by its options.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/campaign.h"

namespace qgpu::fuzz {

struct CampaignOptions {
  std::string level = "machine", engine = "interpreter", shard = "0/1", out = ".", ledger;
  Campaign campaign;
  std::vector<std::string> without;  // shortcuts of the model
  std::int64_t most_tokens = 0;
  bool json = false, plain = false;
};

void addOptions(CLI::App& app, CampaignOptions& options);

// The exit status: 0 no difference, 1 differences, 128 and the signal's number where it was
// interrupted before it found any. The result goes to standard output.
Expected<int> runCampaign(CampaignOptions& options);

}  // namespace qgpu::fuzz
