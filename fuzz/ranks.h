// A campaign on the ranks of an MPI job: rank 0 gives out chunks and records them, the others run
// them, one at a time.
//
//   Ranks ranks;                       // MPI_Init ... MPI_Finalize
//   if (ranks.isWorker()) return ranks.work(make);
//   const Result result = ranks.conduct(campaign);
//
// A worker that is told to end (SIGTERM) hands over what it has, and the rest goes to others. MPI
// ends the whole job when a rank is lost otherwise; what was recorded stays recorded, and the same
// command runs the rest.
//
// In a build without MPI there is one rank.
#pragma once

#include <functional>
#include <memory>

#include "fuzz/campaign.h"

namespace qgpu::fuzz {

class Ranks {
 public:
  Ranks();
  ~Ranks();  // NOLINT(performance-trivially-destructible): with MPI it is not trivial
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int size() const { return size_; }
  bool isWorker() const { return rank_ > 0; }

  // On rank 0, with two ranks or more; returns when all others are done.
  Result conduct(const Campaign& campaign) const;
  // On the others: runs what rank 0 gives out until it says that there is no more.
  void work(const std::function<std::unique_ptr<Level>()>& make) const;

  // Ends the job with that status, where this rank cannot go on: the others would wait for it.
  [[noreturn]] void abandon(int status) const;

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace qgpu::fuzz
