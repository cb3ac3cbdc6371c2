// A rank that has no memory, no files, no room in /dev/shm. Every rank gets an error that names it, nothing is left behind, and the same
// call succeeds once there is enough again. Each allocation of each call fails in turn, on one rank or on all.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "failure/shortage.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>
#include <functional>

#include "support/modes.hpp"
#include "support/plane.hpp"

namespace halocline::test {
namespace {

using Extent = FailingAllocation::Extent;

/// Which ranks run short, and for how long.
struct Shortage {
  bool on_all;
  Extent extent;
  bool may_do_without = false;  // all ranks may also succeed, without what there was no memory for
  bool hits_me() const { return on_all || rank() == size() - 1; }
};

const Shortage one_rank_once{false, Extent::one};

/// Mode auto does without a candidate that there is no memory for.
Shortage in_mode(const ModeChoice &mode, Shortage shortage) {
  shortage.may_do_without = mode.mode == HLC_MODE_AUTO;
  return shortage;
}

/// Makes a thing while each allocation fails in turn, until none does, and then releases it. Every failure must be HLC_ERR_MEMORY on all
/// ranks, with the rank in the message, and leave as many objects and files as before.
void fail_each_allocation(const Shortage &shortage, const std::function<hlc_status()> &make, const std::function<hlc_status()> &release) {
  const std::string who = shortage.on_all ? "rank " : "rank " + std::to_string(size() - 1);
  constexpr long most = 3000;
  for (long n = 1; n < most; ++n) {
    const long objects = live_objects();
    const int files = open_files(), mappings = shared_mappings();
    hlc_status status = HLC_OK;
    bool struck = false;
    {
      const FailingAllocation failing(shortage.hits_me() ? n : 0, shortage.extent);
      status = make();
      struck = failing.struck();
    }
    if (status == HLC_OK) status = release() == HLC_OK ? HLC_OK : HLC_ERR_STATE;
    const long left = live_objects() - objects;
    const bool any_struck = !everyone(!struck);
    const bool did_without = shortage.may_do_without && everyone(status == HLC_OK);
    if (any_struck && !did_without) {
      EXPECT_TRUE(is_status(HLC_ERR_MEMORY, status)) << "allocation " << n;
      EXPECT_TRUE(message_names({who})) << "allocation " << n;
    }
    EXPECT_EQ(left, 0) << "objects left behind after allocation " << n;
    EXPECT_EQ(open_files(), files);
    EXPECT_EQ(shared_mappings(), mappings);
    const bool fine = everyone(!testing::Test::HasFailure());
    if (!fine || !any_struck) {
      EXPECT_TRUE(!fine || n > 1) << "nothing was allocated, so nothing failed";
      EXPECT_TRUE(ok(status));
      return;
    }
  }
  ADD_FAILURE() << "no end of allocations";
}

class AllocationFails : public testing::TestWithParam<ModeChoice> {
 protected:
  void halo(const Shortage &shortage, bool shared) {
    void *memory = nullptr;
    REQUIRE_EVERYWHERE(hlc_field_alloc(context(), 64 * sizeof(double), &memory) == HLC_OK);
    Plane plane(GetParam().mode);
    plane.spec.epoch = GetParam().epoch;
    plane.spec.drive = GetParam().drive;
    if (shared) plane.field.data = memory;
    hlc_halo *made = nullptr;
    const auto make = [&] { return hlc_halo_init(context(), &plane.spec, &made); };
    const auto release = [&] { return hlc_halo_finalise(&made); };
    REQUIRE_EVERYWHERE(make() == HLC_OK && release() == HLC_OK);  // a network, once opened, stays with the context
    fail_each_allocation(in_mode(GetParam(), shortage), make, release);
    EXPECT_EQ(made, nullptr);
    EXPECT_TRUE(ok(hlc_field_free(context(), &memory)));
  }

