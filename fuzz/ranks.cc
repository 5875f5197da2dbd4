#include "fuzz/ranks.h"

#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "fuzz/conductor.h"
#include "fuzz/interruption.h"

namespace qgpu::fuzz {
namespace {

// A worker tells what ran, and thereby asks for more; the answer is a range, empty at the end. One
// that leaves tells what ran and wants no answer.
enum Tag : int { kRan = 1, kLeaves = 2, kRange = 3 };

// MPI waits by spinning, which would cost a core for rank 0 alone; and a chunk takes much longer.
constexpr std::chrono::milliseconds kBetweenLooks{1};

// After that time a worker hands over what it has, so that rank 0 soon learns of findings, and a
// campaign that is interrupted soon ends.
constexpr std::chrono::seconds kLongestChunk{5};

struct Message {
  int rank = 0;
  bool leaves = false;
  Chunk chunk;
};

Message receive() {
  MPI_Status status;
  for (int has_come = 0;;) {
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &has_come, &status);
    if (has_come != 0) break;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  std::string text(static_cast<std::size_t>(size), '\0');
  MPI_Recv(text.data(), size, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return {status.MPI_SOURCE, status.MPI_TAG == kLeaves, chunkFrom(nlohmann::json::parse(text))};
}

void tell(const Chunk& chunk, Tag tag) {
  const std::string text = toJson(chunk).dump();
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, tag, MPI_COMM_WORLD);
}

void give(int rank, const Range& range) {
  const std::uint64_t words[] = {range.first, static_cast<std::uint64_t>(range.count)};
  MPI_Send(words, 2, MPI_UINT64_T, rank, kRange, MPI_COMM_WORLD);
}

Range awaitRange() {
  MPI_Request request;
  std::uint64_t words[2] = {};
  MPI_Irecv(words, 2, MPI_UINT64_T, 0, kRange, MPI_COMM_WORLD, &request);
  for (int has_come = 0; has_come == 0;) {
    MPI_Test(&request, &has_come, MPI_STATUS_IGNORE);
    if (has_come == 0) std::this_thread::sleep_for(kBetweenLooks);
  }
  return {words[0], static_cast<std::int64_t>(words[1])};
}

ChunkHooks workerHooks() {
  const auto begin = std::chrono::steady_clock::now();
  return {.stop =
              [begin] {
                return interruption() != 0 ||
                       std::chrono::steady_clock::now() - begin > kLongestChunk;
              },
          .found = [] { return true; },  // rank 0 decides whether more are wanted
          .ran = {}};
}

}  // namespace

Ranks::Ranks() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

Ranks::~Ranks() { MPI_Finalize(); }

void Ranks::abandon(int status) const {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();  // MPI_Abort does not return
}

Result Ranks::conduct(const Campaign& campaign) const {
  Conductor conductor(campaign);
  std::vector<Range> given(static_cast<std::size_t>(size_));
  for (int workers = size_ - 1; workers > 0;) {
    Message message = receive();
    Range& range = given[static_cast<std::size_t>(message.rank)];
    conductor.found(static_cast<std::int64_t>(message.chunk.findings.size()));
    conductor.ran(message.chunk.range.count);
    conductor.take(range, std::move(message.chunk));
    range = message.leaves ? Range{} : conductor.next().value_or(Range{});
    if (message.leaves)
      conductor.interrupt();
    else
      give(message.rank, range);
    if (range.count == 0) --workers;
  }
  return conductor.result();
}

void Ranks::work(const std::function<std::unique_ptr<Level>()>& make) const {
  const std::unique_ptr<Level> level = make();
  tell({}, kRan);
  for (Range range = awaitRange(); range.count > 0; range = awaitRange()) {
    const Chunk chunk = runChunk(*level, range, workerHooks());
    const bool leaves = interruption() != 0;
    tell(chunk, leaves ? kLeaves : kRan);
    if (leaves) return;
  }
}

}  // namespace qgpu::fuzz
