// A model of a rotating fluid on the cells, faces and corners of boxes, several per rank and of different sizes. Every value is that of a
// serial run, bit by bit. The boxes and the serial run have the same code; a patch of the serial run is the whole domain, and fills its halo
// itself.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "support/boxes.hpp"
#include "support/modes.hpp"
#include "support/mpi_test.hpp"

namespace halocline::test {
namespace {

constexpr int kFields = 4, kSteps = 3;
enum Name { h, u, v, q };  // height in the cells, two deep; velocities on the faces that they cross; vorticity on the corners

/// The domain, and where the fields' values are.
struct World {
  Index cells{1, 1, 1, 1};
  std::array<int, HLC_MAX_DIMS> periodic{};
  hlc_field_shape shapes[kFields]{};

  World(const BoxCase &boxes, hlc_stagger nodes) : cells(boxes.global), periodic(boxes.periodic) {
    for (hlc_field_shape &shape : shapes) {
      shape.own_depth = 1;
      for (int d = 0; d < 2; ++d) shape.depth_low[d] = shape.depth_high[d] = 1;
    }
    for (int d = 0; d < 2; ++d) shapes[h].depth_low[d] = shapes[h].depth_high[d] = 2;
    shapes[u].stagger[0] = shapes[v].stagger[1] = shapes[q].stagger[0] = shapes[q].stagger[1] = nodes;
  }
  /// Whether a value is at the end of an open dimension.
  bool at_wall(int d, std::int64_t i) const {
    return !periodic[static_cast<std::size_t>(d)] && (i == 0 || i == cells[static_cast<std::size_t>(d)]);
  }
};

/// A box with the arrays of all fields, whose values have the indices of the domain.
class Patch {
 public:
  Patch(const World &world, const Index &first, const Index &count, double *memory) : world_(world), first_(first), count_(count) {
    for (int f = 0; f < kFields; ++f) {
      data_[f] = memory;
      memory += extent(f, 0) * extent(f, 1);
    }
  }
  static std::size_t values(const World &world, const Index &count) {
    std::int64_t all = 0;
    for (int f = 0; f < kFields; ++f) all += extent(world, count, f, 0) * extent(world, count, f, 1);
    return static_cast<std::size_t>(all);
  }
  double *data(int f) const { return data_[f]; }
  double &at(int f, std::int64_t i, std::int64_t j) const {
    const std::int64_t row = i - first_[0] + world_.shapes[f].depth_low[0], column = j - first_[1] + world_.shapes[f].depth_low[1];
    return data_[f][row * extent(f, 1) + column];
  }
  /// Calls visit(i, j) for the values that this box computes.
  template <class Visit>
  void each(int f, Visit visit) const {
    for (std::int64_t i = first_[0]; i < end(f, 0); ++i)
      for (std::int64_t j = first_[1]; j < end(f, 1); ++j) visit(i, j);
  }
  /// The whole domain: fills the halo where a periodic dimension has values.
  void wrap() const {
    for (int f = 0; f < kFields; ++f)
      for (std::int64_t i = -world_.shapes[f].depth_low[0]; i < extent(f, 0) - world_.shapes[f].depth_low[0]; ++i)
        for (std::int64_t j = -world_.shapes[f].depth_low[1]; j < extent(f, 1) - world_.shapes[f].depth_low[1]; ++j) {
          const std::int64_t x = wrapped(f, 0, i), y = wrapped(f, 1, j);
          if ((x != i || y != j) && x >= 0 && y >= 0 && x < end(f, 0) && y < end(f, 1)) at(f, i, j) = at(f, x, y);
        }
  }

