// Memory that only a device can access: every call of the library that is given an address works with it, or refuses it in one sentence; and
// memory that the library allocates there. The stand-in for CUDA's driver is loaded by the first test that needs it: the library looks for it
// anew with each plan.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <functional>

#include <halocline/reduce.h>
#include <halocline/segment.h>
#include <halocline/sparse.h>

#include "device/device_memory.hpp"
#include "support/strip.hpp"

namespace halocline::test {
namespace {

bool is_last() { return rank() == size() - 1; }

void swap_once(Plane &plane) {
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

TEST(DevicePointers, are_not_looked_for_where_no_driver_is_loaded) {
  Plane plane;
  swap_once(plane);
  EXPECT_EQ(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), nullptr) << "the library has loaded a driver";
}

/// One rank has no device, and all are told.
TEST(DevicePointers, cannot_be_had_where_no_driver_is_loaded) {
  void *data = &data;
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, hlc_field_alloc_in(context(), is_last() ? HLC_MEMORY_DEVICE : HLC_MEMORY_HOST, 64, &data)));
  EXPECT_TRUE(message_names({"hlc_field_alloc_in on rank " + std::to_string(size() - 1) +
                             ": there is no device: the program has loaded neither CUDA's driver nor HIP"}));
  EXPECT_EQ(data, nullptr);
}

TEST(DevicePointers, before_the_driver_is_initialised_there_are_none) {
  REQUIRE_EVERYWHERE(driver().asked != nullptr);
  Plane plane;
  const long before = driver().asked();
  swap_once(plane);
  EXPECT_GT(driver().asked(), before);
}

TEST(DevicePointers, of_an_index_halo_without_entries_may_be_null) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  driver().init(0);
  Strip strip;
  strip.spec.nentries = strip.spec.nneighbours = 0;
  for (hlc_index_field &field : strip.fields) field.data = nullptr;
  EXPECT_TRUE(ok(strip.init()));
}

TEST(DevicePointers, as_other_arrays_of_a_swap_are_refused_and_the_halo_lives_on) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  const DeviceMemory memory;
  Plane plane;
  plane.spec.rebind = 1;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &plane.spec, &halo)));
  void *const other = memory.data();
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, hlc_halo_start_with(halo, nullptr, &other)));
  EXPECT_TRUE(message_names({"hlc_halo_start_with on rank " + std::to_string(rank()) + ": data[0], for field 'theta', is on " +
                             named_device(0) + ", but the spec's array in the host's memory"}));
  EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

TEST(DevicePointers, to_pinned_and_managed_memory_are_the_hosts_too) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  for (const stand_in_kind kind : {STAND_IN_PINNED, STAND_IN_MANAGED}) {
    Plane plane;
    driver().init(0);
    driver().name(plane.cells.data(), plane.cells.size() * 8, kind, 0);
    for (int j = 2; j < 6; ++j)
      for (int i = 2; i < 6; ++i) plane.cells[static_cast<std::size_t>(8 * j + i)] = 100 * (rank() + 1) + 10 * j + i;
    for (std::size_t c = 0; c < 8; ++c) plane.cells[c] = -1;
    swap_once(plane);
    EXPECT_EQ(plane.cells[2], 100 * (rank() + 1) + 10 * 4 + 2);  // the halo below, of the periodic plane
    driver().forget();
  }
}

// ---------------------------------------------------------------- every call that is given an address

/// What calls need besides the address.
struct Things {
  Things() {
    driver().init(0);
    hlc_segment_spec of_segment{};
    of_segment.bytes = 256;
    of_segment.notifications = 1;
    EXPECT_TRUE(ok(hlc_segment_create(context(), &of_segment, &segment)));
    hlc_allreduce_spec of_reduction{};
    of_reduction.count = 4;
    of_reduction.type = HLC_FLOAT64;
    EXPECT_TRUE(ok(hlc_allreduce_create(context(), &of_reduction, &reduction)));
    hlc_sparse_spec of_sparse{};
    of_sparse.receive = [](int, const void *, std::int64_t, void *) {};
    EXPECT_TRUE(ok(hlc_sparse_create(context(), &of_sparse, &sparse)));
  }
  Things(const Things &) = delete;
  Things &operator=(const Things &) = delete;
  ~Things() {
    EXPECT_TRUE(ok(hlc_sparse_destroy(&sparse)));
    EXPECT_TRUE(ok(hlc_allreduce_destroy(&reduction)));
    EXPECT_TRUE(ok(hlc_segment_free(&segment)));
  }
  hlc_target self() const { return {segment, rank(), 0}; }
  hlc_target last() const { return {segment, size() - 1, 0}; }

