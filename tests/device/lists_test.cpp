// Blocks and index halos whose fields are in a device's memory: all of them, some, or those of some ranks, in every mode, against the serial
// oracle. Copies are late, and the host cannot access the memory.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <memory>
#include <numeric>
#include <thread>

#include "device/device_plane.hpp"
#include "engine/segments.hpp"
#include "support/boxes.hpp"
#include "support/modes.hpp"
#include "support/strip.hpp"

namespace halocline::test {
namespace {

enum class Where { everywhere, odd_arrays, odd_ranks };
constexpr Where kPlaces[] = {Where::everywhere, Where::odd_arrays, Where::odd_ranks};

bool is_there(Where where, std::size_t array) {
  return where == Where::everywhere || (where == Where::odd_arrays ? array % 2 == 1 : rank() % 2 == 1);
}

class OnDeviceTest : public testing::TestWithParam<ModeChoice> {
 protected:
  CleanDriver clean_;
  Random random_{mixed(seed() ^ 131)};
};

/// Memory of the host, which neighbours may read if it is shared, and of a device. Each array uses one; the other keeps what fill has written.
class TwoMemories {
 public:
  explicit TwoMemories(std::size_t bytes, bool shared = false) : own_(bytes), device_(std::max<std::size_t>(bytes, 1)) {
    if (!shared) return;
    EXPECT_TRUE(ok(hlc_field_alloc(context(), bytes, &shared_)));
  }
  TwoMemories(const TwoMemories &) = delete;
  TwoMemories &operator=(const TwoMemories &) = delete;
  ~TwoMemories() { EXPECT_TRUE(!shared_ || ok(hlc_field_free(context(), &shared_))); }
  void write(const Arena &bytes) {
    if (bytes.empty()) return;
    std::memcpy(on_host(), bytes.data(), bytes.size());
    device_.write(bytes.data());
  }
  std::byte *on_host() { return shared_ ? static_cast<std::byte *>(shared_) : own_.data(); }
  std::byte *on_device() { return static_cast<std::byte *>(device_.data()); }
  Arena read_host() { return Arena(on_host(), on_host() + own_.size()); }
  Arena read_device() const {
    Arena copy(std::max<std::size_t>(own_.size(), 1));
    device_.read(copy.data());
    copy.resize(own_.size());
    return copy;
  }

 private:
  Current current_;
  Arena own_;
  void *shared_ = nullptr;
  Allocation device_;
};

// ---------------------------------------------------------------- blocks

class DeviceBoxes {
 public:
  DeviceBoxes(BoxCase boxes, const ModeChoice &mode, Where where, int parts = 1, bool shared = false)
      : case_(std::move(boxes)), where_(where), memories_(memory_of(case_, rank()), shared) {
    BoxSpec made(case_, rank(), memories_.on_host());
    for (std::size_t i = 0; i < made.fields.size(); ++i)
      if (is_there(where, i)) made.fields[i].data = memories_.on_device() + arrays_of(case_, rank())[i].offset;
    made.spec.parts = std::max(made.spec.parts, parts);
    made.spec.mode = mode.mode;
    made.spec.epoch = mode.epoch;
    made.spec.drive = mode.drive;
    const testing::AssertionResult planned = ok(hlc_blocks_init(context(), &made.spec, &blocks_));
    EXPECT_TRUE(planned) << case_.name;
    ready_ = everyone(static_cast<bool>(planned));
  }
  DeviceBoxes(const DeviceBoxes &) = delete;
  DeviceBoxes &operator=(const DeviceBoxes &) = delete;
  ~DeviceBoxes() { EXPECT_TRUE(!blocks_ || ok(hlc_blocks_finalise(&blocks_))); }
  bool ready() const { return ready_; }
  hlc_blocks *blocks() const { return blocks_; }

