// Fields in shared memory, in the caller's own memory, and in both, in every mode; and what hlc_halo_info says about the routes.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include <halocline/halocline.hpp>

#include "support/rig.hpp"

namespace halocline::test {
namespace {

class FieldMemory : public testing::TestWithParam<ModeChoice> {
 protected:
  Random random_{13};

  Case periodic_plane() { return plain_case("plane", decompose(size(), 2, {2, 4}, 0b11, random_), 1, 3); }

  void swap_thrice(Rig &rig) {
    for (int step = 1; step <= 3; ++step) rig.swap_once(step);
  }
};

TEST_P(FieldMemory, the_callers_own_memory_works) {
  Rig rig(periodic_plane(), GetParam(), Memory::own);
  if (!rig.ready()) return;
  swap_thrice(rig);
  hlc_plan_info info{};
  EXPECT_TRUE(ok(hlc_halo_info(rig.halo(), &info)));
  EXPECT_EQ(info.via_direct, 0) << "no rank can read another rank's own memory";
}

TEST_P(FieldMemory, some_ranks_may_use_their_own_memory) {
  Rig rig(periodic_plane(), GetParam(), Memory::differs_by_rank);
  if (rig.ready()) swap_thrice(rig);
}

TEST_P(FieldMemory, some_fields_may_lie_in_the_callers_own_memory) {
  Rig rig(periodic_plane(), GetParam(), Memory::differs_by_arena);
  if (rig.ready()) swap_thrice(rig);
}

TEST_P(FieldMemory, the_plan_counts_every_message_once) {
  Rig rig(periodic_plane(), GetParam());
  if (!rig.ready()) return;
  hlc_plan_info info{};
  hlc_context_info_t here{};
  EXPECT_TRUE(ok(hlc_halo_info(rig.halo(), &info)));
  EXPECT_TRUE(ok(hlc_context_info(context(), &here)));
  if (GetParam().mode == HLC_MODE_AUTO)
    EXPECT_STRNE(hlc_mode_name(info.mode), "auto") << "the mode that auto uses";
  else
    EXPECT_EQ(info.mode, GetParam().mode);
  EXPECT_EQ(info.via_direct + info.via_notify + info.via_network + info.via_mpi, info.neighbours);
  const bool own = GetParam().is_own();
  if (here.nodes == 1 || !own) {
    EXPECT_EQ(GetParam().reads_directly() ? info.via_direct : own ? info.via_notify : info.via_mpi, info.neighbours);
  }

  // Bytes by the oracle: every halo cell of a box with an owner, in three fields of eight bytes.
  std::int64_t from_others = 0, from_myself = 0;
  const Values values(rig.shape(), rank(), 0);
  values.for_each([&](const Index &cell) {
    if (!values.in_halo(cell)) return;
    (values.owner_of(cell)->rank == rank() ? from_myself : from_others) += 24;
  });
  EXPECT_EQ(info.bytes_in, from_others);
  EXPECT_EQ(info.self_bytes, from_myself);
  std::int64_t sums[2] = {info.bytes_in, info.bytes_out};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(sums[0], sums[1]);
}

/// Bytes of shared memory that are free on this node.
std::int64_t free_bytes() {
  struct statvfs system;
  EXPECT_EQ(statvfs("/dev/shm", &system), 0);
  return static_cast<std::int64_t>(system.f_bfree * system.f_frsize);
}

/// How many bytes of it an allocation of 16 MiB on rank 0 takes; others may take or release some, too.
std::int64_t taken_by(hlc_status (*alloc)(hlc_context *, std::size_t, void **), void **data) {
  const std::int64_t before = free_bytes();
  EXPECT_TRUE(ok(alloc(context(), rank() == 0 ? std::size_t{16} << 20 : 0, data)));
  return before - free_bytes();
}

/// Whether reserved memory is taken by the allocation, and untouched memory by the thread that writes it first.
bool is_taken_by_the_first_writer() {
  void *data[2] = {};
  const std::int64_t half = 8 << 20, reserved = taken_by(hlc_field_alloc, &data[0]),
                     untouched = taken_by(hlc_field_alloc_untouched, &data[1]);
  int seen = 1;
  if (rank() == 0) {
    const std::int64_t before = free_bytes();
    std::thread([&] { std::memset(data[1], 1, std::size_t{16} << 20); }).join();
    seen = reserved > half && untouched < half && before - free_bytes() > half;
  }
  MPI_Bcast(&seen, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (void *&memory : data) EXPECT_TRUE(ok(hlc_field_free(context(), &memory)));
  return seen != 0;
}

/// Other programs may take or release memory meanwhile: then it is tried again, in the pauses of their work.
TEST(Untouched, pages_are_taken_by_whoever_writes_them_first) {
  if (size() < 2 || std::getenv("HALOCLINE_FAKE_NODES")) GTEST_SKIP() << "a rank alone on its node shares no memory";
  bool seen = false;
  for (int tries = 0; tries < 60 && !seen; ++tries) {
    seen = is_taken_by_the_first_writer();
    if (!seen) std::this_thread::sleep_for(std::chrono::milliseconds(20 * (tries % 10)));
  }
  EXPECT_TRUE(seen);
}

TEST(Untouched, more_than_there_is_room_for_is_an_error) {
  if (size() < 2) GTEST_SKIP() << "a rank alone on its node shares no memory";
  void *data = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_MEMORY, hlc_field_alloc_untouched(context(), std::size_t{1} << 62, &data)));
  EXPECT_EQ(data, nullptr);
}

TEST(Untouched, fields_of_the_cxx_wrapper_are_swapped) {
  Context all(MPI_COMM_WORLD);
  const Grid grid(all, {4L * size(), 4}, {1, 1}, {size(), 1});
  Field<double, 2> u(all, grid, 1, Pages::untouched);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) u(i, j) = 10 * static_cast<double>(grid.start(0) + i) + j;
  Halo(all, grid, {u}).swap();
  EXPECT_EQ(u(-1, 0), 10 * static_cast<double>((grid.start(0) + 4L * size() - 1) % (4L * size())));
}

