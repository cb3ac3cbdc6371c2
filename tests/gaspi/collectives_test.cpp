// GASPI 17.1, sections 8.4, 9, 11 and 14: lists, notified reads, passive messages, reductions and statistics.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "gaspi_test.hpp"

namespace halocline::test {
namespace {

/// A list: every third word of a segment, to the same places, shifted, of that segment on another rank.
struct List {
  std::vector<gaspi_segment_id_t> segments;
  std::vector<gaspi_offset_t> from, to;
  std::vector<gaspi_size_t> sizes;

  explicit List(gaspi_number_t count, gaspi_offset_t shift) : segments(count, 0), sizes(count, 8) {
    for (gaspi_number_t i = 0; i < count; ++i) {
      from.push_back(8 * 3 * i);
      to.push_back(8 * 3 * i + shift);
    }
  }
  gaspi_number_t count() const { return static_cast<gaspi_number_t>(segments.size()); }
};

constexpr std::uint64_t half = 1000;

void fill(const Segment &segment, std::uint64_t step) {
  for (std::uint64_t i = 0; i < half; ++i) segment.words()[i] = word_of(rank(), step, i);
  for (std::uint64_t i = half; i < 2 * half; ++i) segment.words()[i] = 0;
}

/// Every third word of the upper half is from `writer`, up to `count` of them; the others are zero.
void expect_thirds(const Segment &segment, gaspi_number_t count, int writer, std::uint64_t step) {
  for (std::uint64_t i = 0; i < half; ++i) {
    const bool listed = i % 3 == 0 && i / 3 < count;
    ASSERT_EQ(segment.words()[half + i], listed ? word_of(writer, step, i) : 0) << "word " << i << ", step " << step;
  }
}

TEST(GaspiList, of_writes_is_there_after_wait_and_barrier) {
  const Segment segment(8 * 2 * half);
  std::uint64_t step = 0;
  for (const gaspi_number_t count : {1u, 2u, 100u, 255u}) {
    fill(segment, ++step);
    barrier();
    const List list(count, 8 * half);
    EXPECT_TRUE(succeeds(gaspi_write_list(count, list.segments.data(), list.from.data(), next(), list.segments.data(), list.to.data(),
                                          list.sizes.data(), 0, GASPI_BLOCK)));
    gaspi_number_t posted = 0;
    EXPECT_TRUE(succeeds(gaspi_queue_size(0, &posted)));
    EXPECT_EQ(posted, count);
    wait_for(0);
    barrier();
    expect_thirds(segment, count, previous(), step);
    barrier();
  }
}

TEST(GaspiList, of_writes_is_announced_when_all_are_there) {
  const Segment segment(8 * 2 * half), other(8, 1);
  for (std::uint64_t step = 1; step <= 20; ++step) {
    fill(segment, step);
    barrier();
    const List list(200, 8 * half);
    EXPECT_TRUE(succeeds(gaspi_write_list_notify(200, list.segments.data(), list.from.data(), next(), list.segments.data(), list.to.data(),
                                                 list.sizes.data(), 1, 9, static_cast<gaspi_notification_t>(step), 0, GASPI_BLOCK)));
    EXPECT_EQ(take(1, 9), step);
    expect_thirds(segment, 200, previous(), step);
    wait_for(0);
    barrier();
  }
}

TEST(GaspiList, of_reads_is_there_after_wait_or_its_notification) {
  const Segment segment(8 * 2 * half), other(8, 1);
  for (std::uint64_t step = 1; step <= 10; ++step) {
    fill(segment, step);
    barrier();
    List list(150, 8 * half);
    std::swap(list.from, list.to);
    if (step % 2 == 0) {
      EXPECT_TRUE(succeeds(gaspi_read_list(150, list.segments.data(), list.from.data(), next(), list.segments.data(), list.to.data(),
                                           list.sizes.data(), 0, GASPI_BLOCK)));
    } else {
      EXPECT_TRUE(succeeds(gaspi_read_list_notify(150, list.segments.data(), list.from.data(), next(), list.segments.data(), list.to.data(),
                                                  list.sizes.data(), 1, 4, 0, GASPI_BLOCK)));
      EXPECT_EQ(take(1, 4), 1u);
    }
    if (step % 2 == 0) wait_for(0);
    expect_thirds(segment, 150, next(), step);
    wait_for(0);
    barrier();
  }
}

TEST(GaspiList, is_refused_as_a_whole) {
  const Segment segment(8 * 2 * half);
  List list(3, 8 * half);
  list.to[2] = 8 * 2 * half;
  segment.words()[0] = 5;
  const auto write = [&](gaspi_number_t num, gaspi_rank_t to) {
    return gaspi_write_list(num, list.segments.data(), list.from.data(), to, list.segments.data(), list.to.data(), list.sizes.data(), 0,
                            GASPI_BLOCK);
  };
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_REM_OFF, write(3, as_rank(rank()))));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_RANK, write(2, as_rank(size()))));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_NUM, write(0, next())));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_NUM, write(256, next())));
  EXPECT_TRUE(comes_to(GASPI_ERR_NULLPTR, gaspi_write_list(1, nullptr, list.from.data(), next(), list.segments.data(), list.to.data(),
                                                           list.sizes.data(), 0, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, gaspi_write_list_notify(2, list.segments.data(), list.from.data(), next(), list.segments.data(),
                                                                  list.to.data(), list.sizes.data(), 6, 0, 1, 0, GASPI_BLOCK)));
  gaspi_number_t posted = 7;
  EXPECT_TRUE(succeeds(gaspi_queue_size(0, &posted)));
  EXPECT_EQ(posted, 0u);
  EXPECT_EQ(segment.words()[half], 0u);
}