  void fill(int step, bool reverse = false) { memories_.write(boxes_before(case_, rank(), step, reverse)); }
  void expect(int step, const std::vector<int> &fields = {}, bool reverse = false, std::int64_t depth = 0) {
    Arena found = memories_.read_device();
    const Arena expected = boxes_after(case_, rank(), step, reverse, fields, depth), host = memories_.read_host();
    const std::vector<BoxArray> arrays = arrays_of(case_, rank());
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (!is_there(where_, i))
        std::memcpy(found.data() + arrays[i].offset, host.data() + arrays[i].offset, static_cast<std::size_t>(arrays[i].bytes));
    EXPECT_EQ(boxes_difference(case_, rank(), expected, found), "") << "step " << step << (reverse ? ", reverse" : "");
  }
  void swap_once(int step, const std::vector<int> &fields = {}, bool reverse = false, std::int64_t depth = 0) {
    fill(step, reverse);
    const hlc_swap what{static_cast<int>(fields.size()), fields.data(), 0, 0, HLC_SIDE_BOTH, reverse, depth};
    EXPECT_TRUE(ok(hlc_blocks_start(blocks_, &what)));
    EXPECT_TRUE(ok(hlc_blocks_finish(blocks_)));
    expect(step, fields, reverse, depth);
  }

 private:
  BoxCase case_;
  Where where_;
  TwoMemories memories_;
  hlc_blocks *blocks_ = nullptr;
  bool ready_ = false;
};

class DeviceBlocks : public OnDeviceTest {};

TEST_P(DeviceBlocks, of_any_case_are_swapped) {
  for (const Where where : kPlaces)
    for (const bool staggered : {false, true}) {
      DeviceBoxes rig(staggered ? random_staggered_boxes(size(), random_) : random_boxes(size(), random_), GetParam(), where);
      if (!rig.ready()) return;
      for (int step = 1; step <= 2; ++step) rig.swap_once(step);
    }
}

/// Few cells, so that edges of several neighbours have some in common; also as deep as a part of the halo.
TEST_P(DeviceBlocks, are_added_in_reverse_and_swapped_in_parts) {
  for (const Where where : kPlaces) {
    BoxCase boxes;
    boxes.name = "in reverse";
    boxes.ndims = 2;
    boxes.global = {11, 9, 1, 1};
    boxes.kinds = {float64, {HLC_INT32, 4}, float64};  // an odd number: of two blocks of a rank one may be on the device alone
    boxes.low = {2, 1, 0, 0};
    boxes.high = {1, 2, 0, 0};
    boxes.periodic = {1, 1, 0, 0};
    cut_at_random(boxes, size(), 3 * size(), false, random_);
    DeviceBoxes rig(boxes, GetParam(), where);
    if (!rig.ready()) return;
    rig.swap_once(1, {}, true);
    rig.swap_once(2, {1});
    rig.swap_once(3, {0}, true);
    rig.swap_once(4, {}, false, 1);
    rig.swap_once(5);
  }
}

/// Each part has a thread of its own; the last one to start makes the copies.
TEST_P(DeviceBlocks, are_swapped_by_threads) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_SERIALIZED) GTEST_SKIP() << "threads may not call MPI";
  BoxCase boxes = random_boxes(size(), random_);
  for (std::size_t b = 0; b < boxes.boxes.size(); ++b) boxes.boxes[b].part = static_cast<int>(b % 2);
  DeviceBoxes rig(boxes, GetParam(), Where::odd_arrays, 2);
  if (!rig.ready()) return;
  for (int step = 1; step <= 3; ++step) {
    rig.fill(step);
    std::vector<std::thread> threads;
    std::array<hlc_status, 2> finished{};
    for (int part = 0; part < 2; ++part)
      threads.emplace_back([&, part] {
        finished[static_cast<std::size_t>(part)] = hlc_blocks_start_part(rig.blocks(), part, nullptr);
        if (finished[static_cast<std::size_t>(part)] == HLC_OK)
          finished[static_cast<std::size_t>(part)] = hlc_blocks_finish_part(rig.blocks(), part);
      });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(finished[0], HLC_OK);
    EXPECT_EQ(finished[1], HLC_OK);
    rig.expect(step);
  }
}

FOR_ALL_MODES(DeviceBlocks);

// ---------------------------------------------------------------- blocks of neighbours that are read in place

bool checks() { return std::getenv("HALOCLINE_CHECK") != nullptr; }
bool has_fake_nodes() { return std::getenv("HALOCLINE_FAKE_NODES") != nullptr; }

/// Of tests in mode direct.
class InPlace : public testing::Test {
 protected:
  CleanDriver clean_;
  Random random_{mixed(seed() ^ 137)};
  const ModeChoice direct_{"direct", HLC_MODE_DIRECT};
};

class BlocksInPlace : public InPlace {};

hlc_plan_info info_of(const hlc_blocks *blocks) {
  hlc_plan_info info{};
  EXPECT_TRUE(ok(hlc_blocks_info(blocks, &info)));
  return info;
}