  hlc_segment *segment = nullptr;
  hlc_allreduce *reduction = nullptr;
  hlc_sparse *sparse = nullptr;
  double numbers[4] = {1, 2, 3, 4};
};

struct Given {
  const char *call;
  const char *argument;  // as the message calls it
  std::function<hlc_status(Things &, void *)> make;
};

hlc_block block_of(std::int64_t bytes) {
  hlc_block block{};
  block.run_bytes = bytes;
  block.ndims = 1;
  block.count[0] = 2;
  block.local_stride[0] = block.target_stride[0] = 2 * bytes;
  return block;
}

const Given kRefused[] = {
    {"hlc_put", "data", [](Things &with, void *there) { return hlc_put(with.last(), there, 8); }},
    {"hlc_get", "data", [](Things &with, void *there) { return hlc_get(with.last(), there, 8); }},
    {"hlc_put_strided", "data",
     [](Things &with, void *there) {
       const hlc_block block = block_of(8);
       return hlc_put_strided(with.self(), there, &block);
     }},
    {"hlc_get_strided", "data",
     [](Things &with, void *there) {
       const hlc_block block = block_of(8);
       return hlc_get_strided(with.last(), there, &block);
     }},
    {"hlc_put_notify", "data", [](Things &with, void *there) { return hlc_put_notify(with.last(), there, 8, {0, 1}); }},
    {"hlc_atomic_fetch_add", "old",
     [](Things &with, void *there) { return hlc_atomic_fetch_add(with.last(), HLC_NUMBER_INT64, 1, static_cast<std::int64_t *>(there)); }},
    {"hlc_atomic_swap", "old",
     [](Things &with, void *there) { return hlc_atomic_swap(with.self(), HLC_NUMBER_INT64, 1, static_cast<std::int64_t *>(there)); }},
    {"hlc_atomic_compare_swap", "old",
     [](Things &with, void *there) {
       return hlc_atomic_compare_swap(with.last(), HLC_NUMBER_INT64, 1, 2, static_cast<std::int64_t *>(there));
     }},
    {"hlc_fetch_op", "operand",
     [](Things &with, void *there) { return hlc_fetch_op(with.last(), {HLC_OP_SUM, HLC_NUMBER_FLOAT64}, there, with.numbers); }},
    {"hlc_fetch_op", "old",
     [](Things &with, void *there) { return hlc_fetch_op(with.last(), {HLC_OP_SUM, HLC_NUMBER_FLOAT64}, with.numbers, there); }},
    {"hlc_accumulate", "data",
     [](Things &with, void *there) { return hlc_accumulate(with.last(), {HLC_OP_SUM, HLC_NUMBER_FLOAT64}, there, 2); }},
    {"hlc_atomics", "list", [](Things &, void *there) { return hlc_atomics(static_cast<hlc_atomic *>(there), 1); }},
    {"hlc_allreduce_run", "in", [](Things &with, void *there) { return hlc_allreduce_run(with.reduction, there, with.numbers); }},
    {"hlc_allreduce_run", "out", [](Things &with, void *there) { return hlc_allreduce_run(with.reduction, with.numbers, there); }},
    {"hlc_sparse_start", "messages[1].data",
     [](Things &with, void *there) {
       const hlc_sparse_message messages[] = {{rank(), with.numbers, 8}, {size() - 1, there, 8}};
       return hlc_sparse_start(with.sparse, 2, messages);
     }},
    {"hlc_sparse_exchange", "messages[0].data",
     [](Things &with, void *there) {
       const hlc_sparse_message message{rank(), there, 8};
       return hlc_sparse_exchange(with.sparse, 1, &message);
     }},
};

