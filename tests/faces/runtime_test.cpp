// The job of a face inside an MPI program.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <thread>

#include "plain_face.hpp"
#include "support/mpi_test.hpp"

namespace halocline::test {
namespace {

using core::Status;

Status begin_job(Status result = Status::ok) {
  HLC_TRY(core::runtime.start("begin"));
  auto job = std::make_unique<PlainJob>();
  job->result = result;
  return core::runtime.begin(std::move(job));
}

TEST(StatusMap, has_a_code_for_each_status) {
  EXPECT_EQ(kCodes.of(Status::ok), 0);
  EXPECT_EQ(kCodes.of(Status::memory), -2);
  EXPECT_EQ(kCodes.of(Status::peer_died), -1);
}

TEST(Runtime, opens_one_job_after_the_other) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(call([](PlainJob &) { return 1; }), PlainFace::no_job());
    REQUIRE_EVERYWHERE(begin_job() == Status::ok);
    EXPECT_EQ(call([](const PlainJob &job) { return job.rank(); }), rank());
    EXPECT_EQ(call([](PlainJob &) -> int { throw std::bad_alloc(); }), PlainFace::code(Status::memory));
    EXPECT_EQ(end_job(), Status::ok);
    EXPECT_EQ(PlainJob::alive, 0);
  }
  EXPECT_FALSE(core::mpi_has_ended()) << "the program has started MPI, and ends it";
}

TEST(Runtime, has_no_job_that_does_not_open) {
  EXPECT_EQ(begin_job(Status::mismatch), Status::mismatch);
  EXPECT_EQ(std::string(core::error_message()), "the face does not open");
  EXPECT_EQ(call([](PlainJob &) { return 1; }), PlainFace::no_job());
  EXPECT_EQ(PlainJob::alive, 0);
}

/// Another thread is in a call that waits when the job ends: the call notices, and the job stays until the call has returned.
TEST(Runtime, ends_a_job_when_no_call_uses_it_any_more) {
  REQUIRE_EVERYWHERE(begin_job() == Status::ok);
  std::atomic<bool> waits{false};
  std::thread other([&] {
    const int code = call([&](PlainJob &job) {
      waits = true;
      while (job.attend("a call") == Status::ok) std::this_thread::yield();
      EXPECT_EQ(std::string(core::error_message()), "a call on rank " + std::to_string(rank()) + ": end has been called");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_EQ(PlainJob::alive, 1);
      EXPECT_EQ(core::runtime.job(), nullptr);
      return job.size();
    });
    EXPECT_EQ(code, size());
  });
  while (!waits) std::this_thread::yield();
  EXPECT_EQ(end_job(), Status::ok);
  EXPECT_EQ(PlainJob::alive, 0);
  other.join();
}

TEST(Runtime, is_changed_by_one_thread_at_a_time) {
  const std::unique_lock first = core::runtime.change();
  EXPECT_TRUE(first.owns_lock());
  std::thread([] { EXPECT_FALSE(core::runtime.change().owns_lock()); }).join();
}

}  // namespace
}  // namespace halocline::test
