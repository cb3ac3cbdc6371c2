// Halos whose fields are in a device's memory: all of any case, or some of them, on all ranks or on some, in every mode and every part. Copies
// are late, and the host cannot access the memory. Each call of the driver fails once.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstdlib>
#include <map>
#include <memory>

#include "device/device_plane.hpp"
#include "support/any_swap.hpp"
#include "support/rig.hpp"

namespace halocline::test {
namespace {

enum class Where { everywhere, odd_arenas, odd_ranks, even_arenas_of_odd_ranks };
/// Of tests that ask the stand-in for what it has seen, or to fail.
#define NEEDS_STAND_IN() \
  if (!driver().is_stand_in) GTEST_SKIP() << "a real driver does not fail when it is asked to, and counts nothing"

constexpr Where kPlaces[] = {Where::everywhere, Where::odd_arenas, Where::odd_ranks, Where::even_arenas_of_odd_ranks};

/// Memory of device 0: every other allocation belongs to no context, unless all are to have handles of IPC.
class OnDevice final : public Elsewhere {
 public:
  explicit OnDevice(Where where, bool with_handles = false) : where_(where), with_handles_(with_handles) {}
  bool has(std::size_t arena) const override {
    switch (where_) {
      case Where::everywhere: return true;
      case Where::odd_arenas: return arena % 2 == 1;
      case Where::odd_ranks: return rank() % 2 == 1;
      case Where::even_arenas_of_odd_ranks: return rank() % 2 == 1 && arena % 2 == 0;
    }
    return false;
  }
  void *allocate(std::size_t bytes) override {
    auto made = std::make_unique<Allocation>(bytes, !with_handles_ && all_.size() % 2 == 1);
    void *const data = made->data();
    all_[data] = std::move(made);
    return data;
  }
  void release(void *memory) override { all_.erase(memory); }
  void write(void *to, const Arena &bytes) override { all_.at(to)->write(bytes.data()); }
  Arena read(const void *from, std::size_t bytes) override {
    Arena copy(bytes);
    all_.at(const_cast<void *>(from))->read(copy.data());
    return copy;
  }

