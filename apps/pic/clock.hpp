// Where the time of a step goes: seconds inside calls that communicate, by site.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace pic {

/// What a rank communicates for. waiting: for other ranks, where a run tells that apart (--meet); it is no part of the others.
enum class Site { fields, moments, solver, gauss, particles, sums, waiting, count };
inline constexpr int kSites = static_cast<int>(Site::count);
inline constexpr const char *kSiteNames[kSites] = {"fields", "moments", "solver swaps", "charge swaps", "particles", "sums", "waiting"};

class Clock {
 public:
  void add(Site site, double seconds) { seconds_[static_cast<int>(site)] += seconds; }
  double seconds(Site site) const { return seconds_[static_cast<int>(site)]; }

 private:
  double seconds_[kSites] = {};
};

/// From here to the end of the scope is time of a site.
class Timed {
 public:
  Timed(Clock &clock, Site site) : clock_(clock), site_(site), begin_(MPI_Wtime()) {}
  Timed(const Timed &) = delete;
  Timed &operator=(const Timed &) = delete;
  ~Timed() { clock_.add(site_, MPI_Wtime() - begin_); }

 private:
  Clock &clock_;
  Site site_;
  double begin_;
};

}  // namespace pic