std::string explained(const hlc_blocks *blocks) {
  std::string text(4000, '\0');
  EXPECT_TRUE(ok(hlc_blocks_explain(blocks, HLC_FORMAT_TEXT, text.data(), text.size(), nullptr)));
  return text.c_str();
}

/// A box of each rank, beside those of the ranks before it and after it.
BoxCase row_of_boxes() {
  BoxCase boxes;
  boxes.name = "a row";
  boxes.ndims = 2;
  boxes.global = {4 * size(), 5, 1, 1};
  boxes.kinds = {float64, {HLC_INT32, 4}};
  boxes.low = boxes.high = {1, 2, 0, 0};
  boxes.periodic = {1, 1, 0, 0};
  for (int r = 0; r < size(); ++r) boxes.boxes.push_back({r, {4 * r, 0, 0, 0}, {4, 5, 1, 1}});
  return boxes;
}

/// Nothing that ranks of a node send each other passes through the host: forwards each of their boxes is one copy on the device.
TEST_F(BlocksInPlace, are_copied_from_the_memory_of_neighbours) {
  for (int i = 0; i < 3; ++i) {
    const bool in_a_row = i == 0;
    DeviceBoxes rig(in_a_row ? row_of_boxes() : random_boxes(size(), random_), direct_, Where::everywhere);
    if (!rig.ready()) return;
    const hlc_plan_info info = info_of(rig.blocks());
    const int near = has_fake_nodes() || checks() ? 0 : info.neighbours;
    EXPECT_GE(info.via_direct, near);
    if (checks()) {
      EXPECT_EQ(info.via_direct, 0);
    }
    const long before = driver().read();
    for (int step = 1; step <= 2; ++step) rig.swap_once(step);
    if (!in_a_row || !driver().is_stand_in) continue;
    // A side of a box is in the halo of the next one, above it and below it: three boxes of each field from either side.
    EXPECT_EQ(driver().read() - before, has_fake_nodes() && info.via_direct < info.neighbours ? driver().read() - before
                                        : info.via_direct == 0 || size() == 1                 ? 0
                                                                                              : 2 * 2 * 2 * 3);
  }
}

TEST_F(BlocksInPlace, are_said_to_be_by_explain) {
  DeviceBoxes rig(row_of_boxes(), direct_, Where::everywhere);
  if (!rig.ready()) return;
  const hlc_plan_info info = info_of(rig.blocks());
  const std::string words = explained(rig.blocks()), way = "read in place over " + std::to_string(info.via_direct) + " of " +
                                                           std::to_string(info.neighbours) + " links, else ";
  EXPECT_EQ(words.find(way) != std::string::npos, info.via_direct > 0) << words;
  EXPECT_EQ(words.find("not read in place"), std::string::npos) << words;
}

/// One field of all blocks is on the device, the other on the host: each is read where it is, unless one cannot be.
TEST_F(BlocksInPlace, may_have_other_fields_on_the_host) {
  for (const bool shared : {true, false}) {
    DeviceBoxes rig(row_of_boxes(), direct_, Where::odd_arrays, 1, shared);
    if (!rig.ready()) return;
    const hlc_plan_info info = info_of(rig.blocks());
    if (!has_fake_nodes() && !checks()) {
      EXPECT_EQ(info.via_direct, shared ? info.neighbours : 0);
    }
    for (int step = 1; step <= 4; ++step) rig.swap_once(step, step == 3 ? std::vector{1} : std::vector<int>(), step % 2 == 0);
  }
}