  void begin() const {
    for (int f = 0; f < kFields; ++f)
      for (std::int64_t k = 0; k < extent(f, 0) * extent(f, 1); ++k) data_[f][k] = -1e30;  // a halo that no swap fills is noticed
    for (int f = 0; f < kFields; ++f)
      each(f, [&](std::int64_t i, std::int64_t j) {
        // The two nodes of a periodic dimension's ends are one.
        const auto x = static_cast<double>(world_.periodic[0] ? i % world_.cells[0] : i);
        const auto y = static_cast<double>(world_.periodic[1] ? j % world_.cells[1] : j);
        const bool wall = (f != h && f != v && world_.at_wall(0, i)) || (f != h && f != u && world_.at_wall(1, j));
        at(f, i, j) = wall ? 0 : 1 / (1 + (x - 3) * (x - 3) + (y - 2) * (y - 2) + f);
      });
  }
  /// Needs the halo of all; afterwards the corners' is needed.
  void turn_corners() const {
    each(q, [&](std::int64_t i, std::int64_t j) {
      if (!world_.at_wall(0, i) && !world_.at_wall(1, j)) at(q, i, j) = at(v, i, j) - at(v, i - 1, j) - at(u, i, j) + at(u, i, j - 1);
    });
  }
  /// Needs the halo of the corners; afterwards those of the velocities are needed.
  void turn_faces() {
    std::vector<double> next;
    each(u, [&](std::int64_t i, std::int64_t j) {
      const double across = at(v, i - 1, j) + at(v, i - 1, j + 1) + at(v, i, j) + at(v, i, j + 1);
      const double turned = at(u, i, j) + 0.1 * ((at(q, i, j) + at(q, i, j + 1)) * across / 8 - at(h, i, j) + at(h, i - 1, j));
      next.push_back(world_.at_wall(0, i) ? 0 : turned);
    });
    each(v, [&](std::int64_t i, std::int64_t j) {
      const double across = at(u, i, j - 1) + at(u, i + 1, j - 1) + at(u, i, j) + at(u, i + 1, j);
      const double turned = at(v, i, j) - 0.1 * ((at(q, i, j) + at(q, i + 1, j)) * across / 8 + at(h, i, j) - at(h, i, j - 1));
      next.push_back(world_.at_wall(1, j) ? 0 : turned);
    });
    auto value = next.begin();
    for (const int f : {u, v}) each(f, [&](std::int64_t i, std::int64_t j) { at(f, i, j) = *value++; });
  }
  /// Needs the halo of all.
  void turn_cells() {
    std::vector<double> next;
    each(h, [&](std::int64_t i, std::int64_t j) {
      const double out = at(u, i + 1, j) - at(u, i, j) + at(v, i, j + 1) - at(v, i, j);
      const double far = is_inner(0, i) ? at(h, i - 2, j) - 2 * at(h, i, j) + at(h, i + 2, j) : 0;
      const double wide = is_inner(1, j) ? at(h, i, j - 2) - 2 * at(h, i, j) + at(h, i, j + 2) : 0;
      next.push_back(at(h, i, j) - 0.1 * out + 0.01 * (far + wide));
    });
    auto value = next.begin();
    each(h, [&](std::int64_t i, std::int64_t j) { at(h, i, j) = *value++; });
  }

 private:
  static std::int64_t extent(const World &world, const Index &count, int f, int d) {
    const hlc_field_shape &shape = world.shapes[f];
    return shape.depth_low[d] + count[static_cast<std::size_t>(d)] + shape.depth_high[d] + (shape.stagger[d] == HLC_CENTRED ? 0 : 1);
  }
  std::int64_t extent(int f, int d) const { return extent(world_, count_, f, d); }
  std::int64_t end(int f, int d) const {
    const auto at = static_cast<std::size_t>(d);
    const hlc_stagger nodes = world_.shapes[f].stagger[d];
    const bool last = !world_.periodic[at] && first_[at] + count_[at] == world_.cells[at];
    return first_[at] + count_[at] + (nodes == HLC_NODES_SHARED || (nodes == HLC_NODES_OWNED && last) ? 1 : 0);
  }
  std::int64_t wrapped(int f, int d, std::int64_t i) const {
    const auto at = static_cast<std::size_t>(d);
    if (!world_.periodic[at] || (i >= 0 && i < end(f, d))) return i;
    return (i % world_.cells[at] + world_.cells[at]) % world_.cells[at];
  }
  bool is_inner(int d, std::int64_t i) const {
    const auto at = static_cast<std::size_t>(d);
    return world_.periodic[at] || (i >= 2 && i < world_.cells[at] - 2);
  }