FOR_ALL_MODES(FieldMemory);

TEST(PretendedNodes, change_the_routes_of_the_librarys_own_modes_alone) {
  if (modes_here().size() < std::size(all_modes)) GTEST_SKIP() << "the other modes do the same on pretended nodes as on the real one";
  EXPECT_EQ(modes_here().size(), std::size(all_modes));
}

TEST(Fields, are_aligned_zeroed_and_may_have_any_size) {
  constexpr std::size_t huge = std::size_t{2} << 20;
  // Of 2 MiB and more: whole huge pages; rounded up to them; two and a part of a third; none on some ranks.
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, std::size_t{1} << 20, static_cast<std::size_t>(rank()) * 1000, huge,
                                  2 * huge - 70'000, 2 * huge + 70'000, rank() % 2 * huge + 5'000}) {
    void *data = nullptr;
    REQUIRE_EVERYWHERE(hlc_field_alloc(context(), bytes, &data) == HLC_OK);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 4096, 0u);
    const auto *first = static_cast<const unsigned char *>(data);
    for (std::size_t b = 0; b < bytes; ++b)
      if (first[b] != 0) {
        ADD_FAILURE() << "byte " << b << " of " << bytes << " is not zero";
        break;
      }
    EXPECT_TRUE(!data || ok(hlc_field_free(context(), &data)));
    EXPECT_EQ(data, nullptr);
  }
}

constexpr std::size_t kHuge = std::size_t{2} << 20;

/// KiB of the mapping around an address that this process has in huge pages.
long huge_kib_at(const void *data) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(data);
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    long kib = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) here = begin <= wanted && wanted < end;
    if (here && std::sscanf(line.c_str(), "ShmemPmdMapped: %ld kB", &kib) == 1) return kib;
  }
  return -1;
}

/// Whether the kernel makes a huge page of shared memory now, where asked to.
bool kernel_makes_huge_pages() {
#ifdef MADV_POPULATE_WRITE
  constexpr int kJoin = 25;  // MADV_COLLAPSE
  void *room = mmap(nullptr, 2 * kHuge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  char *const begin = static_cast<char *>(room) + (kHuge - reinterpret_cast<std::uintptr_t>(room) % kHuge) % kHuge;
  void *page = mmap(begin, kHuge, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  const bool made = page != MAP_FAILED && madvise(page, 1, MADV_POPULATE_WRITE) == 0 && madvise(page, kHuge, kJoin) == 0;
  munmap(room, 2 * kHuge);
  return made;
#else
  return false;
#endif
}

/// KiB of a field of 4 MiB less 70,000 bytes that are in huge pages.
long huge_kib_of_a_field() {
  void *data = nullptr;
  if (!everyone(ok(hlc_field_alloc(context(), 2 * kHuge - 70'000, &data)))) return -1;
  const long kib = huge_kib_at(data);
  EXPECT_TRUE(ok(hlc_field_free(context(), &data)));
  return kib;
}

/// The kernel may find no large piece of memory now, and some later.
TEST(Fields, of_2_mib_and_more_are_in_huge_pages) {
  constexpr long whole_kib = 4096;
  int most = 0, can = 0;
  for (int tries = 0; tries < 10 && most < whole_kib; ++tries) {
    int mine = kernel_makes_huge_pages();
    MPI_Allreduce(&mine, &can, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    mine = static_cast<int>(huge_kib_of_a_field());
    MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  }
  if (most < whole_kib && !can)
    GTEST_SKIP() << "the kernel makes no huge pages of shared memory: it is older than Linux 6.1, or has no large pieces now";
  EXPECT_GE(most, whole_kib) << "KiB in huge pages, of the rank that has the fewest";
}

TEST(Fields, are_in_small_pages_if_so_asked) {
  setenv("HALOCLINE_HUGE_PAGES", "0", 1);
  EXPECT_EQ(huge_kib_of_a_field(), 0);
  unsetenv("HALOCLINE_HUGE_PAGES");
}

}  // namespace
}  // namespace halocline::test