/// Of each pair of ranks one is refused, and both stage; the swap is right, and explain says why.
TEST_F(BlocksInPlace, that_are_refused_are_staged_by_both_sides) {
  if (!driver().is_stand_in) GTEST_SKIP() << "a real driver does not refuse when it is asked to";
  for (const stand_in_ipc refusal : {STAND_IN_IPC_NOT_OPENED, STAND_IN_IPC_NOT_GIVEN}) {
    if (rank() % 2 == 1) driver().ipc(refusal);
    DeviceBoxes rig(row_of_boxes(), direct_, Where::everywhere);
    driver().ipc(STAND_IN_IPC);
    if (!rig.ready()) return;
    for (int step = 1; step <= 3; ++step) rig.swap_once(step, {}, step == 3);
    if (size() % 2 == 0) {
      EXPECT_EQ(info_of(rig.blocks()).via_direct, 0);
    }
    if (checks() || has_fake_nodes() || size() < 2) continue;
    const std::string words = explained(rig.blocks());
    if (rank() % 2 == 1) {
      EXPECT_NE(words.find(refusal == STAND_IN_IPC_NOT_OPENED
                               ? std::string(kMapFailedName)
                               : "field 'field 0' of blocks[0] of rank " + std::to_string(rank()) + ": its memory has no " + kPlatform),
                std::string::npos)
          << words;
    } else if (refusal == STAND_IN_IPC_NOT_OPENED) {
      EXPECT_NE(words.find("cannot open the memory of this rank"), std::string::npos) << words;
    }
  }
}

// ---------------------------------------------------------------- index halos

constexpr int kOwn = 40;

struct Layout {
  hlc_type type;
  std::size_t element;
  int components;
  bool is_by_component;  // all entries of a component side by side
  int gap;  // bytes between entries
};
constexpr Layout kLayouts[] = {{HLC_FLOAT64, 8, 1, false, 0}, {HLC_FLOAT32, 4, 3, false, 0}, {HLC_FLOAT64, 8, 2, true, 0},
                               {HLC_INT32, 4, 4, false, 4},   {HLC_INT64, 8, 2, true, 8},    {HLC_OPAQUE, 24, 1, false, 0}};

/// Of entries: in any order; lists in any order, and ghosts behind each other; lists in one run or two, too.
enum class Order { scattered, by_owner, in_runs };

/// A mesh of which every rank receives some entries from every rank, itself among them. All is known to all: the ranks draw the same numbers.
/// A rank's entries are in any order, or its own before its ghosts.
struct Mesh {
  Mesh(Random &random, Order order) : sent(static_cast<std::size_t>(size() * size())), place(static_cast<std::size_t>(size())) {
    for (std::vector<int> &list : sent) {
      std::vector<int> all(kOwn);
      std::iota(all.begin(), all.end(), 0);
      if (order == Order::in_runs)
        std::rotate(all.begin(), all.begin() + between(random, 0, kOwn - 1), all.end());
      else
        std::shuffle(all.begin(), all.end(), random);
      list.assign(all.begin(), all.begin() + between(random, order == Order::in_runs ? 1 : 0, kOwn / 2));
    }
    for (int r = 0; r < size(); ++r) {
      std::vector<std::int64_t> &of = place[static_cast<std::size_t>(r)];
      of.resize(static_cast<std::size_t>(entries(r)));
      std::iota(of.begin(), of.end(), 0);
      if (order == Order::scattered) std::shuffle(of.begin(), of.end(), random);
    }
  }
  const std::vector<int> &list(int from, int to) const { return sent[static_cast<std::size_t>(from * size() + to)]; }
  /// The number of the first ghost from a rank among the entries of another.
  int first_ghost(int from, int to) const {
    int first = kOwn;
    for (int r = 0; r < from; ++r) first += static_cast<int>(list(r, to).size());
    return first;
  }
  int entries(int r) const { return first_ghost(size(), r); }
  std::int64_t at(int r, int entry) const { return place[static_cast<std::size_t>(r)][static_cast<std::size_t>(entry)]; }

  std::vector<std::vector<int>> sent;  // per pair: of the sender's own entries
  std::vector<std::vector<std::int64_t>> place;  // per rank: where its entries are in its arrays
};

/// Small whole numbers, whose sums are exact.
int value_of(int owner, int entry, int step, std::size_t field, int component) {
  return 1 + (owner * 7 + entry * 13 + step * 5 + static_cast<int>(field) * 3 + component) % 97;
}

void put_value(const Layout &kind, std::byte *to, int value) {
  const double d = value;
  const float f = static_cast<float>(value);
  const std::int64_t l = value;
  std::memset(to, value & 0xff, kind.element);
  if (kind.type == HLC_FLOAT64) std::memcpy(to, &d, 8);
  if (kind.type == HLC_FLOAT32) std::memcpy(to, &f, 4);
  if (kind.type == HLC_INT32) std::memcpy(to, &value, 4);
  if (kind.type == HLC_INT64) std::memcpy(to, &l, 8);
}