TEST(GaspiReadNotify, announces_what_has_been_read) {
  const Segment segment(8 * 2 * half);
  for (std::uint64_t step = 1; step <= 30; ++step) {
    fill(segment, step);
    barrier();
    EXPECT_TRUE(succeeds(gaspi_read_notify(0, 8 * half, next(), 0, 0, 8 * half, 3, 1, GASPI_BLOCK)));
    EXPECT_EQ(take(0, 3), 1u);
    expect_words(segment.words() + half, half, next(), step);
    wait_for(1);
    barrier();
  }
}

TEST(GaspiPassive, messages_of_all_ranks_come_whole_and_once) {
  constexpr std::uint64_t steps = 20;
  const Segment segment(8 * 2 * half);
  // Rank 0 receives from all ranks; its own messages are sent by another of its threads.
  const auto send_all = [&] {
    for (std::uint64_t step = 1; step <= steps; ++step) {
      const std::uint64_t count = 1 + step * 37 % half;
      segment.words()[0] = step;
      for (std::uint64_t i = 1; i < count; ++i) segment.words()[i] = word_of(rank(), step, i);
      EXPECT_TRUE(succeeds(gaspi_passive_send(0, 0, 0, 8 * count, GASPI_BLOCK)));
    }
  };
  std::thread sender(send_all);
  std::vector<std::uint64_t> last(static_cast<std::size_t>(size()), 0);
  for (std::uint64_t i = 0; rank() == 0 && i < steps * static_cast<std::uint64_t>(size()); ++i) {
    gaspi_rank_t from = 0;
    EXPECT_TRUE(succeeds(gaspi_passive_receive(0, 8 * half, &from, 8 * half, GASPI_BLOCK)));
    EXPECT_LT(from, size());
    const std::uint64_t *message = segment.words() + half, step = message[0];
    EXPECT_EQ(step, ++last[from % last.size()]) << "messages of a rank come in order";
    std::uint64_t right = 1;
    while (right < 1 + step * 37 % half && message[right] == word_of(from, step, right)) ++right;
    EXPECT_EQ(right, 1 + step * 37 % half) << "words of message " << step << " of rank " << from;
  }
  sender.join();
  barrier();
}