 private:
  Where where_;
  bool with_handles_;
  Current current_;
  std::map<void *, std::unique_ptr<Allocation>> all_;
};

class Clean {
 protected:
  CleanDriver clean_;
  Random random_{mixed(seed() ^ 97)};
};

class Staged : public testing::TestWithParam<ModeChoice>, protected Clean {};

TEST_P(Staged, fields_of_any_case_are_swapped_in_any_part) {
  for (const Where where : kPlaces) {
    OnDevice device(where);
    Rig rig(staggered_case(size(), random_), GetParam(), Memory::shared, 1, &device);
    if (!rig.ready()) return;
    for (int step = 1; step <= 4; ++step) rig.swap_once(step, step == 1 ? everything : AnySwap(rig.shape(), random_, false).what());
  }
}

TEST_P(Staged, swaps_of_any_case_may_be_in_reverse_and_of_other_arrays) {
  for (const Where where : kPlaces) {
    OnDevice device(where);
    Rig rig(staggered_case(size(), random_, summable_kinds()), GetParam(), Memory::shared, 2, &device);
    if (!rig.ready()) return;
    for (int step = 1; step <= 5; ++step) {
      rig.choose(static_cast<int>(between(random_, 0, 1)));
      rig.swap_once(step, AnySwap(rig.shape(), random_, true).what());
    }
  }
}

/// Stages; a halo deeper than the block, whose cells repeat those of another halo; a swap that is finished by views.
TEST_P(Staged, halos_in_stages_and_deep_ones_are_swapped) {
  for (const bool staged : {true, false})
    for (const Where where : {Where::everywhere, Where::odd_arenas}) {
      OnDevice device(where);
      Case halo = plain_case("deep", decompose(size(), 2, {3, 4}, 0b11, random_), 2, 2);
      halo.staged = staged;
      if (!staged && halo.decomposition.dims[1] == 1) halo.depth_low[1] = halo.depth_high[1] = 7;
      Rig rig(halo, GetParam(), Memory::shared, 1, &device);
      if (!rig.ready()) return;
      hlc_swap back{};
      back.reverse = 1;
      for (int step = 1; step <= 4; ++step) rig.swap_once(step, step % 2 == 0 ? back : everything);
    }
}

TEST_P(Staged, swaps_may_be_finished_by_views_which_show_the_halo) {
  OnDevice device(Where::everywhere);
  Rig rig(plain_case("plain", decompose(size(), 2, {3, 4}, 0b11, random_), 1, 2), GetParam(), Memory::shared, 1, &device);
  if (!rig.ready()) return;
  for (int step = 1; step <= 3; ++step) {
    rig.fill(step);
    EXPECT_TRUE(ok(rig.start()));
    EXPECT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
    rig.expect(step);
    hlc_view views[HLC_DIRECTIONS(2)];
    EXPECT_TRUE(ok(hlc_halo_views(rig.halo(), 0, views)));
    const auto *const field = static_cast<const std::byte *>(rig.addresses()[0]);
    EXPECT_EQ(static_cast<const std::byte *>(views[0].data), field);  // the corner of the low halos
    EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
  }
}

FOR_ALL_MODES(Staged);

// ---------------------------------------------------------------- what is said of them

std::string explained(const hlc_halo *halo, hlc_format format) {
  std::size_t length = 0;
  EXPECT_TRUE(ok(hlc_halo_explain(halo, format, nullptr, 0, &length)));
  std::string text(length + 1, '\0');
  EXPECT_TRUE(ok(hlc_halo_explain(halo, format, text.data(), text.size(), nullptr)));
  text.resize(length);
  return text;
}

TEST(StagedFields, are_explained) {
  for (const hlc_mode mode : {HLC_MODE_DIRECT, HLC_MODE_AUTO}) {
    DevicePlane device(mode);
    hlc_halo *halo = nullptr;
    REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &device.plane.spec, &halo)));
    const std::string words = explained(halo, HLC_FORMAT_TEXT), json = explained(halo, HLC_FORMAT_JSON);
    hlc_plan_info info{};
    EXPECT_TRUE(ok(hlc_halo_info(halo, &info)));
    const std::string way = info.via_direct == 0 ? "on " + named_device(0) + ", staged through "
                                                 : "on " + named_device(0) + ", read in place over " + std::to_string(info.via_direct) +
                                                       " of " + std::to_string(info.neighbours) + " links, else staged through ";
    EXPECT_NE(words.find(way), std::string::npos) << words;
    EXPECT_EQ(words.find("not read in place"), std::string::npos) << words;
    EXPECT_NE(words.find(" bytes of pinned memory: 'theta'\n"), std::string::npos) << words;
    EXPECT_NE(json.find("\"staged\": {\"device\": 0, \"pinned_bytes\": "), std::string::npos) << json;
    EXPECT_NE(json.find("\"read_links\": " + std::to_string(info.via_direct) +
                        ", \"staged_links\": " + std::to_string(info.neighbours - info.via_direct)),
              std::string::npos)
        << json;
    EXPECT_NE(json.find("\"fields\": [\"theta\"]}"), std::string::npos) << json;
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  }
  Plane plane;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_EQ(explained(halo, HLC_FORMAT_TEXT).find("pinned"), std::string::npos);
  EXPECT_EQ(explained(halo, HLC_FORMAT_JSON).find("staged"), std::string::npos);
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

/// Gaps of some elements in all dimensions: slices are no whole number of rows apart, and with four dimensions a box takes several copies.
TEST(StagedGaps, are_left_alone_in_any_number_of_dimensions) {
  Random random(mixed(seed() ^ 101));
  for (int ndims = 1; ndims <= 4; ++ndims)
    for (const int gap : {0, 1, 3}) {
      OnDevice device(Where::everywhere);
      Case halo = plain_case("gaps", decompose(size(), ndims, {3, 4}, 0b1111, random), 2, 2);
      std::array<int, HLC_MAX_DIMS> order{};
      for (int d = 0; d < ndims; ++d) order[static_cast<std::size_t>(d)] = ndims - 1 - d;
      halo.field_shapes = padded({float64, {HLC_OPAQUE, 3}}, order, gap, 24);
      Rig rig(halo, {"notify", HLC_MODE_NOTIFY}, Memory::shared, 1, &device);
      if (!rig.ready()) return;
      for (int step = 1; step <= 2; ++step) rig.swap_once(step);
    }
}

TEST(StagedFields, of_two_devices_are_refused_with_both_names) {
  NEEDS_STAND_IN();
  const DevicePlane first(HLC_MODE_P2P, 0), second(HLC_MODE_P2P, 3);
  Plane plane;
  hlc_field fields[] = {first.plane.field, second.plane.field};
  fields[1].name = "salt";
  plane.spec.nfields = 2;
  plane.spec.fields = fields;
  hlc_halo *halo = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(message_names({"field 'theta' is in the memory of " + named_device(0) + ", and field 'salt' in that of device 3"}));
  EXPECT_EQ(halo, nullptr);
}