class DeviceMesh {
 public:
  DeviceMesh(Random &random, const ModeChoice &mode, Where where, Order order, bool shared = false) : where_(where), mesh_(random, order) {
    const std::int64_t n = mesh_.entries(rank());
    for (std::size_t f = 0; f < std::size(kLayouts); ++f) {
      const Layout &kind = kLayouts[f];
      const auto element = static_cast<std::int64_t>(kind.element);
      hlc_index_field field{};
      field.type = kind.type;
      field.element_bytes = kind.type == HLC_OPAQUE ? kind.element : 0;
      field.components = kind.components;
      field.entry_stride_bytes = kind.is_by_component ? element + kind.gap : element * kind.components + kind.gap;
      field.component_stride_bytes = kind.is_by_component ? n * field.entry_stride_bytes : element;
      field.name = "v";
      memories_.push_back(std::make_unique<TwoMemories>(static_cast<std::size_t>(n * (element + kind.gap) * kind.components + 64), shared));
      field.data = is_there(where, f) ? memories_.back()->on_device() : memories_.back()->on_host();
      fields_.push_back(field);
    }
    std::vector<hlc_index_neighbour> neighbours;
    std::vector<std::vector<std::int64_t>> lists;
    for (int r = 0; r < size(); ++r) {
      std::vector<std::int64_t> out, in;
      for (const int entry : mesh_.list(rank(), r)) out.push_back(mesh_.at(rank(), entry));
      for (std::size_t k = 0; k < mesh_.list(r, rank()).size(); ++k)
        in.push_back(mesh_.at(rank(), mesh_.first_ghost(r, rank()) + static_cast<int>(k)));
      lists.push_back(out);
      lists.push_back(in);
    }
    for (int r = 0; r < size(); ++r) {
      const std::vector<std::int64_t> &out = lists[static_cast<std::size_t>(2 * r)], &in = lists[static_cast<std::size_t>(2 * r + 1)];
      neighbours.push_back({r, 1, 1, static_cast<std::int64_t>(out.size()), out.data(), static_cast<std::int64_t>(in.size()), in.data()});
    }
    hlc_index_halo_spec spec{};
    spec.nentries = n;
    spec.nneighbours = size();
    spec.neighbours = neighbours.data();
    spec.nfields = static_cast<int>(fields_.size());
    spec.fields = fields_.data();
    spec.mode = mode.mode;
    spec.epoch = mode.epoch;
    spec.drive = mode.drive;
    const testing::AssertionResult planned = ok(hlc_index_halo_init(context(), &spec, &halo_));
    EXPECT_TRUE(planned);
    ready_ = everyone(static_cast<bool>(planned));
  }
  DeviceMesh(const DeviceMesh &) = delete;
  DeviceMesh &operator=(const DeviceMesh &) = delete;
  ~DeviceMesh() { EXPECT_TRUE(!halo_ || ok(hlc_index_halo_finalise(&halo_))); }
  bool ready() const { return ready_; }
  hlc_index_halo *halo() const { return halo_; }
  void *data(std::size_t field) const { return fields_[field].data; }

  void swap_once(int step, const std::vector<int> &fields = {}, bool reverse = false) {
    for (std::size_t f = 0; f < fields_.size(); ++f) memories_[f]->write(image(f, step, false, reverse));
    const hlc_index_swap what{static_cast<int>(fields.size()), fields.data(), reverse};
    EXPECT_TRUE(ok(hlc_index_halo_start(halo_, &what)));
    EXPECT_TRUE(ok(hlc_index_halo_finish(halo_)));
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      const bool swapped = fields.empty() || std::count(fields.begin(), fields.end(), static_cast<int>(f)) > 0;
      const Arena found = is_there(where_, f) ? memories_[f]->read_device() : memories_[f]->read_host();
      EXPECT_EQ(found == image(f, step, swapped, reverse), true)
          << "field " << f << ", step " << step << (reverse ? ", reverse" : "") << (swapped ? "" : ", not swapped");
    }
  }

 private:
  /// All memory of a field before a swap, or after it.
  Arena image(std::size_t f, int step, bool after, bool reverse) const {
    const int me = rank();
    Arena bytes(memories_[f]->read_host().size(), std::byte{0x77});
    for (int c = 0; c < kLayouts[f].components; ++c) {
      for (int entry = 0; entry < kOwn; ++entry) {
        int value = value_of(me, entry, step, f, c);
        for (int to = 0; after && reverse && to < size(); ++to)
          for (std::size_t k = 0; k < mesh_.list(me, to).size(); ++k)
            if (mesh_.list(me, to)[k] == entry) value += value_of(to, mesh_.first_ghost(me, to) + static_cast<int>(k), step, f, c);
        put(bytes, f, entry, c, value);
      }
      for (int from = 0; from < size(); ++from)
        for (std::size_t k = 0; k < mesh_.list(from, me).size(); ++k) {
          const int ghost = mesh_.first_ghost(from, me) + static_cast<int>(k);
          const int before = reverse ? value_of(me, ghost, step, f, c) : 255;
          put(bytes, f, ghost, c, !after ? before : reverse ? 0 : value_of(from, mesh_.list(from, me)[k], step, f, c));
        }
    }
    return bytes;
  }
  void put(Arena &bytes, std::size_t f, int entry, int component, int value) const {
    const std::int64_t at = mesh_.at(rank(), entry) * fields_[f].entry_stride_bytes + component * fields_[f].component_stride_bytes;
    put_value(kLayouts[f], bytes.data() + at, value);
  }

  Where where_;
  Mesh mesh_;
  std::vector<std::unique_ptr<TwoMemories>> memories_;
  std::vector<hlc_index_field> fields_;
  hlc_index_halo *halo_ = nullptr;
  bool ready_ = false;
};

