#include "fuzz/campaign.h"

#include <system_error>
#include <thread>

#include "fuzz/conductor.h"
#include "interpreter/base/threads.h"

namespace qgpu::fuzz {

Result run(const Campaign& campaign) {
  Conductor conductor(campaign);
  const auto work = [&] {
    try {
      const std::unique_ptr<Level> level = campaign.make();
      while (const auto range = conductor.next())
        conductor.take(*range, runChunk(*level, *range, conductor.hooks()));
    } catch (const CannotGoOn& reason) {  // on a thread it would end the program
      conductor.fail(reason.failure);
    } catch (const std::system_error& error) {
      Failure failure;
      failure.message = error.what();
      failure.hint = "free what the system is short of";
      conductor.fail(std::move(failure));
    }
  };
  std::vector<std::thread> threads;
  startThreads(threads, campaign.jobs - 1, work);
  work();
  for (std::thread& thread : threads) thread.join();
  return conductor.result();
}

}  // namespace qgpu::fuzz