/// A load or store of the host would end the process. Afterwards the same things do what they did.
TEST(DevicePointers, of_every_other_call_are_refused_in_one_sentence) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  const DeviceMemory memory;
  Things things;
  for (const Given &one : kRefused)
    for (int time = 0; time < 2; ++time) {
      EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, one.make(things, memory.data()))) << one.call;
      // A list that cannot be read names no segment, and so no rank.
      const std::string on_rank = std::string(one.call) == "hlc_atomics" ? "" : " on rank " + std::to_string(rank());
      EXPECT_TRUE(message_names({one.call + on_rank + ": " + one.argument + " is in the memory of " + named_device(0) +
                                 ", which this call does not access: pass memory that the host can access"}));
      EXPECT_EQ(std::string(hlc_error_message()).find(". "), std::string::npos) << hlc_error_message();
    }
  double sums[4] = {};
  EXPECT_TRUE(ok(hlc_allreduce_run(things.reduction, things.numbers, sums)));
  EXPECT_EQ(sums[3], 4 * size());
  EXPECT_TRUE(ok(hlc_put(things.self(), things.numbers, sizeof things.numbers)));
  EXPECT_TRUE(ok(hlc_get(things.self(), sums, sizeof sums)));
  EXPECT_EQ(sums[1], 2);
  EXPECT_TRUE(ok(hlc_sparse_exchange(things.sparse, 0, nullptr)));
}

/// Of the functions of the headers, those with an address of a program's are in the list above, or work with a device's.
TEST(DevicePointers, that_a_program_has_not_from_the_library_are_not_freed_by_it) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  const DeviceMemory memory;
  void *data = memory.data();
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_field_free(context(), &data)));
  EXPECT_TRUE(message_names({"is not from hlc_field_alloc"}));
}

/// CUDA's memory has addresses of its own. ROCm may map memory of a device where the host had some.
TEST(DevicePointers, are_asked_for_once_per_page_of_the_host_but_always_with_hip) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  if (!driver().is_stand_in) GTEST_SKIP() << "a real driver does not count";
  Things things;
  EXPECT_TRUE(ok(hlc_put(things.self(), things.numbers, 8)));
  const long asked = driver().asked();
  EXPECT_TRUE(ok(hlc_put(things.self(), things.numbers, 8)));
  EXPECT_EQ(driver().asked(), asked + (kIsHip ? 1 : 0));
  if (!kIsHip) return;
  driver().name(things.numbers, sizeof things.numbers, STAND_IN_DEVICE, 0);
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, hlc_put(things.self(), things.numbers, 8)));
  driver().forget();
}

// ---------------------------------------------------------------- memory of the library on a device

TEST(FieldsOnADevice, need_a_current_device) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  driver().init(0);
  void *data = nullptr;
  if (!kIsHip) {  // whose threads all have one
    EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_field_alloc_in(context(), HLC_MEMORY_DEVICE, 64, &data)));
    EXPECT_TRUE(message_names(
        {"hlc_field_alloc_in on rank ", ": no device is current in this thread: call cudaSetDevice, or cuCtxSetCurrent, before"}));
  }
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_field_alloc_in(context(), static_cast<hlc_memory>(7), 64, &data)));
  EXPECT_TRUE(message_names({"memory is 7, it must be HLC_MEMORY_HOST (0) or HLC_MEMORY_DEVICE (1)"}));
}