class DeviceIndexHalo : public OnDeviceTest {};

TEST_P(DeviceIndexHalo, of_any_layout_is_swapped_and_added_in_reverse) {
  for (const Where where : kPlaces)
    for (const Order order : {Order::scattered, Order::by_owner, Order::in_runs}) {
      DeviceMesh mesh(random_, GetParam(), where, order);
      if (!mesh.ready()) return;
      mesh.swap_once(1);
      mesh.swap_once(2, {0, 1, 2, 3, 4}, true);
      mesh.swap_once(3, {1, 4, 5});
      mesh.swap_once(4, {2, 3}, true);
      mesh.swap_once(5);
    }
}

TEST_P(DeviceIndexHalo, may_be_finished_by_views_which_show_the_ghosts) {
  DeviceMesh mesh(random_, GetParam(), Where::everywhere, Order::by_owner);
  if (!mesh.ready()) return;
  EXPECT_TRUE(ok(hlc_index_halo_start(mesh.halo(), nullptr)));
  EXPECT_TRUE(ok(hlc_index_halo_finish_views(mesh.halo())));
  hlc_index_view view{};
  EXPECT_TRUE(ok(hlc_index_halo_view(mesh.halo(), 0, 0, &view)));
  EXPECT_EQ(view.data, mesh.data(0));
  EXPECT_TRUE(ok(hlc_index_halo_release(mesh.halo())));
}

FOR_ALL_MODES(DeviceIndexHalo);

class EntriesInPlace : public InPlace {};

hlc_plan_info info_of(const hlc_index_halo *halo) {
  hlc_plan_info info{};
  EXPECT_TRUE(ok(hlc_index_halo_info(halo, &info)));
  return info;
}

std::string explained(const hlc_index_halo *halo) {
  std::string text(4000, '\0');
  EXPECT_TRUE(ok(hlc_index_halo_explain(halo, HLC_FORMAT_TEXT, text.data(), text.size(), nullptr)));
  return text.c_str();
}

/// Fields of all layouts, or every other one, whose others neighbours read on the host.
TEST_F(EntriesInPlace, in_few_runs_are_copied_from_the_memory_of_neighbours) {
  for (const Where where : {Where::everywhere, Where::odd_arrays})
    for (const bool shared : {true, false}) {
      DeviceMesh mesh(random_, direct_, where, Order::in_runs, shared);
      if (!mesh.ready()) return;
      const hlc_plan_info info = info_of(mesh.halo());
      if (!has_fake_nodes() && !checks()) {
        EXPECT_EQ(info.via_direct, shared || where == Where::everywhere ? info.neighbours : 0);
      }
      const long before = driver().read();
      mesh.swap_once(1);
      if (driver().is_stand_in) {
        EXPECT_EQ(driver().read() > before, info.via_direct > 0);
      }
      mesh.swap_once(2, {0, 1, 2, 3, 4}, true);
      mesh.swap_once(3, {1, 4, 5});
      mesh.swap_once(4, {2, 3}, true);
      if (info.via_direct == info.neighbours) {
        EXPECT_EQ(explained(mesh.halo()).find("not read in place"), std::string::npos);
      }
    }
}

