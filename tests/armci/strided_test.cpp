// Sections of arrays: put, get and accumulate of up to eight levels, beside a serial copy; and packing.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>
#include <tuple>

#include "armci_test.hpp"
#include "support/cases.hpp"

namespace halocline::test {
namespace {

/// A section with gaps on both sides, of runs of whole elements.
Section random_section(Random &random, int levels, int element) {
  Section section;
  section.count.push_back(element * static_cast<int>(between(random, 1, levels > 3 ? 5 : 40)));
  for (int l = 0; l < levels; ++l) section.count.push_back(static_cast<int>(between(random, 1, levels > 3 ? 3 : 9)));
  for (auto &strides : section.strides) {
    int extent = section.count[0];
    for (int l = 0; l < levels; ++l) {
      extent += element * static_cast<int>(between(random, 0, 3));
      strides.push_back(extent);
      extent *= section.count[as_index(l + 1)];
    }
  }
  return section;
}

Random random_of(int writer, int stream) {
  return Random(seed() + 1000003u * static_cast<unsigned>(writer) + 7919u * static_cast<unsigned>(stream));
}

/// The longest that random_section can make is not known beforehand: the ranks take what theirs need.
constexpr std::size_t room = 1 << 19;

void copy_section(const Section &section, const char *from, char *to) {
  const auto sources = section.runs(0), targets = section.runs(1);
  for (std::size_t i = 0; i < sources.size(); ++i) std::memcpy(to + targets[i], from + sources[i], as_index(section.count[0]));
}

/// A section of this stream that fits.
Section fitting_section(int writer, int stream, int element) {
  Random random = random_of(writer, stream);
  Section section = random_section(random, stream % 8, element);
  while (section.extent(0) > room || section.extent(1) > room) section = random_section(random, stream % 8, element);
  return section;
}

constexpr int streams = 48;

TEST(ArmciPutS, writes_every_section_and_nothing_else) {
  const GlobalMemory memory(room);
  for (int stream = 0; stream < streams; ++stream) {
    Section mine = fitting_section(rank(), stream, 1), theirs = fitting_section(previous(), stream, 1);
    memory.fill(0x21);
    ARMCI_Barrier();
    std::vector<char> source = bytes_of(rank(), as_index(stream), mine.extent(0));
    EXPECT_EQ(ARMCI_PutS(source.data(), mine.strides[0].data(), memory.of(next()), mine.strides[1].data(), mine.count.data(), mine.levels(),
                         next()),
              0);
    ARMCI_Barrier();
    std::vector<char> expected(room, 0x21);
    copy_section(theirs, bytes_of(previous(), as_index(stream), theirs.extent(0)).data(), expected.data());
    EXPECT_TRUE(memory.copy() == expected) << theirs.levels() << " levels, stream " << stream;
    ARMCI_Barrier();
  }
}

TEST(ArmciGetS, reads_every_section_and_writes_nothing_else) {
  const GlobalMemory memory(room);
  memory.store(0, bytes_of(rank(), 77, room));
  ARMCI_Barrier();
  for (int stream = 0; stream < streams; ++stream)
    for (const int source : {next(), rank()}) {
      Section section = fitting_section(rank(), stream, 1);
      std::vector<char> got(section.extent(1), 0x33), expected = got;
      EXPECT_EQ(ARMCI_GetS(memory.of(source), section.strides[0].data(), got.data(), section.strides[1].data(), section.count.data(),
                           section.levels(), source),
                0);
      copy_section(section, bytes_of(source, 77, room).data(), expected.data());
      EXPECT_TRUE(got == expected) << section.levels() << " levels, stream " << stream;
    }
}

template <class T>
class ArmciAccS : public testing::Test {};
TYPED_TEST_SUITE(ArmciAccS, AccumulateTypes);

TYPED_TEST(ArmciAccS, adds_every_section_times_the_scale_and_changes_nothing_else) {
  using T = TypeParam;
  constexpr std::size_t elements = room / sizeof(T);
  const GlobalMemory memory(room);
  for (int stream = 0; stream < streams; stream += 2) {
    Section mine = fitting_section(rank(), stream, sizeof(T)), theirs = fitting_section(previous(), stream, sizeof(T));
    std::vector<T> expected(elements), source(elements);
    for (std::size_t i = 0; i < elements; ++i) expected[i] = element_of<T>(static_cast<int>(i % 1000));
    for (std::size_t i = 0; i < elements; ++i) source[i] = element_of<T>(static_cast<int>(i % 90) + 1);
    memory.store(0, expected);
    ARMCI_Barrier();
    T scale = stream % 4 == 0 ? real_element<T>(1) : element_of<T>(3);
    EXPECT_EQ(ARMCI_AccS(accumulate_type<T>(), &scale, source.data(), mine.strides[0].data(), memory.of(next()), mine.strides[1].data(),
                         mine.count.data(), mine.levels(), next()),
              0);
    ARMCI_Barrier();
    const auto from = theirs.runs(0), to = theirs.runs(1);
    for (std::size_t run = 0; run < from.size(); ++run)
      for (std::size_t i = 0; i < as_index(theirs.count[0]) / sizeof(T); ++i)
        expected[to[run] / sizeof(T) + i] += scale * source[from[run] / sizeof(T) + i];
    EXPECT_TRUE(memory.copy_of<T>(0, elements) == expected) << theirs.levels() << " levels, stream " << stream;
    ARMCI_Barrier();
  }
}

TYPED_TEST(ArmciAccS, of_all_ranks_at_once_loses_nothing) {
  using T = TypeParam;
  constexpr int side = 24, inner = 10;
  const GlobalMemory memory(side * side * static_cast<long>(sizeof(T)));
  memory.store(0, std::vector<T>(side * side, T{}));
  ARMCI_Barrier();
  std::vector<T> ones(inner * inner);
  for (std::size_t i = 0; i < ones.size(); ++i) ones[i] = element_of<T>(static_cast<int>(i));
  int count[2] = {inner * sizeof(T), inner}, from[1] = {inner * sizeof(T)}, to[1] = {side * sizeof(T)};
  T scale = real_element<T>(1);
  for (int turn = 0; turn < 30; ++turn)
    EXPECT_EQ(ARMCI_AccS(accumulate_type<T>(), &scale, ones.data(), from, memory.words<T>(0) + 5 * side + 3, to, count, 1, 0), 0);
  ARMCI_Barrier();
  if (rank() == 0) {
    const auto now = memory.copy_of<T>(0, side * side);
    for (std::size_t i = 0; i < side; ++i)
      for (std::size_t j = 0; j < side; ++j) {
        const bool inside = i >= 5 && i < 15 && j >= 3 && j < 13;
        const T expected = inside ? real_element<T>(30 * size()) * ones[(i - 5) * inner + j - 3] : T{};
        ASSERT_EQ(now[i * side + j], expected) << "element " << i << ", " << j;
      }
  }
  ARMCI_Barrier();
}

/// Rows that are an odd number of bytes apart, so that most elements are not aligned.
TYPED_TEST(ArmciAccS, of_all_ranks_at_once_loses_nothing_where_elements_are_not_aligned) {
  using T = TypeParam;
  constexpr int rows = 9, length = 11, times = 60;
  constexpr int bytes = length * static_cast<int>(sizeof(T));
  int stride[1] = {bytes + 3}, here[1] = {bytes}, count[2] = {bytes, rows};
  const GlobalMemory memory(1 + rows * (bytes + 3));
  memory.fill(0);
  ARMCI_Barrier();
  std::vector<T> added(rows * length, real_element<T>(1));
  T scale = real_element<T>(2);
  for (int time = 0; time < times; ++time)
    EXPECT_EQ(ARMCI_AccS(accumulate_type<T>(), &scale, added.data(), here, memory.of(0) + 1, stride, count, 1, 0), 0);
  ARMCI_Barrier();
  if (rank() != 0) return;
  const std::vector<char> now = memory.copy();
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < length; ++i) {
      T sum{};
      std::memcpy(&sum, now.data() + 1 + row * stride[0] + i * static_cast<int>(sizeof(T)), sizeof sum);
      ASSERT_EQ(sum, real_element<T>(2 * times * size())) << "row " << row << ", element " << i;
    }
}

/// What Global Arrays uses to send a patch by messages.
TEST(ArmciWriteStrided, packs_what_read_strided_unpacks) {
  for (int stream = 0; stream < streams; ++stream) {
    Section section = fitting_section(rank(), stream, 1);
    std::vector<char> source = bytes_of(rank(), as_index(stream), section.extent(0)), back(section.extent(1), 0x12), expected = back;
    const std::size_t bytes = section.runs(0).size() * as_index(section.count[0]);
    std::vector<char> packed(bytes + 1, 0x45);
    armci_write_strided(source.data(), section.levels(), section.strides[0].data(), section.count.data(), packed.data());
    EXPECT_EQ(packed.back(), 0x45);
    armci_read_strided(back.data(), section.levels(), section.strides[1].data(), section.count.data(), packed.data());
    copy_section(section, source.data(), expected.data());
    EXPECT_TRUE(back == expected) << section.levels() << " levels, stream " << stream;
  }
}

}  // namespace
}  // namespace halocline::test