TEST(StagedFields, of_a_swap_must_be_where_those_of_the_plan_are) {
  DevicePlane device;
  device.plane.spec.rebind = 1;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &device.plane.spec, &halo)));
  void *const other = device.plane.cells.data();
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, hlc_halo_start_with(halo, nullptr, &other)));
  EXPECT_TRUE(message_names({"data[0], for field 'theta', is in the host's memory, but the spec's array on " + named_device(0)}));
  EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

// ---------------------------------------------------------------- neighbours that are read in place

constexpr hlc_mode kReading[] = {HLC_MODE_DIRECT, HLC_MODE_VIEW, HLC_MODE_NOTIFY_NODE};
const char *name_of_reading(hlc_mode mode) { return mode == HLC_MODE_DIRECT ? "direct" : mode == HLC_MODE_VIEW ? "view" : "notify_node"; }

bool checks() { return std::getenv("HALOCLINE_CHECK") != nullptr; }
bool has_fake_nodes() { return std::getenv("HALOCLINE_FAKE_NODES") != nullptr; }

hlc_plan_info info_of(const hlc_halo *halo) {
  hlc_plan_info info{};
  EXPECT_TRUE(ok(hlc_halo_info(halo, &info)));
  return info;
}

class ReadInPlace : public testing::Test, private Clean {
 protected:
  using Clean::random_;

  void swap_parts(Rig &rig, bool reverse) {
    for (int step = 1; step <= 5; ++step) rig.swap_once(step, step == 1 ? everything : AnySwap(rig.shape(), random_, reverse).what());
  }
};

/// Where the same fields of all ranks are on a device, nothing that this rank sends to its node passes through the host.
TEST_F(ReadInPlace, fields_of_any_case_are_swapped_in_any_part) {
  for (const hlc_mode mode : kReading)
    for (const Where where : kPlaces) {
      OnDevice device(where, true);
      Rig rig(staggered_case(size(), random_), {name_of_reading(mode), mode}, Memory::shared, 1, &device);
      if (!rig.ready()) return;
      const hlc_plan_info info = info_of(rig.halo());
      if (!checks() && !has_fake_nodes() && (where == Where::everywhere || where == Where::odd_arenas)) {
        EXPECT_EQ(info.via_direct, info.neighbours);
      }
      const long before = driver().read();
      swap_parts(rig, false);
      if (where == Where::everywhere && mode == HLC_MODE_DIRECT && driver().is_stand_in) {
        const bool reads = driver().read() > before, may_read = info.via_direct > 0 && info.bytes_in > 0;
        EXPECT_LE(reads, may_read);
        // All bytes that arrive may be those of neighbours on other nodes.
        if (info.via_direct == info.neighbours) {
          EXPECT_EQ(reads, may_read);
        }
      }
    }
}

TEST_F(ReadInPlace, fields_of_any_case_are_added_in_reverse) {
  for (const hlc_mode mode : kReading)
    for (const Where where : kPlaces) {
      OnDevice device(where, true);
      Rig rig(staggered_case(size(), random_, summable_kinds()), {name_of_reading(mode), mode}, Memory::shared, 1, &device);
      if (!rig.ready()) return;
      swap_parts(rig, true);
    }
}

TEST_F(ReadInPlace, halos_in_stages_and_deep_ones_are_swapped) {
  for (const bool staged : {true, false}) {
    OnDevice device(Where::everywhere, true);
    Case halo = plain_case("deep", decompose(size(), 2, {3, 4}, 0b11, random_), 2, 2);
    halo.staged = staged;
    if (!staged && halo.decomposition.dims[1] == 1) halo.depth_low[1] = halo.depth_high[1] = 7;
    Rig rig(halo, {"direct", HLC_MODE_DIRECT}, Memory::shared, 1, &device);
    if (!rig.ready()) return;
    hlc_swap back{};
    back.reverse = 1;
    for (int step = 1; step <= 4; ++step) rig.swap_once(step, step % 2 == 0 ? back : everything);
  }
}

/// Arrays that a swap may replace have no handles: they are staged.
TEST_F(ReadInPlace, arrays_that_may_be_replaced_are_not) {
  OnDevice device(Where::everywhere, true);
  Rig rig(staggered_case(size(), random_), {"direct", HLC_MODE_DIRECT}, Memory::shared, 2, &device);
  if (!rig.ready()) return;
  EXPECT_EQ(info_of(rig.halo()).via_direct, 0);
  for (int step = 1; step <= 4; ++step) {
    rig.choose(step % 2);
    rig.swap_once(step);
  }
}

