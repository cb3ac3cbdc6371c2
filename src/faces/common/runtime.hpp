// The job of a face in its process. It begins inside an MPI program, or starts MPI. Any thread finds it, and one thread ends it while
// others call. Each face is a library of its own, and has one runtime.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <new>

#include "base/mpi_end.hpp"
#include "faces/common/face_job.hpp"
#include "faces/common/visit.hpp"

namespace halocline::core {

class Runtime {
 public:
  constexpr Runtime() = default;
  Runtime(const Runtime &) = delete;
  Runtime &operator=(const Runtime &) = delete;

  /// The open job; null if there is none. It stays valid as long as the visit during which this was called.
  FaceJob *job() const {
    // SYNC visit-before-job (pairs with take_away)
    return job_.load(std::memory_order_seq_cst);
  }

  /// Whether the job was begun in this process, and not before a fork.
  bool begun_here() const { return begun_in_ == getpid(); }

  /// To be held while a job begins or ends. It owns no lock if another thread is about that.
  std::unique_lock<std::mutex> change() { return std::unique_lock(changing_, std::try_to_lock); }
  /// The first step of a beginning: starts MPI unless it runs.
  Status start(const char *call);
  /// The second step: opens a job, which calls find from then on. Collective.
  Status begin(std::unique_ptr<FaceJob> opening);
  /// Ends the job, whose meet_to_end has returned `met`, and MPI, if a face has started it and none uses it any more. Returns ok as well if
  /// ranks are lost.
  Status end(Status met);
  /// Ends a job during which MPI has been finalised.
  void abandon();

 private:
  static void leave();
  std::unique_ptr<FaceJob> take_away();

  std::atomic<FaceJob *> job_{nullptr};
  std::mutex changing_;
  pid_t begun_in_ = 0;  // a child of fork has no job
};

/// That of the face.
extern Runtime runtime;

/// Calls work(job) as a visit. Face has the type of its codes, Code, and its job(). It also has the codes of all that may be returned
/// instead: code(Status) of a failure, no_job() and after_mpi(). Polls sometimes, so that calls that a program repeats until something
/// changes serve other ranks, too.
template <class Face, class Work>
typename Face::Code enter_face(Work work) {
  const Visit visit;
  auto *job = Face::job();
  if (!job) return Face::no_job();
  if (mpi_has_ended()) return Face::after_mpi();
  job->context.network().poll_sometimes();
  try {
    return work(*job);
  } catch (const std::bad_alloc &) {
    return Face::code(Status::memory);
  }
}

}  // namespace halocline::core