  const World &world_;
  Index first_, count_;
  double *data_[kFields]{};
};

/// A step of all boxes; fill(fields, depth) fills halos.
template <class Fill>
void step(std::vector<Patch> &patches, Fill fill) {
  fill({h, u, v}, 0);
  for (const Patch &patch : patches) patch.turn_corners();
  fill({q}, 1);
  for (Patch &patch : patches) patch.turn_faces();
  fill({u, v}, 1);
  for (Patch &patch : patches) patch.turn_cells();
}

/// The boxes of this rank.
class Boxes {
 public:
  Boxes(const BoxCase &boxes, const World &world, const ModeChoice &mode) {
    std::size_t values = 0;
    const std::vector<std::size_t> mine = boxes.of(rank());
    for (const std::size_t b : mine) values += Patch::values(world, boxes.boxes[b].count);
    const bool allocated = static_cast<bool>(ok(hlc_field_alloc(context(), values * sizeof(double), &memory_)));
    EXPECT_TRUE(allocated);
    if (!everyone(allocated)) return;
    auto *next = static_cast<double *>(memory_);
    std::vector<hlc_box> listed;
    std::vector<hlc_field> fields;
    for (const std::size_t b : mine) {
      const OwnedBox &box = boxes.boxes[b];
      patches.emplace_back(world, box.start, box.count, next);
      next += Patch::values(world, box.count);
      listed.push_back({{box.start[0], box.start[1]}, {box.count[0], box.count[1]}, static_cast<std::int64_t>(b), 0});
      for (int f = 0; f < kFields; ++f) fields.push_back({patches.back().data(f), HLC_FLOAT64, 0, {}, nullptr});
    }
    hlc_blocks_spec spec{};
    spec.ndims = 2;
    for (std::size_t d = 0; d < 2; ++d) spec.global[d] = boxes.global[d], spec.periodic[d] = boxes.periodic[d];
    spec.layout = HLC_ROW_MAJOR;
    spec.nblocks = static_cast<int>(listed.size());
    spec.blocks = listed.data();
    spec.nfields = kFields;
    spec.fields = fields.data();
    spec.shapes = world.shapes;
    if (mine.empty() && rank() % 2 == 1) spec.shapes = nullptr;  // it need not know them
    spec.mode = mode.mode;
    spec.epoch = mode.epoch;
    spec.drive = mode.drive;
    const bool planned = static_cast<bool>(ok(hlc_blocks_init(context(), &spec, &blocks_)));
    EXPECT_TRUE(planned);
    ready = everyone(planned);
  }
  ~Boxes() {
    EXPECT_TRUE(!blocks_ || ok(hlc_blocks_finalise(&blocks_)));
    EXPECT_TRUE(!memory_ || ok(hlc_field_free(context(), &memory_)));
  }
  Boxes(const Boxes &) = delete;
  Boxes &operator=(const Boxes &) = delete;

  void swap(const std::vector<int> &fields, std::int64_t depth) {
    hlc_swap what{};
    what.nfields = static_cast<int>(fields.size());
    what.fields = fields.data();
    what.depth = depth;
    EXPECT_TRUE(ok(hlc_blocks_start(blocks_, &what)));
    EXPECT_TRUE(ok(hlc_blocks_finish(blocks_)));
  }
  hlc_plan_info info() const {
    hlc_plan_info info{};
    EXPECT_TRUE(ok(hlc_blocks_info(blocks_, &info)));
    return info;
  }