TEST(GaspiPassive, message_that_does_not_fit_stays) {
  const Segment segment(256);
  gaspi_rank_t from = 99;
  segment.words()[0] = 17;
  EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_passive_receive(0, 128, &from, 64, GASPI_TEST)));
  EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_passive_receive(0, 128, &from, 64, 2)));
  EXPECT_TRUE(succeeds(gaspi_passive_send(0, 0, as_rank(rank()), 64, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_passive_send(0, 0, as_rank(rank()), 64, 2))) << "the box is full";
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SIZE, gaspi_passive_receive(0, 128, &from, 63, GASPI_BLOCK)));
  EXPECT_EQ(segment.words()[16], 0u);
  EXPECT_TRUE(succeeds(gaspi_passive_receive(0, 128, &from, 128, GASPI_BLOCK)));
  EXPECT_EQ(from, rank());
  EXPECT_EQ(segment.words()[16], 17u);
  gaspi_size_t most = 0;
  EXPECT_TRUE(succeeds(gaspi_passive_transfer_size_max(&most)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_COMMSIZE, gaspi_passive_send(0, 0, next(), most + 1, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_LOC_OFF, gaspi_passive_send(0, 255, next(), 2, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, gaspi_passive_send(9, 0, next(), 2, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_RANK, gaspi_passive_send(0, 0, as_rank(size()), 2, GASPI_BLOCK)));
  EXPECT_TRUE(succeeds(gaspi_passive_queue_purge(GASPI_BLOCK)));
}

/// Element i of a rank's contribution to a reduction: small enough that sums are exact in every type.
template <class T>
T element(int r, gaspi_number_t i) {
  return static_cast<T>((r + 1) * 3 + static_cast<int>(i) * (r % 2 == 0 ? 1 : 2));
}

template <class T>
void expect_reduction(gaspi_datatype_t type, gaspi_operation_t operation, gaspi_number_t num) {
  std::vector<T> mine(num), result(num), expected(num);
  for (gaspi_number_t i = 0; i < num; ++i) {
    mine[i] = element<T>(rank(), i);
    expected[i] = element<T>(0, i);
    for (int r = 1; r < size(); ++r) {
      const T value = element<T>(r, i);
      expected[i] = operation == GASPI_OP_SUM   ? static_cast<T>(expected[i] + value)
                    : operation == GASPI_OP_MIN ? std::min(expected[i], value)
                                                : std::max(expected[i], value);
    }
  }
  EXPECT_TRUE(succeeds(gaspi_allreduce(mine.data(), result.data(), num, operation, type, GASPI_GROUP_ALL, GASPI_BLOCK)));
  EXPECT_EQ(result, expected) << "type " << type << ", operation " << operation << ", " << num << " elements";
}

TEST(GaspiAllreduce, gives_what_a_serial_loop_gives_in_every_type) {
  for (const gaspi_operation_t operation : {GASPI_OP_MIN, GASPI_OP_MAX, GASPI_OP_SUM})
    for (const gaspi_number_t num : {1u, 2u, 63u, 255u}) {
      expect_reduction<int>(GASPI_TYPE_INT, operation, num);
      expect_reduction<unsigned>(GASPI_TYPE_UINT, operation, num);
      expect_reduction<float>(GASPI_TYPE_FLOAT, operation, num);
      expect_reduction<double>(GASPI_TYPE_DOUBLE, operation, num);
      expect_reduction<long>(GASPI_TYPE_LONG, operation, num);
      expect_reduction<unsigned long>(GASPI_TYPE_ULONG, operation, num);
    }
}

TEST(GaspiAllreduce, of_many_elements_goes_through_in_pieces) {
  // Lengths around that of a piece on a node and over a network, and lengths of many pieces, beside the segments of other groups.
  for (const gaspi_number_t num : {256u, 257u, 4096u, 4097u, kMaxElements}) expect_reduction<double>(GASPI_TYPE_DOUBLE, GASPI_OP_SUM, num);
  expect_reduction<int>(GASPI_TYPE_INT, GASPI_OP_MAX, kMaxElements - 1);
}

TEST(GaspiAllreduce, gives_the_same_bits_everywhere_and_every_time) {
  std::vector<double> mine(255), first(255), again(255);
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = std::sin(1e3 * rank() + static_cast<double>(i)) * std::pow(10.0, rank() * 5 % 17);
  for (int times = 0; times < 20; ++times) {
    std::vector<double> &result = times == 0 ? first : again;
    EXPECT_TRUE(succeeds(gaspi_allreduce(mine.data(), result.data(), 255, GASPI_OP_SUM, GASPI_TYPE_DOUBLE, GASPI_GROUP_ALL, GASPI_BLOCK)));
    if (times > 0) {
      EXPECT_EQ(std::memcmp(first.data(), again.data(), 255 * sizeof(double)), 0);
    }
  }
  std::vector<double> of_rank_0 = first;
  MPI_Bcast(of_rank_0.data(), 255, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  EXPECT_EQ(std::memcmp(first.data(), of_rank_0.data(), 255 * sizeof(double)), 0);
}

TEST(GaspiAllreduce, may_write_where_it_reads_and_is_gone_on_with_after_a_timeout) {
  int values[2] = {rank() + 1, -rank()};
  gaspi_return_t code = GASPI_TIMEOUT;
  while (code == GASPI_TIMEOUT) code = gaspi_allreduce(values, values, 2, GASPI_OP_SUM, GASPI_TYPE_INT, GASPI_GROUP_ALL, GASPI_TEST);
  EXPECT_TRUE(succeeds(code));
  EXPECT_EQ(values[0], size() * (size() + 1) / 2);
  EXPECT_EQ(values[1], -size() * (size() - 1) / 2);
  barrier();
}

/// Joins texts of 8 bytes, which shows the order. GASPI demands a commutative operation; this one is not, but the tree keeps the order of
/// ranks.
struct Span {
  int low, high;
};

gaspi_return_t join(gaspi_pointer_t one, gaspi_pointer_t two, gaspi_pointer_t result, gaspi_reduce_state_t state, gaspi_number_t num,
                    gaspi_size_t element_size, gaspi_timeout_t) {
  if (element_size != sizeof(Span) || state == nullptr) return GASPI_ERROR;
  *static_cast<int *>(state) += 1;
  for (gaspi_number_t i = 0; i < num; ++i) {
    const Span a = static_cast<Span *>(one)[i], b = static_cast<Span *>(two)[i];
    if (a.high + 1 != b.low) return GASPI_ERROR;
    static_cast<Span *>(result)[i] = {a.low, b.high};
  }
  return GASPI_SUCCESS;
}

TEST(GaspiAllreduceUser, joins_neighbouring_ranks_in_their_order) {
  for (const gaspi_number_t num : {1u, 7u, 200u}) {
    std::vector<Span> mine(num, {rank(), rank()}), result(num, {-1, -1});
    int calls = 0;
    EXPECT_TRUE(succeeds(gaspi_allreduce_user(mine.data(), result.data(), num, sizeof(Span), join, &calls, GASPI_GROUP_ALL, GASPI_BLOCK)));
    for (const Span &span : result) {
      EXPECT_EQ(span.low, 0);
      EXPECT_EQ(span.high, size() - 1);
    }
    EXPECT_LE(calls, size());
  }
}

TEST(GaspiAllreduceUser, sees_all_elements_at_once_however_many) {
  const auto num = static_cast<gaspi_number_t>(kMaxReducedBytes / sizeof(Span));
  std::vector<Span> mine(num, {rank(), rank()}), result(num, {-1, -1});
  int calls = 0;
  gaspi_return_t code = GASPI_TIMEOUT;
  while (code == GASPI_TIMEOUT)
    code = gaspi_allreduce_user(mine.data(), result.data(), num, sizeof(Span), join, &calls, GASPI_GROUP_ALL, 1);
  EXPECT_TRUE(succeeds(code));
  const auto spans_all = [](const Span &span) { return span.low == 0 && span.high == size() - 1; };
  EXPECT_EQ(std::count_if(result.begin(), result.end(), spans_all), static_cast<std::ptrdiff_t>(num));
  EXPECT_LE(calls, size()) << "one call joins two operands";
  barrier();
}

TEST(GaspiAllreduce, of_groups_of_some_ranks_goes_on_side_by_side) {
  // Odd and even ranks apart, then again all, many times: no data of one group may be taken for another's.
  gaspi_group_t group = 0;
  EXPECT_TRUE(succeeds(gaspi_group_create(&group)));
  int members = 0, expected = 0;
  for (int r = rank() % 2; r < size(); r += 2, ++members) {
    EXPECT_TRUE(succeeds(gaspi_group_add(group, as_rank(r))));
    expected += r;
  }
  EXPECT_TRUE(succeeds(gaspi_group_commit(group, GASPI_BLOCK)));
  for (int step = 0; step < 25; ++step) {
    int mine = rank() + step, sum = 0, all = 0;
    EXPECT_TRUE(succeeds(gaspi_allreduce(&mine, &sum, 1, GASPI_OP_SUM, GASPI_TYPE_INT, group, GASPI_BLOCK)));
    EXPECT_EQ(sum, expected + members * step);
    if (step % 3 == 0) {
      EXPECT_TRUE(succeeds(gaspi_barrier(group, GASPI_BLOCK)));
    }
    EXPECT_TRUE(succeeds(gaspi_allreduce(&sum, &all, 1, GASPI_OP_MAX, GASPI_TYPE_INT, GASPI_GROUP_ALL, GASPI_BLOCK)));
    EXPECT_GE(all, sum);
  }
  EXPECT_TRUE(succeeds(gaspi_group_delete(group)));
  barrier();
}

TEST(GaspiAllreduce, refuses_what_it_cannot_do) {
  int mine = 1, result = 0;
  gaspi_number_t most = 0;
  EXPECT_TRUE(succeeds(gaspi_allreduce_elem_max(&most)));
  const auto reduce = [&](const void *from, gaspi_number_t num, int operation, int type, gaspi_group_t group) {
    return gaspi_allreduce(from, &result, num, static_cast<gaspi_operation_t>(operation), static_cast<gaspi_datatype_t>(type), group,
                           GASPI_BLOCK);
  };
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_NUM, reduce(&mine, 0, 0, 0, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_NUM, reduce(&mine, most + 1, 0, 0, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERROR, reduce(&mine, 1, 3, 0, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERROR, reduce(&mine, 1, 0, 6, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_GROUP, reduce(&mine, 1, 0, 0, 5)));
  EXPECT_TRUE(comes_to(GASPI_ERR_NULLPTR, reduce(nullptr, 1, 0, 0, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_NULLPTR, gaspi_allreduce_user(&mine, &result, 1, 4, nullptr, nullptr, GASPI_GROUP_ALL, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SIZE,
                       gaspi_allreduce_user(&mine, &result, 1, kMaxReducedBytes + 1, join, nullptr, GASPI_GROUP_ALL, GASPI_BLOCK)));
  barrier();
}

TEST(GaspiStatistics, count_what_is_posted_once_somebody_wants_it) {
  const Segment segment(64);
  gaspi_number_t counters = 0, level = 0;
  gaspi_statistic_argument_t argument = GASPI_STATISTIC_ARGUMENT_RANK;
  gaspi_string_t name = nullptr, text = nullptr;
  unsigned long value = 99;
  EXPECT_TRUE(succeeds(gaspi_statistic_counter_max(&counters)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_NUM, gaspi_statistic_counter_get(counters, 0, &value)));
  const auto write = [&] { EXPECT_TRUE(succeeds(gaspi_write_notify(0, 0, next(), 0, 32, 16, 1, 1, 0, GASPI_BLOCK))); };
  const auto counted = [&](const char *wanted) {
    for (gaspi_statistic_counter_t counter = 0; counter < counters; ++counter) {
      EXPECT_TRUE(succeeds(gaspi_statistic_counter_info(counter, &argument, &name, &text, &level)));
      EXPECT_EQ(level, 1u);
      EXPECT_EQ(argument, GASPI_STATISTIC_ARGUMENT_NONE);
      if (std::string(name) == wanted) {
        EXPECT_TRUE(succeeds(gaspi_statistic_counter_get(counter, 0, &value)));
      }
    }
    return value;
  };
  write();
  EXPECT_EQ(counted("writes"), 0u);
  EXPECT_TRUE(succeeds(gaspi_statistic_verbosity_level(1)));
  write();
  write();
  EXPECT_TRUE(succeeds(gaspi_read(0, 48, next(), 0, 0, 8, 0, GASPI_BLOCK)));
  wait_for(0);
  EXPECT_TRUE(succeeds(gaspi_statistic_verbosity_level(0)));
  write();
  EXPECT_EQ(counted("writes"), 2u);
  EXPECT_EQ(counted("bytes_written"), 32u);
  EXPECT_EQ(counted("notifications"), 2u);
  EXPECT_EQ(counted("waits"), 1u);
  EXPECT_EQ(counted("reads"), 1u);
  EXPECT_EQ(counted("bytes_read"), 8u);
  for (gaspi_statistic_counter_t counter = 0; counter < counters; ++counter) EXPECT_TRUE(succeeds(gaspi_statistic_counter_reset(counter)));
  EXPECT_EQ(counted("writes"), 0u);
  EXPECT_TRUE(succeeds(gaspi_pcontrol(nullptr)));
  wait_for(0);
}

TEST(GaspiEnvironment, has_a_version_a_clock_and_a_text_for_every_code) {
  float version = 0, before = 0, after = 0;
  gaspi_cycles_t first = 0, second = 0;
  EXPECT_TRUE(succeeds(gaspi_version(&version)));
  EXPECT_FLOAT_EQ(version, 17.1F);
  EXPECT_TRUE(succeeds(gaspi_time_get(&before)));
  EXPECT_TRUE(succeeds(gaspi_time_ticks(&first)));
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  EXPECT_TRUE(succeeds(gaspi_time_get(&after)));
  EXPECT_TRUE(succeeds(gaspi_time_ticks(&second)));
  EXPECT_GE(after - before, 2.9F);
  EXPECT_GE(second - first, 2'900'000u);
  for (int code = GASPI_ERROR; code <= GASPI_ERR_MEMALLOC; ++code) {
    gaspi_string_t text = nullptr;
    EXPECT_TRUE(succeeds(gaspi_print_error(static_cast<gaspi_return_t>(code), &text)));
    EXPECT_EQ(std::string(text).rfind("GASPI_", 0), 0u) << code;
    std::free(text);
  }
}

}  // namespace
}  // namespace halocline::test