/// Zeros, swapped in place; kept as long as a halo has it, and counted as a field; also where other ranks have their field on the host.
TEST(FieldsOnADevice, are_zero_and_swapped_and_kept_until_their_halo_has_ended) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  const Current current;
  const long live = driver().live();
  for (const bool all : {true, false}) {
    constexpr std::size_t kBytes = 8 * 8 * sizeof(double);
    const bool here = all || is_last();
    void *data = nullptr;
    REQUIRE_EVERYWHERE(ok(hlc_field_alloc_in(context(), here ? HLC_MEMORY_DEVICE : HLC_MEMORY_HOST, kBytes, &data)));
    EXPECT_EQ(driver().live(), live + (here ? 1 : 0));
    std::vector<double> cells(64, -1);
    const auto address = static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(data));
    const auto read = [&] {
      here ? static_cast<void>(driver().to_host(cells.data(), address, kBytes))
           : static_cast<void>(std::memcpy(cells.data(), data, kBytes));
    };
    const auto write = [&] {
      here ? static_cast<void>(driver().to_device(address, cells.data(), kBytes))
           : static_cast<void>(std::memcpy(data, cells.data(), kBytes));
    };
    read();
    EXPECT_EQ(cells, std::vector<double>(64, 0));
    Plane plane(HLC_MODE_DIRECT);
    plane.field.data = data;
    hlc_halo *halo = nullptr;
    REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &plane.spec, &halo)));
    std::fill(cells.begin(), cells.end(), rank() + 1);
    write();
    EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish(halo)));
    read();
    EXPECT_EQ(cells[2 * 8], (rank() + size() - 1) % size() + 1);
    void *kept = data;
    EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_field_free(context(), &kept)));
    EXPECT_EQ(kept, data);
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
    plane.field.data = static_cast<char *>(data) + 8;
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_init(context(), &plane.spec, &halo))) << "it ends beyond the allocation";
    everyone(true);
    EXPECT_TRUE(ok(hlc_field_free(context(), &data)));
    EXPECT_EQ(data, nullptr);
    EXPECT_EQ(driver().live(), live);
  }
}

TEST(FieldsOnADevice, of_cxx_are_freed_with_their_object) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  const Current current;
  const long live = driver().live();
  {
    const Context own(MPI_COMM_WORLD);
    DeviceArray<double> first(own, 10), empty(own, 0);
    EXPECT_EQ(driver().live(), live + 2);
    EXPECT_EQ(first.size(), 10U);
    const DeviceArray<double> moved(std::move(first));
    EXPECT_NE(moved.data(), nullptr);
  }
  EXPECT_EQ(driver().live(), live);
}

/// The driver frees it all the same, and a second call has nothing to do.
TEST(FieldsOnADevice, are_gone_though_the_driver_returns_an_error) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  if (!driver().is_stand_in) GTEST_SKIP() << "a real driver does not fail when it is asked to";
  const Current current(3);
  const long live = driver().live();
  void *data = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_field_alloc_in(context(), HLC_MEMORY_DEVICE, 64, &data)));
  driver().fail(1, 1);
  EXPECT_TRUE(is_status(HLC_ERR_DEVICE, hlc_field_free(context(), &data)));
  EXPECT_TRUE(message_names({"hlc_field_free on rank " + std::to_string(rank()) + ": ", " on device 3; "}));
  driver().fail(0, 0);
  EXPECT_EQ(data, nullptr);
  EXPECT_EQ(driver().live(), live);
  EXPECT_TRUE(ok(hlc_field_free(context(), &data)));
}

TEST(FieldsOnADevice, are_freed_with_another_device_current_which_stays_so) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  if (!driver().is_stand_in) GTEST_SKIP() << "needs two devices";
  const Current current(1);
  void *data = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_field_alloc_in(context(), HLC_MEMORY_DEVICE, 64, &data)));
  const Current other(2);
  const CUcontext before = current_context();
  EXPECT_TRUE(ok(hlc_field_free(context(), &data)));
  EXPECT_EQ(current_context(), before);
}

/// Each call of the driver fails once, on one rank; all ranks are told, and nothing is left.
TEST(FieldsOnADevice, that_a_driver_refuses_are_refused_on_all_ranks) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  const Current current;
  const long live = driver().live();
  for (long n = 1; n <= 3; ++n) {
    if (is_last()) driver().fail(n, 2);
    void *data = nullptr;
    EXPECT_TRUE(is_status(HLC_ERR_MEMORY, hlc_field_alloc_in(context(), HLC_MEMORY_DEVICE, 64, &data))) << n;
    EXPECT_TRUE(
        message_names({"hlc_field_alloc_in on rank " + std::to_string(size() - 1), std::string("returned ") + kOutOfMemoryName + " (2)"}));
    EXPECT_EQ(std::string(hlc_error_message()).find(" on device 0") == std::string::npos, n == 1) << "an address tells which device it is";
    if (is_last()) driver().fail(0, 0);
    EXPECT_EQ(data, nullptr);
    EXPECT_EQ(driver().live(), live);
  }
}

}  // namespace
}  // namespace halocline::test