/// Every other entry of the first rank's lists: as many runs as entries. Both ends stage, and say why.
TEST_F(EntriesInPlace, in_many_short_runs_are_staged_and_explain_says_why) {
  constexpr std::int64_t kRuns = 9;
  const Current current;
  const Allocation cells(100 * sizeof(double));
  std::vector<double> values(100, rank());
  cells.write(values.data());
  const std::int64_t step = rank() == 0 ? 2 : 1;
  std::vector<std::int64_t> sent, ghosts;
  for (std::int64_t k = 0; k < kRuns; ++k) sent.push_back(step * k), ghosts.push_back(50 + k);
  const int next = (rank() + 1) % size(), last = (rank() + size() - 1) % size();
  const hlc_index_neighbour neighbours[] = {{next, 0, 1, kRuns, sent.data(), 0, nullptr}, {last, 1, 0, 0, nullptr, kRuns, ghosts.data()}};
  const hlc_index_field field{cells.data(), HLC_FLOAT64, 0, 0, 0, 0, "u"};
  hlc_index_halo_spec spec{};
  spec.nentries = 100;
  spec.nneighbours = 2;
  spec.neighbours = neighbours;
  spec.nfields = 1;
  spec.fields = &field;
  spec.mode = HLC_MODE_DIRECT;
  hlc_index_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_index_halo_init(context(), &spec, &halo)));
  EXPECT_TRUE(ok(hlc_index_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_index_halo_finish(halo)));
  cells.read(values.data());
  for (std::int64_t k = 0; k < kRuns; ++k) EXPECT_EQ(values[static_cast<std::size_t>(50 + k)], last);
  const std::string words = explained(halo);
  const hlc_plan_info info = info_of(halo);
  if (!has_fake_nodes() && !checks() && size() > 1) {
    EXPECT_EQ(info.via_direct, rank() == 0 || rank() == 1 ? 1 : 2) << words;
    if (rank() == 0) {
      EXPECT_NE(words.find("not read in place: the entries that are sent to rank 1, or received from it, are in 9 runs of 8 bytes"),
                std::string::npos)
          << words;
    }
    if (rank() == 1) {
      EXPECT_NE(
          words.find("not read in place: rank 0 has other fields on a device, or they cannot be read there, or its entries are in many"),
          std::string::npos)
          << words;
    }
  }
  const std::vector<int> nodes = nodes_of_ranks();
  if (rank() == 0 && size() > 1 && nodes[0] != nodes[1]) {
    EXPECT_EQ(words.find("in 9 runs"), std::string::npos) << "rank 1 is on another node: " << words;
  }
  EXPECT_TRUE(ok(hlc_index_halo_finalise(&halo)));
}

/// Both sides stage what one of them is refused.
TEST_F(EntriesInPlace, that_are_refused_are_staged_by_both_sides) {
  if (!driver().is_stand_in) GTEST_SKIP() << "a real driver does not refuse when it is asked to";
  for (const stand_in_ipc refusal : {STAND_IN_IPC_NOT_OPENED, STAND_IN_IPC_NOT_GIVEN}) {
    if (rank() % 2 == 1) driver().ipc(refusal);
    DeviceMesh mesh(random_, direct_, Where::everywhere, Order::in_runs);
    driver().ipc(STAND_IN_IPC);
    if (!mesh.ready()) return;
    mesh.swap_once(1);
    mesh.swap_once(2, {0, 1, 2, 3, 4}, true);
    if (!checks() && !has_fake_nodes() && size() == 2) {
      EXPECT_EQ(info_of(mesh.halo()).via_direct, 0);
    }
  }
}

// ---------------------------------------------------------------- what is said of them

TEST(DeviceLists, of_two_devices_are_refused_with_both_names) {
  if (!driver().is_stand_in) GTEST_SKIP() << "needs two devices";
  const DevicePlane first(HLC_MODE_P2P, 0), second(HLC_MODE_P2P, 3);
  Strip strip;
  strip.fields[0].data = first.cells().data();
  strip.fields[1].data = second.cells().data();
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, strip.init()));
  EXPECT_TRUE(message_names({"field 'u' is in the memory of " + named_device(0) + ", and field 'v' in that of device 3"}));
}

