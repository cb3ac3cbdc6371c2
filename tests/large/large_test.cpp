// Sizes beyond 32 bits: strides of several GiB, halo messages and exchange edges of more than 2 and more than 4 GiB, in every mode.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/mman.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <fstream>

#include "support/elements.hpp"
#include "support/modes.hpp"
#include "support/mpi_test.hpp"

namespace halocline::test {
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30, mib = std::int64_t{1} << 20;

/// Memory whose pages are allocated only when they are written.
class Sparse {
 public:
  explicit Sparse(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~Sparse() {
    if (there()) munmap(memory_, bytes_);
  }
  Sparse(const Sparse &) = delete;
  Sparse &operator=(const Sparse &) = delete;
  bool there() const { return memory_ != MAP_FAILED; }
  char *data() const { return static_cast<char *>(memory_); }

 private:
  std::size_t bytes_;
  void *memory_;
};

/// GiB that all ranks together may still take: of memory, and of /dev/shm.
std::int64_t free_gib() {
  std::int64_t kib = 0;
  std::ifstream memory("/proc/meminfo");
  for (std::string line; std::getline(memory, line);)
    if (line.rfind("MemAvailable:", 0) == 0) kib = std::stoll(line.substr(13));
  struct statvfs shared {};
  const bool known = statvfs("/dev/shm", &shared) == 0;
  return std::min<std::int64_t>(kib / mib, known ? static_cast<std::int64_t>(shared.f_bavail * shared.f_frsize) / gib : 0);
}

#define NEEDS_GIB(count)                                                                                        \
  if (!everyone(free_gib() >= (count))) {                                                                       \
    GTEST_SKIP() << "needs " << (count) << " GiB of free memory and of /dev/shm, and there are " << free_gib(); \
  }

/// One block per rank along dimension d, periodic everywhere.
hlc_grid row_of_blocks(int ndims, int d, std::int64_t local) {
  hlc_grid grid{};
  grid.ndims = ndims;
  for (int i = 0; i < ndims; ++i) {
    grid.dims[i] = i == d ? size() : 1;
    grid.coords[i] = i == d ? rank() : 0;
    grid.periodic[i] = 1;
    grid.local[i] = local;
    grid.start[i] = local * grid.coords[i];
    grid.global[i] = local * grid.dims[i];
  }
  return grid;
}

hlc_halo_spec spec_of(const hlc_grid &grid, const hlc_field &field, const ModeChoice &mode) {
  hlc_halo_spec spec{};
  spec.grid = &grid;
  spec.layout = HLC_COLUMN_MAJOR;
  spec.nfields = 1;
  spec.fields = &field;
  spec.mode = mode.mode;
  spec.epoch = mode.epoch;
  spec.drive = mode.drive;
  return spec;
}

class Strides : public testing::TestWithParam<ModeChoice> {
 protected:
  static constexpr std::int64_t stride = 3 * gib, local = 2, cells = local + 2;

  /// Swaps blocks of 2 x 2 cells that are 3 GiB apart along `wide`.
  void swap(int wide) {
    const Sparse memory(cells * stride);
    REQUIRE_EVERYWHERE(memory.there());
    const hlc_grid grid = row_of_blocks(2, wide, local);
    hlc_field field{memory.data(), HLC_INT64, 0, {8, 8}, nullptr};
    field.stride_bytes[wide] = stride;
    hlc_halo_spec spec = spec_of(grid, field, GetParam());
    for (int d = 0; d < 2; ++d) spec.depth_low[d] = spec.depth_high[d] = 1;
    hlc_halo *halo = nullptr;
    REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &spec, &halo)));
    for (int step = 1; step <= 3; ++step) {
      visit(field, grid, [&](std::int64_t &cell, bool inside, std::int64_t value) { cell = inside ? value + step : -1; });
      EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
      EXPECT_TRUE(ok(hlc_halo_finish(halo)));
      visit(field, grid, [&](std::int64_t &cell, bool, std::int64_t value) { EXPECT_EQ(cell, value + step); });
    }
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  }

  template <class Visit>
  static void visit(const hlc_field &field, const hlc_grid &grid, Visit visit) {
    for (std::int64_t j = 0; j < cells; ++j)
      for (std::int64_t i = 0; i < cells; ++i) {
        const std::int64_t x = (grid.start[0] + i - 1 + grid.global[0]) % grid.global[0];
        const std::int64_t y = (grid.start[1] + j - 1 + grid.global[1]) % grid.global[1];
        const bool inside = i > 0 && i <= local && j > 0 && j <= local;
        auto *cell = static_cast<char *>(field.data) + i * field.stride_bytes[0] + j * field.stride_bytes[1];
        visit(*reinterpret_cast<std::int64_t *>(cell), inside, 1000 * (1 + x) + 100 * y);
      }
  }
};
FOR_ALL_MODES(Strides);

TEST_P(Strides, of_three_gib_reach_the_right_cells) {
  swap(0);
  swap(1);
}

/// The words of a cell or a message: they depend on their sender and their place.
std::uint64_t word(std::uint64_t key, std::int64_t place) { return mixed(key) + static_cast<std::uint64_t>(place) * 0x9E3779B97F4A7C15u; }