/// The stand-in refuses an allocation that is opened twice, or freed while it is open.
TEST_F(ReadInPlace, an_allocation_is_opened_once_for_all_plans_and_closed_with_the_last) {
  for (int round = 0; round < 2; ++round) {
    DevicePlane device(HLC_MODE_DIRECT);
    hlc_halo *first = nullptr, *second = nullptr;
    REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &device.plane.spec, &first)));
    const long live = driver().live();
    REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &device.plane.spec, &second)));
    if (driver().is_stand_in) {
      EXPECT_EQ(driver().live(), live + 3) << "a stream, an event, pinned memory";
    }
    for (hlc_halo **ended : {&first, &second}) {
      for (hlc_halo *halo : {first, second}) {
        if (!halo) continue;
        EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
        EXPECT_TRUE(ok(hlc_halo_finish(halo)));
      }
      EXPECT_TRUE(ok(hlc_halo_finalise(ended)));
    }
  }
}

/// Of each pair of ranks one is refused, and both stage; the swap is right, and explain says why.
TEST_F(ReadInPlace, what_is_refused_is_staged_by_both_sides) {
  NEEDS_STAND_IN();
  for (const stand_in_ipc refusal : {STAND_IN_IPC_NOT_OPENED, STAND_IN_IPC_NOT_GIVEN}) {
    OnDevice device(Where::everywhere, true);
    if (rank() % 2 == 1) driver().ipc(refusal);
    Rig rig(plain_case("plain", decompose(size(), 1, {5, 6}, 0b1, random_), 1, 2), {"direct", HLC_MODE_DIRECT}, Memory::shared, 1, &device);
    driver().ipc(STAND_IN_IPC);
    if (!rig.ready()) return;
    for (int step = 1; step <= 3; ++step) rig.swap_once(step);
    const hlc_plan_info info = info_of(rig.halo());
    // In a ring of an odd number of ranks the last and the first are neighbours, and both are even.
    if (size() % 2 == 0) {
      EXPECT_EQ(info.via_direct, 0);
    }
    if (checks() || has_fake_nodes() || size() < 2) continue;
    const std::string words = explained(rig.halo(), HLC_FORMAT_TEXT);
    if (rank() % 2 == 1) {
      EXPECT_NE(words.find(refusal == STAND_IN_IPC_NOT_OPENED ? std::string(kMapFailedName) + " (205)"
                                                              : std::string("its memory has no ") + kPlatform + " IPC handle"),
                std::string::npos)
          << words;
    } else if (refusal == STAND_IN_IPC_NOT_OPENED) {
      EXPECT_NE(words.find("cannot open the memory of this rank"), std::string::npos) << words;
    }
  }
}