  void exchange(const Shortage &shortage) {
    std::vector<hlc_neighbour> neighbours;
    for (int r = 0; r < size(); ++r) neighbours.push_back({r, 0, 0, 100, 100});
    hlc_exchange_spec spec{};
    spec.nneighbours = size();
    spec.neighbours = neighbours.data();
    spec.pack = [](int, void *, void *) {};
    spec.unpack = [](int, const void *, void *) {};
    spec.mode = GetParam().mode;
    spec.epoch = GetParam().epoch;
    spec.drive = GetParam().drive;
    hlc_exchange *made = nullptr;
    const auto make = [&] { return hlc_exchange_create(context(), &spec, &made); };
    const auto release = [&] { return hlc_exchange_destroy(&made); };
    REQUIRE_EVERYWHERE(make() == HLC_OK && release() == HLC_OK);
    fail_each_allocation(in_mode(GetParam(), shortage), make, release);
    EXPECT_EQ(made, nullptr);
  }
};

TEST_P(AllocationFails, in_hlc_halo_init_on_one_rank) { halo(one_rank_once, true); }
TEST_P(AllocationFails, in_hlc_exchange_create_on_one_rank) { exchange(one_rank_once); }

class EveryAllocationFails : public AllocationFails {};

TEST_P(EveryAllocationFails, from_one_on_in_hlc_halo_init) {
  for (const bool on_all : {false, true})
    for (const Extent extent : {Extent::one, Extent::all_from_there})
      for (const bool shared : {false, true}) halo({on_all, extent}, shared);
}

TEST_P(EveryAllocationFails, from_one_on_in_hlc_exchange_create) {
  for (const bool on_all : {false, true})
    for (const Extent extent : {Extent::one, Extent::all_from_there}) exchange({on_all, extent});
}

FOR_ALL_MODES(AllocationFails);
FOR_ALL_MODES(EveryAllocationFails);

TEST(AllocationFails, in_hlc_init_and_hlc_field_alloc) {
  for (const bool on_all : {false, true})
    for (const Extent extent : {Extent::one, Extent::all_from_there}) {
      hlc_context *other = nullptr;
      fail_each_allocation({on_all, extent}, [&] { return hlc_init(MPI_COMM_WORLD, &other); }, [&] { return hlc_finalise(&other); });
      EXPECT_EQ(other, nullptr);
      void *memory = nullptr;
      fail_each_allocation(
          {on_all, extent}, [&] { return hlc_field_alloc(context(), 1000, &memory); }, [&] { return hlc_field_free(context(), &memory); });
      EXPECT_EQ(memory, nullptr);
    }
}

/// A context of its own for each failure, because a network that was opened stays.
TEST(AllocationFails, in_opening_the_network) {
  if (!std::getenv("HALOCLINE_FAKE_NODES")) GTEST_SKIP() << "needs pretended nodes";
  std::vector<hlc_neighbour> neighbours{{size() - 1 - rank(), 0, 0, 100, 100}};
  hlc_exchange_spec spec{};
  spec.nneighbours = 1;
  spec.neighbours = neighbours.data();
  spec.pack = [](int, void *, void *) {};
  spec.unpack = [](int, const void *, void *) {};
  spec.mode = HLC_MODE_NOTIFY;
  hlc_context *other = nullptr;
  hlc_exchange *made = nullptr;
  const auto make = [&] {
    const hlc_status opened = hlc_init(MPI_COMM_WORLD, &other);
    if (opened != HLC_OK) return opened;
    const hlc_status created = hlc_exchange_create(other, &spec, &made);
    if (created == HLC_OK) return created;
    EXPECT_TRUE(ok(hlc_finalise(&other)));
    return created;
  };
  const auto release = [&] { return hlc_exchange_destroy(&made) == HLC_OK ? hlc_finalise(&other) : HLC_ERR_STATE; };
  REQUIRE_EVERYWHERE(make() == HLC_OK && release() == HLC_OK);
  fail_each_allocation(one_rank_once, make, release);
  EXPECT_EQ(other, nullptr);
}

/// A context remembers some freed segments. Once it has reached their number, each segment that is freed leaves as much behind as it takes
/// away.
TEST(AllocationFails, in_hlc_segment_create) {
  const hlc_segment_spec spec{1000, 8, 0};
  hlc_segment *segment = nullptr;
  const auto make = [&] { return hlc_segment_create(context(), &spec, &segment); };
  const auto release = [&] { return hlc_segment_free(&segment); };
  for (int i = 0; i < 9; ++i) REQUIRE_EVERYWHERE(make() == HLC_OK && release() == HLC_OK);
  for (const bool on_all : {false, true})
    for (const Extent extent : {Extent::one, Extent::all_from_there}) fail_each_allocation({on_all, extent}, make, release);
  EXPECT_EQ(segment, nullptr);
}

/// Else none of the library's allocations would fail: with every compiler the loader has to find the program's functions first.
TEST(AllocationFails, where_the_program_has_replaced_what_allocates) {
  for (const char *function : {"_Znwm", "_ZnwmRKSt9nothrow_t", "_ZnwmSt11align_val_t", "_ZdlPv", "_ZdlPvm", "_ZdlPvSt11align_val_t",
                               "_ZdlPvmSt11align_val_t", "aligned_alloc"})
    EXPECT_TRUE(is_replaced(function)) << function;
}

/// Calls that end something must end it without any memory: they allocate nothing.
TEST(AllocationFails, never_in_what_releases) {
  hlc_context *other = nullptr;
  REQUIRE_EVERYWHERE(hlc_init(MPI_COMM_WORLD, &other) == HLC_OK);
  void *memory = nullptr;
  REQUIRE_EVERYWHERE(hlc_field_alloc(other, 64 * sizeof(double), &memory) == HLC_OK);
  Plane plane(HLC_MODE_DIRECT);
  plane.field.data = memory;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(other, &plane.spec, &halo) == HLC_OK);
  hlc_status released[3] = {};
  bool struck = false;
  {
    const FailingAllocation failing(1, Extent::all_from_there);
    released[0] = hlc_halo_finalise(&halo);
    released[1] = hlc_field_free(other, &memory);
    released[2] = hlc_finalise(&other);
    struck = failing.struck();
  }
  for (const hlc_status status : released) EXPECT_TRUE(ok(status));
  EXPECT_FALSE(struck);
}

/// Allocates a field while something is short on the last rank or on all, and again once it is not.
void expect_shortage(bool on_all, const char *functions, int error, hlc_status expected) {
  SCOPED_TRACE(functions);
  const int files = open_files(), mappings = shared_mappings();
  void *memory = nullptr;
  hlc_status status = HLC_OK;
  {
    const FailingSystem failing(on_all || rank() == size() - 1 ? functions : "", error);
    status = hlc_field_alloc(context(), 5000, &memory);
  }
  EXPECT_TRUE(is_status(expected, status));
  if (expected != HLC_OK) {
    EXPECT_EQ(memory, nullptr);
    EXPECT_TRUE(message_names({on_all ? "rank " : "rank " + std::to_string(size() - 1), std::strerror(error)}));
    EXPECT_EQ(shared_mappings(), mappings);
    EXPECT_TRUE(ok(hlc_field_alloc(context(), 5000, &memory)));
  }
  static_cast<char *>(memory)[4999] = 1;
  EXPECT_TRUE(ok(hlc_field_free(context(), &memory)));
  EXPECT_EQ(open_files(), files);
  EXPECT_EQ(shared_mappings(), mappings);
  EXPECT_EQ(names_in_dev_shm(), 0);
}

TEST(SharedMemory, that_cannot_be_had_by_one_rank_is_an_error_of_all) {
  for (const bool on_all : {false, true}) {
    expect_shortage(on_all, "mmap", ENOMEM, HLC_ERR_MEMORY);
    if (size() == 1 || std::getenv("HALOCLINE_FAKE_NODES")) continue;  // a rank alone on its node needs no object
    expect_shortage(on_all, "posix_fallocate", ENOSPC, HLC_ERR_MEMORY);
    expect_shortage(on_all, "open shm_open", EMFILE, HLC_ERR_MEMORY);
    expect_shortage(on_all, "open shm_open", EACCES, HLC_ERR_MEMORY);
    if (on_all) expect_shortage(on_all, "ftruncate", ENOSPC, HLC_ERR_MEMORY);
  }
}

TEST(SharedMemory, takes_a_name_where_proc_cannot_be_looked_into) {
  for (const bool on_all : {false, true}) expect_shortage(on_all, "open", EACCES, HLC_OK);
}

TEST(SharedMemory, larger_than_dev_shm_is_an_error_and_no_signal) {
  struct statvfs info;
  ASSERT_EQ(statvfs("/dev/shm", &info), 0);
  if (size() == 1) GTEST_SKIP() << "a rank alone on its node needs no object";
  const auto more = static_cast<std::size_t>(info.f_blocks) * info.f_frsize + (std::size_t{1} << 20);
  void *memory = nullptr;
  const hlc_status status = hlc_field_alloc(context(), rank() == 0 ? more : 100, &memory);
  EXPECT_TRUE(is_status(HLC_ERR_MEMORY, status));
  EXPECT_TRUE(message_names({"rank 0", std::strerror(ENOSPC), "/dev/shm"}));
}

/// Real files this time: the limit is lowered to those that are open.
TEST(Files, that_run_out_are_an_error_of_all) {
  if (size() == 1 || std::getenv("HALOCLINE_FAKE_NODES")) GTEST_SKIP() << "needs ranks that share a node";
  const int files = open_files();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  // The limit is on numbers, not on how many are open: the lowest free one is the limit.
  const int lowest = open("/dev/null", O_RDONLY);
  close(lowest);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(lowest);
  void *memory = nullptr;
  if (rank() == size() - 1) setrlimit(RLIMIT_NOFILE, &none);
  const hlc_status status = hlc_field_alloc(context(), 100, &memory);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(is_status(HLC_ERR_MEMORY, status));
  EXPECT_TRUE(message_names({"rank " + std::to_string(size() - 1), std::strerror(EMFILE)}));
  EXPECT_EQ(open_files(), files);
  EXPECT_TRUE(ok(hlc_field_alloc(context(), 100, &memory)));
  EXPECT_TRUE(ok(hlc_field_free(context(), &memory)));
}

}  // namespace
}  // namespace halocline::test