  std::vector<Patch> patches;
  bool ready = false;

 private:
  void *memory_ = nullptr;
  hlc_blocks *blocks_ = nullptr;
};

/// The domain in some pieces that are dealt at random. Of periodic domains the last of several ranks gets none.
BoxCase cut(std::array<int, HLC_MAX_DIMS> periodic, int pieces, Random &random) {
  BoxCase boxes;
  boxes.ndims = 2;
  boxes.global = {between(random, 9, 14), between(random, 8, 12), 1, 1};
  boxes.periodic = periodic;
  cut_at_random(boxes, periodic[1] ? std::max(1, size() - 1) : size(), pieces, false, random);
  return boxes;
}

void expect_the_serial_run(const BoxCase &boxes, hlc_stagger nodes, const ModeChoice &mode) {
  const World world(boxes, nodes);
  Boxes mine(boxes, world, mode);
  if (!mine.ready) return;
  EXPECT_LE(mine.info().neighbours, size() - 1) << "one message to each rank";
  std::vector<double> memory(Patch::values(world, boxes.global));
  std::vector<Patch> whole{Patch(world, {}, boxes.global, memory.data())};
  for (std::vector<Patch> *patches : {&whole, &mine.patches})
    for (const Patch &patch : *patches) patch.begin();
  std::int64_t compared = 0, wrong = 0;
  for (int t = 0; t < kSteps; ++t) {
    step(whole, [&](const std::vector<int> &, std::int64_t) { whole.front().wrap(); });
    step(mine.patches, [&](const std::vector<int> &fields, std::int64_t depth) { mine.swap(fields, depth); });
    for (const Patch &patch : mine.patches)
      for (int f = 0; f < kFields; ++f)
        patch.each(f, [&](std::int64_t i, std::int64_t j) {
          compared += 1;
          if (patch.at(f, i, j) != whole.front().at(f, i, j) && wrong++ == 0)
            ADD_FAILURE() << "step " << t << ", field " << f << " at (" << i << ", " << j << "): " << patch.at(f, i, j) << ", serially "
                          << whole.front().at(f, i, j);
        });
  }
  EXPECT_EQ(wrong, 0) << "of " << compared;
  EXPECT_EQ(compared > 0, !mine.patches.empty());
}

class StaggeredBlocks : public testing::TestWithParam<ModeChoice> {};

TEST_P(StaggeredBlocks, compute_what_a_serial_run_computes) {
  Random random(mixed(seed() ^ 83));
  for (const hlc_stagger nodes : {HLC_NODES_SHARED, HLC_NODES_OWNED})
    for (const std::array<int, HLC_MAX_DIMS> periodic : {std::array<int, HLC_MAX_DIMS>{0, 0}, {1, 0}, {1, 1}}) {
      expect_the_serial_run(cut(periodic, 4 * size(), random), nodes, GetParam());
      if (HasFailure()) return;
    }
}

/// A grid with one block per rank, as a halo and as blocks. Both have the same memory before a swap.
struct Both {
  Both(Random &random, hlc_stencil stencil) {
    const std::int64_t cells[2] = {between(random, 3 * size(), 5 * size()), between(random, 3 * size(), 5 * size())};
    const int periodic[2] = {static_cast<int>(between(random, 0, 1)), static_cast<int>(between(random, 0, 1))};
    EXPECT_TRUE(ok(hlc_grid_create(context(), 2, cells, nullptr, periodic, &grid)));
    hlc_box box{};
    for (int d = 0; d < 2; ++d) box.start[d] = grid.start[d], box.count[d] = grid.local[d];
    for (hlc_field_shape &shape : shapes) {
      shape.own_depth = 1;
      for (int d = 0; d < 2; ++d) {
        shape.stagger[d] = static_cast<hlc_stagger>(between(random, 0, 2));
        shape.depth_low[d] = between(random, 0, 2);
        shape.depth_high[d] = between(random, 0, 2);
      }
    }
    hlc_field fields[2][kFields]{};
    for (int f = 0; f < kFields; ++f)
      for (std::size_t k = 0; k < 2; ++k) {
        arrays[k][f].resize(static_cast<std::size_t>(extent(f, 0) * extent(f, 1)));
        fields[k][f].data = arrays[k][f].data();
        fields[k][f].type = HLC_FLOAT64;
      }
    hlc_halo_spec as_halo{};
    as_halo.grid = &grid;
    as_halo.stencil = stencil;
    as_halo.layout = HLC_COLUMN_MAJOR;
    as_halo.nfields = kFields;
    as_halo.fields = fields[0];
    as_halo.shapes = shapes;
    as_halo.mode = HLC_MODE_NOTIFY;
    hlc_blocks_spec as_blocks{};
    as_blocks.ndims = 2;
    for (int d = 0; d < 2; ++d) as_blocks.global[d] = cells[d], as_blocks.periodic[d] = periodic[d];
    as_blocks.stencil = stencil;
    as_blocks.layout = HLC_COLUMN_MAJOR;
    as_blocks.nblocks = 1;
    as_blocks.blocks = &box;
    as_blocks.nfields = kFields;
    as_blocks.fields = fields[1];
    as_blocks.shapes = shapes;
    as_blocks.mode = HLC_MODE_NOTIFY;
    EXPECT_TRUE(ok(hlc_halo_init(context(), &as_halo, &halo)));
    EXPECT_TRUE(ok(hlc_blocks_init(context(), &as_blocks, &blocks)));
  }
  ~Both() {
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
    EXPECT_TRUE(ok(hlc_blocks_finalise(&blocks)));
  }
  Both(const Both &) = delete;
  Both &operator=(const Both &) = delete;