TEST(DeviceLists, are_explained) {
  const DevicePlane cells;
  Strip strip;
  strip.fields[1].data = cells.cells().data();
  REQUIRE_EVERYWHERE(ok(strip.init()));
  char words[4000] = "";
  EXPECT_TRUE(ok(hlc_index_halo_explain(strip.halo, HLC_FORMAT_TEXT, words, sizeof words, nullptr)));
  EXPECT_NE(std::string(words).find("on " + named_device(0) + ", staged through 64 bytes of pinned memory: 'v'\n"), std::string::npos)
      << words;
}

/// Every third entry is sent, every third is a ghost; a kernel may write the others, in lists of so many runs, too.
TEST(DeviceLists, a_swap_leaves_alone_what_is_between_the_entries_of_its_lists) {
  constexpr int kEntries = 60;
  const Current current;
  const Allocation cells(kEntries * sizeof(double));
  std::array<double, kEntries> values{};
  for (int i = 0; i < kEntries; ++i) values[static_cast<std::size_t>(i)] = 100 * rank() + i;
  cells.write(values.data());
  std::vector<std::int64_t> sent, ghosts;
  for (int i = 0; i < kEntries; i += 3) sent.push_back(i), ghosts.push_back(i + 1);
  const int next = (rank() + 1) % size(), last = (rank() + size() - 1) % size();
  const hlc_index_neighbour neighbours[] = {{next, 0, 1, kEntries / 3, sent.data(), 0, nullptr},
                                            {last, 1, 0, 0, nullptr, kEntries / 3, ghosts.data()}};
  const hlc_index_field field{cells.data(), HLC_FLOAT64, 0, 0, 0, 0, "u"};
  hlc_index_halo_spec spec{};
  spec.nentries = kEntries;
  spec.nneighbours = 2;
  spec.neighbours = neighbours;
  spec.nfields = 1;
  spec.fields = &field;
  spec.mode = HLC_MODE_NOTIFY;
  hlc_index_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_index_halo_init(context(), &spec, &halo)));
  EXPECT_TRUE(ok(hlc_index_halo_start(halo, nullptr)));
  const auto first = static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(cells.data()));
  for (int i = 2; i < kEntries; i += 3) {
    const double written = -i;
    EXPECT_EQ(driver().to_device(first + static_cast<CUdeviceptr>(i) * sizeof written, &written, sizeof written), 0);
  }
  EXPECT_TRUE(ok(hlc_index_halo_finish(halo)));
  cells.read(values.data());
  for (int i = 0; i < kEntries; ++i)
    EXPECT_EQ(values[static_cast<std::size_t>(i)], i % 3 == 0 ? 100 * rank() + i : i % 3 == 1 ? 100 * last + i - 1 : -i) << "entry " << i;
  EXPECT_TRUE(ok(hlc_index_halo_finalise(&halo)));
}

/// A failed copy is returned by the call that made it; the others' swaps are right.
TEST(DeviceLists, failures_are_returned_and_leave_nothing_behind) {
  if (!driver().is_stand_in) GTEST_SKIP() << "a real driver does not fail when it is asked to";
  const DevicePlane cells;
  const bool mine = rank() == size() - 1;
  for (long n = 1;; ++n) {
    const long live = driver().live();
    Strip strip;
    strip.fields[0].data = cells.cells().data();
    if (mine) driver().fail(n, 1);
    const hlc_status made = strip.init();
    if (everyone(made == HLC_OK)) {
      hlc_status started = hlc_index_halo_start(strip.halo, nullptr);
      if (started != HLC_OK) {
        EXPECT_TRUE(is_status(HLC_ERR_DEVICE, started));
        started = hlc_index_halo_start(strip.halo, nullptr);
      }
      EXPECT_TRUE(ok(started));
      const hlc_status finished = hlc_index_halo_finish(strip.halo);
      EXPECT_TRUE(mine ? finished == HLC_OK || finished == HLC_ERR_DEVICE : finished == HLC_OK) << hlc_error_message();
    }
    static_cast<void>(hlc_index_halo_finalise(&strip.halo));
    const bool reached = !mine || driver().failed();
    if (mine) driver().fail(0, 0);
    EXPECT_EQ(driver().live(), live) << "call " << n;
    if (!everyone(reached)) {
      EXPECT_GT(n, 6);
      return;
    }
  }
}

}  // namespace
}  // namespace halocline::test