void write_words(void *memory, std::int64_t bytes, std::uint64_t key) {
  for (std::int64_t w = 0; w < bytes / 8; ++w) static_cast<std::uint64_t *>(memory)[w] = word(key, w);
}

/// The first wrong word, -1 if there is none.
std::int64_t wrong_word(const void *memory, std::int64_t bytes, std::uint64_t key) {
  for (std::int64_t w = 0; w < bytes / 8; ++w)
    if (static_cast<const std::uint64_t *>(memory)[w] != word(key, w)) return w;
  return -1;
}

class Halos : public testing::TestWithParam<ModeChoice> {
 protected:
  /// A line of cells of 1 MiB, one block per rank, open at its ends. Every rank but the last sends its whole block to the next one.
  void swap(std::int64_t depth) {
    hlc_grid grid = row_of_blocks(1, 0, depth);
    grid.periodic[0] = 0;
    const bool shared = GetParam().reads_directly();
    const Sparse own(shared ? mib : 2 * depth * mib);
    void *field_memory = nullptr;
    REQUIRE_EVERYWHERE(own.there() &&
                       ok(hlc_field_alloc(context(), shared ? static_cast<std::size_t>(2 * depth * mib) : 0, &field_memory)));
    auto *cells = static_cast<char *>(shared ? field_memory : own.data());
    const hlc_field field{cells, HLC_OPAQUE, static_cast<std::size_t>(mib), {}, "line"};
    hlc_halo_spec spec = spec_of(grid, field, GetParam());
    spec.depth_low[0] = depth;
    hlc_halo *halo = nullptr;
    REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &spec, &halo)));
    if (rank() + 1 < size())
      for (std::int64_t c = 0; c < depth; ++c) write_words(cells + (depth + c) * mib, mib, key(rank(), c));
    EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish(halo)));
    for (std::int64_t c = 0; rank() > 0 && c < depth; ++c)
      ASSERT_EQ(wrong_word(cells + c * mib, mib, key(rank() - 1, c)), -1) << "in halo cell " << c << " of 1 MiB";
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
    EXPECT_TRUE(ok(hlc_field_free(context(), &field_memory)));
  }

  static std::uint64_t key(int sender, std::int64_t cell) {
    return static_cast<std::uint64_t>(sender) << 32 | static_cast<std::uint64_t>(cell);
  }
};
FOR_ALL_MODES(Halos);

TEST_P(Halos, of_more_than_two_gib_arrive) {
  NEEDS_GIB(15);
  swap(2 * 1024 + 51);
}

TEST_P(Halos, of_more_than_four_gib_arrive) {
  if (GetParam().mode != HLC_MODE_P2P && !GetParam().reads_directly())
    GTEST_SKIP() << "the fields and buffers of mode " << GetParam().name << " would need more than 24 GiB; Exchanges has such messages";
  NEEDS_GIB(18);
  swap(4 * 1024 + 51);
}

/// An exchange whose first rank sends one long message to the last one, which answers with a short one.
class Exchanges : public testing::TestWithParam<ModeChoice> {
 protected:
  void exchange(std::int64_t bytes) {
    const bool sends = rank() == 0, receives = rank() == size() - 1;
    const hlc_neighbour neighbour{sends ? size() - 1 : 0, 0, 0, sends ? bytes : 64, sends ? 64 : bytes};
    hlc_exchange_spec spec{};
    spec.nneighbours = sends || receives ? 1 : 0;
    spec.neighbours = &neighbour;
    spec.pack = [](int, void *buffer, void *user) { write_words(buffer, static_cast<Exchanges *>(user)->out_, key()); };
    spec.unpack = [](int, const void *buffer, void *user) { static_cast<Exchanges *>(user)->check(buffer); };
    spec.user = this;
    spec.mode = GetParam().mode;
    spec.epoch = GetParam().epoch;
    spec.drive = GetParam().drive;
    out_ = neighbour.bytes_out;
    in_ = neighbour.bytes_in;
    hlc_exchange *exchange = nullptr;
    REQUIRE_EVERYWHERE(ok(hlc_exchange_create(context(), &spec, &exchange)));
    for (int round = 0; round < 2; ++round) {  // both slots, where a mode has two
      unpacked_ = 0;
      EXPECT_TRUE(ok(hlc_exchange_start(exchange)));
      EXPECT_TRUE(ok(hlc_exchange_finish(exchange)));
      EXPECT_EQ(unpacked_, spec.nneighbours);
    }
    EXPECT_TRUE(ok(hlc_exchange_destroy(&exchange)));
  }

  static std::uint64_t key() { return static_cast<std::uint64_t>(rank()) + 1; }

  void check(const void *buffer) {
    ++unpacked_;
    EXPECT_EQ(wrong_word(buffer, in_, rank() == 0 ? static_cast<std::uint64_t>(size()) : 1), -1);
  }

  std::int64_t out_ = 0, in_ = 0;
  int unpacked_ = 0;
};
FOR_ALL_MODES(Exchanges);

TEST_P(Exchanges, of_more_than_two_gib_arrive) {
  NEEDS_GIB(8);
  exchange(2 * gib + 51 * 8);
}

TEST_P(Exchanges, of_more_than_four_gib_arrive) {
  NEEDS_GIB(15);
  exchange(4 * gib + 51 * 8);
}

}  // namespace
}  // namespace halocline::test
