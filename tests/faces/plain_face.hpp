// The least that a face can be: a job with a network, and numbers for codes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <utility>

#include "engine/communicator/wait_until.hpp"
#include "faces/common/runtime.hpp"
#include "faces/common/status_map.hpp"

namespace halocline::test {

inline constexpr core::StatusMap<int, 2> kCodes{{{core::Status::ok, 0}, {core::Status::memory, -2}}, -1};

class PlainJob final : public core::FaceJob {
 public:
  static constexpr core::FaceCalls kCalls{"begin", "end", core::CallName::init, core::CallName::finalise};

  PlainJob() : FaceJob(kCalls) { alive += 1; }
  ~PlainJob() override { alive -= 1; }

  core::Status result = core::Status::ok;  // of the face's part of open
  static inline std::atomic<int> alive{0};

 private:
  core::Status open_face() override {
    HLC_TRY(open_network());
    return result == core::Status::ok ? result : core::fail(result, "the face does not open");
  }
  void abandon_face() override {}
};

struct PlainFace {
  using Code = int;
  static PlainJob *job() { return static_cast<PlainJob *>(core::runtime.job()); }
  static int no_job() { return -3; }
  static int after_mpi() { return -4; }
  static int code(core::Status status) { return kCodes.of(status); }
};

template <class Work>
int call(Work work) {
  return core::enter_face<PlainFace>(std::move(work));
}

/// Meets the other ranks, and ends the job.
inline core::Status end_job() {
  PlainJob *job = PlainFace::job();
  core::Wait wait(job->context, core::WakeUp::by_polling);
  const auto look = [&] {
    job->context.network().poll();
    return job->meet_to_end();
  };
  return core::runtime.end(core::wait_until(wait, look, [&] { return job->attend("end"); }));
}

}  // namespace halocline::test
