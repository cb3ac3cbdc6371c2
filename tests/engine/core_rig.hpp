// What the tests of the engine's classes share: a context of its own, control memory and plain memory of each rank, and a wait.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "engine/communicator/collective.hpp"
#include "engine/communicator/wait_until.hpp"
#include "engine/context/context.hpp"
#include "engine/network/request_engine.hpp"
#include "engine/rma/segment_directory.hpp"
#include "engine/sync/group.hpp"
#include "support/mpi_test.hpp"

namespace halocline::test {

inline testing::AssertionResult ok(core::Status status) {
  if (status == core::Status::ok) return testing::AssertionSuccess();
  return testing::AssertionFailure() << static_cast<int>(status) << ": " << core::error_message();
}

/// Opened and closed by all ranks together.
class CoreRig {
 public:
  static constexpr int kGroups = 8, kSegments = 4;

  explicit CoreRig(std::int64_t bytes)
      : control(context_.network()),
        data(context_.network()),
        watch(context_.network()),
        resources({"commit", "barrier", "reduction"}, context_.network(), control, watch) {
    EXPECT_TRUE(ok(open(bytes)));
  }
  CoreRig(const CoreRig &) = delete;
  CoreRig &operator=(const CoreRig &) = delete;
  ~CoreRig() {
    int largest = 0;
    EXPECT_TRUE(ok(core::meet_to_release(context_, 0, &largest)));
    data.close();
    control.close();
    EXPECT_TRUE(ok(core::agree_on_largest(context_, context_.comm(), 0, &largest)));
  }

  core::Network &network() { return context_.network(); }
  core::RequestEngine *requests() { return context_.network().requests(); }
  /// The plain memory of a rank.
  core::RemoteMemory &data_of(int rank) {
    core::RemoteMemory *found = nullptr;
    EXPECT_TRUE(ok(data.find(rank, &found)));
    return *found;
  }
  /// Repeats look() until it returns anything but `again`.
  template <class Look>
  core::Status until(Look look) {
    core::Wait wait(context_, core::WakeUp::by_doorbell);
    const auto look_again = [&] {
      context_.network().poll();
      return look();
    };
    return core::wait_until(wait, look_again, [&] { return watch.look("test"); });
  }
  /// An MPI barrier during which this rank serves the others.
  void meet() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    EXPECT_TRUE(ok(until([&] {
      int met = 0;
      MPI_Test(&request, &met, MPI_STATUS_IGNORE);
      return met ? core::Status::ok : core::Status::again;
    })));
  }

 private:
  core::Context context_;

 public:
  core::ControlMemory control, data;
  core::Watch watch;
  core::GroupResources resources;
  core::SegmentPlaces places;

 private:
  core::Status open(std::int64_t bytes) {
    HLC_TRY(context_.open(MPI_COMM_WORLD, core::Status::ok));
    watch.open();
    if (context_.nodes() > 1) {
      HLC_TRY(context_.network().open());
      HLC_TRY(context_.network().requests()->open());
    }
    resources.layout = core::GroupLayout(0, kGroups, size());
    places = {resources.layout.end(), resources.layout.end() + 128, kSegments};
    HLC_TRY(control.open({places.descriptor(kSegments), 0, resources.layout.words(), nullptr}));
    return data.open({bytes, 0, 0, nullptr});
  }
};

}  // namespace halocline::test
