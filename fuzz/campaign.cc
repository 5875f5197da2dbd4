#include "fuzz/campaign.h"

#include <thread>

#include "fuzz/conductor.h"
#include "interpreter/base/threads.h"

namespace qgpu::fuzz {

Result run(const Campaign& campaign) {
  Conductor conductor(campaign);
  const auto work = [&] {
    const std::unique_ptr<Level> level = campaign.make();
    while (const auto range = conductor.next())
      conductor.take(*range, runChunk(*level, *range, conductor.hooks()));
  };
  std::vector<std::thread> threads;
  startThreads(threads, campaign.jobs - 1, work);
  work();
  for (std::thread& thread : threads) thread.join();
  return conductor.result();
}

}  // namespace qgpu::fuzz