  std::int64_t extent(int f, int d) const {
    return shapes[f].depth_low[d] + grid.local[d] + shapes[f].depth_high[d] + (shapes[f].stagger[d] == HLC_CENTRED ? 0 : 1);
  }
  /// Whole numbers, whose sums have one result.
  void fill(int step) {
    for (int f = 0; f < kFields; ++f)
      for (std::size_t i = 0; i < arrays[0][f].size(); ++i)
        arrays[0][f][i] = arrays[1][f][i] =
            static_cast<double>(mixed(static_cast<std::uint64_t>(((rank() * 10 + step) * 10 + f) * 1000) + i) % 1000003);
  }

  hlc_grid grid{};
  hlc_field_shape shapes[kFields]{};
  std::vector<double> arrays[2][kFields];
  hlc_halo *halo = nullptr;
  hlc_blocks *blocks = nullptr;
};

TEST(StaggeredBlocksOfGrids, one_per_rank_swap_what_a_halo_swaps) {
  Random random(mixed(seed() ^ 84));
  for (int i = 0; i < 6; ++i) {
    Both both(random, i % 2 ? HLC_STENCIL_STAR : HLC_STENCIL_BOX);
    if (!everyone(both.halo && both.blocks)) return;
    for (int step = 0; step < 6; ++step) {
      both.fill(step);
      hlc_swap what{};
      what.depth = step % 3;
      what.reverse = step >= 3;
      EXPECT_TRUE(ok(hlc_halo_start(both.halo, &what)));
      EXPECT_TRUE(ok(hlc_halo_finish(both.halo)));
      EXPECT_TRUE(ok(hlc_blocks_start(both.blocks, &what)));
      EXPECT_TRUE(ok(hlc_blocks_finish(both.blocks)));
      for (int f = 0; f < kFields; ++f)
        EXPECT_EQ(both.arrays[0][f], both.arrays[1][f]) << "case " << i << ", swap " << step << ", field " << f;
    }
  }
}

FOR_ALL_MODES(StaggeredBlocks);

}  // namespace
}  // namespace halocline::test