TEST_F(ReadInPlace, memory_of_a_pool_is_staged_and_explain_says_why) {
  Current current;
  Plane plane(HLC_MODE_DIRECT);
  const Allocation cells(8 * 8 * 8, true);
  cells.write(plane.cells.data());
  plane.field.data = cells.data();
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_EQ(info_of(halo).via_direct, 0);
  if (!checks()) {
    const std::string words = explained(halo, HLC_FORMAT_TEXT), json = explained(halo, HLC_FORMAT_JSON);
    EXPECT_NE(words.find("  not read in place: field 'theta' of rank " + std::to_string(rank()) + ": its memory has no " + kPlatform +
                         " IPC handle"),
              std::string::npos)
        << words;
    EXPECT_NE(json.find("\"why\": \"field 'theta' of rank"), std::string::npos) << json;
  }
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

// ---------------------------------------------------------------- of the host

TEST(StagedFields, of_the_host_alone_ignore_streams) {
  Plane plane;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(ok(hlc_halo_start_on(halo, nullptr, &plane)));
  EXPECT_TRUE(ok(hlc_halo_finish_on(halo, &plane)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

/// No call of the driver for a swap of arrays that the host can access.
TEST(StagedFields, are_all_that_the_driver_is_asked_for) {
  Plane plane(HLC_MODE_NOTIFY);
  driver().init(0);
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &plane.spec, &halo)));
  const long calls = driver().calls(), asked = driver().asked();
  for (int step = 0; step < 3; ++step) {
    EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  }
  EXPECT_EQ(driver().calls(), calls);
  EXPECT_EQ(driver().asked(), asked);
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

// ---------------------------------------------------------------- failures

constexpr int kOutOfMemory = 2, kInvalidValue = 1, kIllegalAddress = 700;

/// The status of a failure on the rank that it happens on, and what its message says.
void expect_failure(int code, hlc_status status) {
  EXPECT_TRUE(is_status(code == kOutOfMemory ? HLC_ERR_MEMORY : HLC_ERR_DEVICE, status));
  EXPECT_TRUE(message_names(
      {"on rank " + std::to_string(size() - 1), std::string("of ") + kPlatform + "'s driver returned " + kErrorPrefix, "on device 0"}));
}

/// Starts a swap; one that has failed on this rank is tried again. A crashed device fails again.
bool start_in_the_end(hlc_halo *halo, bool on_stream, int code) {
  const auto start = [&] { return on_stream ? hlc_halo_start_on(halo, nullptr, nullptr) : hlc_halo_start(halo, nullptr); };
  const hlc_status status = start();
  if (status == HLC_OK) return true;
  expect_failure(code, status);
  return code < kIllegalAddress && start() == HLC_OK;
}

/// A plan, two swaps, the second in order with a stream, the end; on the last rank the nth call of the driver fails. Every call returns, and nothing is left. Returns whether
/// there was such a call.
bool survive(hlc_mode mode, long n, int code) {
  DevicePlane device(mode);
  const bool mine = rank() == size() - 1;
  const long live = driver().live();
  if (mine) driver().fail(n, code);
  hlc_halo *halo = nullptr;
  const hlc_status made = hlc_halo_init(context(), &device.plane.spec, &halo);
  if (made != HLC_OK) expect_failure(code, made);
  for (bool good = made == HLC_OK, swap = false; good; swap = true) {
    const bool started = start_in_the_end(halo, swap, code);
    EXPECT_TRUE(started || code >= kIllegalAddress);
    const hlc_status finished = !started ? HLC_OK : swap ? hlc_halo_finish_on(halo, nullptr) : hlc_halo_finish(halo);
    if (finished != HLC_OK && mine) expect_failure(code, finished);
    if (!mine) {
      EXPECT_TRUE(ok(finished));
    }
    good = everyone(started && finished == HLC_OK) && !swap;
  }
  if (made == HLC_OK) static_cast<void>(hlc_halo_finalise(&halo));
  EXPECT_EQ(halo, nullptr);
  const bool reached = !mine || driver().failed();
  if (mine) driver().fail(0, 0);
  EXPECT_EQ(driver().live(), live) << "call " << n;
  return everyone(reached);
}

TEST(StagedFailures, of_each_call_are_returned_and_leave_nothing_behind) {
  NEEDS_STAND_IN();
  for (const hlc_mode mode : {HLC_MODE_P2P, HLC_MODE_NOTIFY, HLC_MODE_DIRECT})
    for (const int code : {kInvalidValue, kOutOfMemory, kIllegalAddress}) {
      if (code == kIllegalAddress && size() > 1) continue;  // the neighbours would wait, see below
      long n = 1;
      while (survive(mode, n, code)) ++n;
      EXPECT_GT(n, 10) << "calls of the driver";
    }
}

/// The neighbours of a rank whose device has crashed learn that it ends its halo. They do on its node; elsewhere they wait for the timeout.
TEST(StagedFailures, of_a_device_let_the_others_end) {
  NEEDS_STAND_IN();
  if (std::getenv("HALOCLINE_FAKE_NODES") || std::getenv("HALOCLINE_CHECK")) GTEST_SKIP() << "the others wait for the timeout here";
  DevicePlane device(HLC_MODE_NOTIFY);
  const bool mine = rank() == size() - 1;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &device.plane.spec, &halo)));
  if (mine) driver().fail(1, kIllegalAddress);
  const hlc_status started = hlc_halo_start(halo, nullptr);
  if (mine)
    expect_failure(kIllegalAddress, started);
  else
    EXPECT_TRUE(ok(started));
  // Of two ranks and more, each of the first and the last is a neighbour of that one.
  const bool waits = !mine && (rank() == 0 || rank() == size() - 2);
  if (!mine) {
    EXPECT_TRUE(is_status(waits ? HLC_ERR_MISMATCH : HLC_OK, hlc_halo_finish(halo)));
  }
  static_cast<void>(hlc_halo_finalise(&halo));
  EXPECT_EQ(halo, nullptr);
  if (mine) driver().fail(0, 0);
}

}  // namespace
}  // namespace halocline::test
