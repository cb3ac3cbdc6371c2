// Notified access to MPI windows (halocline/mpix.h): what a notification says of the data, what requests match, values, and that flushes,
// fences and unlocks complete notified accesses as they do others. On windows of all kinds.
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/mpix.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "mpi_rma/wrong_calls.hpp"
#include "support/mpi_test.hpp"

namespace {

using halocline::test::rank;
using halocline::test::size;
using wrong_calls::class_of;

constexpr int kNumbers = 12'000, kNotifications = 5;

enum class Kind { allocated, created, created_on_alloc_mem, shared, dynamic };

/// Doubles of each rank in a window of one kind, -1 at first, with notifications.
class Notified {
 public:
  explicit Notified(Kind kind, int notifications = kNotifications) : kind_(kind) {
    constexpr MPI_Aint kBytes = kNumbers * MPI_Aint{sizeof(double)};
    const MPI_Comm world = MPI_COMM_WORLD;
    if (kind == Kind::allocated) MPI_Win_allocate(kBytes, sizeof(double), MPI_INFO_NULL, world, &mine, &win);
    if (kind == Kind::shared) MPI_Win_allocate_shared(kBytes, sizeof(double), MPI_INFO_NULL, world, &mine, &win);
    if (kind == Kind::created || kind == Kind::dynamic) mine = static_cast<double *>(std::malloc(kBytes));
    if (kind == Kind::created_on_alloc_mem) MPI_Alloc_mem(kBytes, MPI_INFO_NULL, &mine);
    if (kind == Kind::created || kind == Kind::created_on_alloc_mem)
      MPI_Win_create(mine, kBytes, sizeof(double), MPI_INFO_NULL, world, &win);
    if (kind == Kind::dynamic) {
      MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win);
      MPI_Win_attach(win, mine, kBytes);
    }
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    bases_.resize(static_cast<std::size_t>(size()));
    MPI_Aint base = 0;
    MPI_Get_address(mine, &base);
    MPI_Allgather(&base, 1, MPI_AINT, bases_.data(), 1, MPI_AINT, world);
    std::fill_n(mine, kNumbers, -1.0);
    EXPECT_EQ(MPIX_Win_set_num_notify(win, MPI_INFO_NULL, notifications), MPI_SUCCESS);
    MPI_Barrier(world);
  }
  ~Notified() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (kind_ == Kind::dynamic) MPI_Win_detach(win, mine);
    MPI_Win_free(&win);
    if (kind_ == Kind::created_on_alloc_mem) MPI_Free_mem(mine);
    if (kind_ == Kind::created || kind_ == Kind::dynamic) std::free(mine);
  }
  Notified(const Notified &) = delete;
  Notified &operator=(const Notified &) = delete;

  /// The displacement of a double of a rank.
  MPI_Aint at(int target, int first) const {
    return kind_ == Kind::dynamic ? bases_[static_cast<std::size_t>(target)] + first * MPI_Aint{sizeof(double)} : first;
  }
  /// Waits for one arrival.
  MPI_Status await(int source, int notification, int count = 1) const {
    MPI_Status status{};
    MPIX_Notify request = MPIX_NOTIFY_NULL;
    EXPECT_EQ(MPIX_Win_notify_init(source, notification, count, win, &request), MPI_SUCCESS);
    EXPECT_EQ(MPIX_Notify_start(request), MPI_SUCCESS);
    EXPECT_EQ(MPIX_Notify_wait(request, &status), MPI_SUCCESS);
    EXPECT_EQ(MPIX_Notify_free(&request), MPI_SUCCESS);
    EXPECT_EQ(request, MPIX_NOTIFY_NULL);
    return status;
  }

  double *mine = nullptr;
  MPI_Win win = MPI_WIN_NULL;

 private:
  Kind kind_;
  std::vector<MPI_Aint> bases_;
};

int right() { return (rank() + 1) % size(); }
int left() { return (rank() + size() - 1) % size(); }
/// A number that names its sender, step and place.
double number(int origin, int step, int i) { return origin * 1e8 + step * 1e5 + i; }
void be_late(unsigned seed) {
  usleep(static_cast<useconds_t>(std::minstd_rand(seed * 7919U + 13U * static_cast<unsigned>(rank()))() % 400));
}

/// Every `stride`-th of `count` doubles.
struct Layout {
  int count, stride;
};

class EachKind : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (!wrong_calls::is_loaded()) GTEST_SKIP() << "libhalocline_mpi is not loaded before the MPI";
    const char *const nodes = std::getenv("HALOCLINE_FAKE_NODES");
    if (GetParam() == Kind::shared && nodes && std::atoi(nodes) > 1 && size() > 1)
      GTEST_SKIP() << "MPI has shared windows on one node only";
  }
};

TEST_P(EachKind, a_rank_that_has_seen_a_notified_put_reads_its_data) {
  const Notified window(GetParam());
  MPI_Win_lock_all(0, window.win);
  int step = 0;
  for (const Layout layout : {Layout{1, 1}, Layout{256, 1}, Layout{257, 1}, Layout{9000, 1}, Layout{40, 3}, Layout{3000, 4}}) {
    for (int repeat = 0; repeat < 8; ++repeat) {
      step += 1;
      MPI_Datatype spread = MPI_DATATYPE_NULL;
      MPI_Type_vector(layout.count, 1, layout.stride, MPI_DOUBLE, &spread);
      MPI_Type_commit(&spread);
      std::vector<double> data(static_cast<std::size_t>(layout.count));
      for (int i = 0; i < layout.count; ++i) data[static_cast<std::size_t>(i)] = number(rank(), step, i);
      be_late(static_cast<unsigned>(step));
      ASSERT_EQ(MPIX_Put_notify(data.data(), layout.count, MPI_DOUBLE, right(), window.at(right(), 0), 1, spread, step % kNotifications,
                                window.win),
                MPI_SUCCESS);
      MPI_Win_flush_local(right(), window.win);
      const MPI_Status status = window.await(left(), step % kNotifications);
      EXPECT_EQ(status.MPI_SOURCE, left());
      EXPECT_EQ(status.MPI_TAG, step % kNotifications);
      for (int i = 0; i < layout.count; ++i) ASSERT_EQ(window.mine[i * layout.stride], number(left(), step, i)) << "number " << i;
      MPI_Type_free(&spread);
      MPI_Barrier(MPI_COMM_WORLD);  // all have read
    }
  }
  MPI_Win_unlock_all(window.win);
}

/// The owner overwrites its numbers as soon as both neighbours have read them.
TEST_P(EachKind, a_rank_that_has_seen_a_notified_get_may_overwrite_its_data) {
  const Notified window(GetParam());
  constexpr int kCount = 3000;
  MPI_Win_lock_all(0, window.win);
  for (int step = 0; step < 12; ++step) {
    for (int i = 0; i < kCount; ++i) window.mine[i] = number(rank(), step, i);
    MPI_Win_sync(window.win);
    MPI_Barrier(MPI_COMM_WORLD);
    be_late(static_cast<unsigned>(step));
    std::vector<double> read(kCount);
    for (const int from : {left(), right()}) {
      std::fill(read.begin(), read.end(), -2.0);
      ASSERT_EQ(MPIX_Get_notify(read.data(), kCount, MPI_DOUBLE, from, window.at(from, 0), kCount, MPI_DOUBLE, 1, window.win), MPI_SUCCESS);
      MPI_Win_flush(from, window.win);
      for (int i = 0; i < kCount; ++i) ASSERT_EQ(read[static_cast<std::size_t>(i)], number(from, step, i));
    }
    window.await(MPI_ANY_SOURCE, 1, 2);
    std::fill_n(window.mine, kCount, -3.0);
  }
  MPI_Win_unlock_all(window.win);
}

TEST_P(EachKind, a_rank_that_has_seen_all_notified_accumulates_has_their_sum) {
  const Notified window(GetParam());
  constexpr int kCount = 500, kTimes = 6;
  std::fill_n(window.mine, kCount, 0.0);
  MPI_Win_lock_all(0, window.win);
  MPI_Win_sync(window.win);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::vector<double> given(kCount, 1.0 + rank());
  const double one = 1;
  for (int time = 0; time < kTimes; ++time)
    for (int target = 0; target < size(); ++target) {
      ASSERT_EQ(MPIX_Accumulate_notify(given.data(), kCount, MPI_DOUBLE, target, window.at(target, 0), kCount, MPI_DOUBLE, MPI_SUM, 2,
                                       window.win),
                MPI_SUCCESS);
      ASSERT_EQ(MPIX_Accumulate_notify(&one, 1, MPI_DOUBLE, target, window.at(target, 0), 1, MPI_DOUBLE, MPI_SUM, 3, window.win),
                MPI_SUCCESS);
    }
  window.await(MPI_ANY_SOURCE, 3, kTimes * size());
  window.await(MPI_ANY_SOURCE, 2, kTimes * size());
  const double sum = kTimes * size() * (size() + 1) / 2.0;
  EXPECT_EQ(window.mine[0], sum + kTimes * size());
  for (int i = 1; i < kCount; ++i) ASSERT_EQ(window.mine[i], sum);
  MPI_Win_unlock_all(window.win);
}

/// The receiver does not look at the notification.
TEST_P(EachKind, a_flush_completes_a_notified_put) {
  const Notified window(GetParam());
  MPI_Win_lock_all(0, window.win);
  for (int step = 1; step <= 200; ++step) {
    const int count = step % 2 ? 3 : 700;
    std::vector<double> data(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) data[static_cast<std::size_t>(i)] = number(rank(), step, i);
    MPIX_Put_notify(data.data(), count, MPI_DOUBLE, right(), window.at(right(), 0), count, MPI_DOUBLE, 0, window.win);
    MPI_Win_flush(right(), window.win);
    MPI_Sendrecv(nullptr, 0, MPI_INT, right(), 0, nullptr, 0, MPI_INT, left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_sync(window.win);
    for (int i = 0; i < count; ++i) ASSERT_EQ(window.mine[i], number(left(), step, i)) << "step " << step;
    MPI_Sendrecv(nullptr, 0, MPI_INT, left(), 1, nullptr, 0, MPI_INT, right(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Win_unlock_all(window.win);
}

TEST_P(EachKind, a_fence_completes_notified_puts) {
  const Notified window(GetParam());
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window.win);
  for (int step = 1; step <= 60; ++step) {
    for (int target = 0; target < size(); ++target) {
      const double data = number(rank(), step, target);
      ASSERT_EQ(MPIX_Put_notify(&data, 1, MPI_DOUBLE, target, window.at(target, rank()), 1, MPI_DOUBLE, 4, window.win), MPI_SUCCESS);
    }
    MPI_Win_fence(0, window.win);
    for (int origin = 0; origin < size(); ++origin) ASSERT_EQ(window.mine[origin], number(origin, step, rank())) << "step " << step;
    MPI_Win_fence(0, window.win);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window.win);
  window.await(MPI_ANY_SOURCE, 4, 60 * size());
}

TEST_P(EachKind, post_and_wait_go_on_beside_notifications) {
  const Notified window(GetParam());
  MPI_Group world = MPI_GROUP_NULL, to = MPI_GROUP_NULL, from = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int next = right(), previous = left();
  MPI_Group_incl(world, 1, &next, &to);
  MPI_Group_incl(world, 1, &previous, &from);
  for (int step = 1; step <= 40; ++step) {
    MPI_Win_post(from, 0, window.win);
    MPI_Win_start(to, 0, window.win);
    const double noted = number(rank(), step, 0), plain = number(rank(), step, 1);
    MPIX_Put_notify(&noted, 1, MPI_DOUBLE, right(), window.at(right(), 0), 1, MPI_DOUBLE, 1, window.win);
    MPI_Put(&plain, 1, MPI_DOUBLE, right(), window.at(right(), 1), 1, MPI_DOUBLE, window.win);
    if (step % 2) {
      window.await(left(), 1);
      EXPECT_EQ(window.mine[0], number(left(), step, 0));
    }
    MPI_Win_complete(window.win);
    MPI_Win_wait(window.win);
    if (step % 2 == 0) window.await(left(), 1);
    ASSERT_EQ(window.mine[0], number(left(), step, 0));
    ASSERT_EQ(window.mine[1], number(left(), step, 1));
  }
  for (MPI_Group *group : {&world, &to, &from}) MPI_Group_free(group);
}

TEST_P(EachKind, an_unlock_completes_notified_puts) {
  const Notified window(GetParam());
  for (int step = 1; step <= 40; ++step) {
    const double data = number(rank(), step, 7);
    MPI_Win_lock(step % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, right(), 0, window.win);
    MPIX_Put_notify(&data, 1, MPI_DOUBLE, right(), window.at(right(), 7), 1, MPI_DOUBLE, 0, window.win);
    MPI_Win_unlock(right(), window.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank(), 0, window.win);
    ASSERT_EQ(window.mine[7], number(left(), step, 7));
    MPI_Win_unlock(rank(), window.win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  window.await(left(), 0, 40);
}

/// All ranks draw the same program: in each round accesses to places of their own, with and without notifications. Each target waits for what it is to
/// get, by requests of different breadth, and compares all of its memory with what the program says.
/// Those of one source and notification, then of any notification of a source, then of any source.
void await_all(const Notified &window, const std::vector<std::vector<int>> &arrivals) {
  int left = 0;
  for (int source = 0; source < size(); ++source) {
    int left_of_source = 0;
    for (int notification = 0; notification < kNotifications; ++notification) {
      const int count = arrivals[static_cast<std::size_t>(source)][static_cast<std::size_t>(notification)];
      if (source % 3 == 0 && count > 0) window.await(source, notification, count);
      if (source % 3 == 1) left_of_source += count;
      if (source % 3 == 2) left += count;
    }
    if (left_of_source > 0) {
      EXPECT_EQ(window.await(source, MPI_ANY_TAG, left_of_source).MPI_SOURCE, source);
    }
  }
  if (left > 0) window.await(MPI_ANY_SOURCE, MPI_ANY_TAG, left);
}

TEST_P(EachKind, random_programs_leave_what_the_program_says) {
  const Notified window(GetParam());
  std::mt19937 random(2026);
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  std::vector<double> expected(kNumbers, -1.0);
  for (int round = 0; round < 25; ++round) {
    const bool fences = round % 3 == 0;
    if (fences)
      MPI_Win_fence(0, window.win);
    else
      MPI_Win_lock_all(0, window.win);
    std::vector<std::vector<int>> arrivals(static_cast<std::size_t>(size()), std::vector<int>(kNotifications));
    std::vector<std::vector<double>> kept;
    int next = 0;
    for (int access = 0; access < 4 * size(); ++access) {
      const int origin = below(size()), target = below(size()), notification = below(kNotifications + 1);
      const int count = below(4) == 0 ? 200 + below(500) : 1 + below(30), stride = 1 + below(2);
      if (next + count * stride > kNumbers) break;
      std::vector<double> data(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) data[static_cast<std::size_t>(i)] = number(origin, round * 100 + access, i);
      if (target == rank()) {
        for (int i = 0; i < count; ++i) expected[static_cast<std::size_t>(next + i * stride)] = data[static_cast<std::size_t>(i)];
        if (notification < kNotifications) arrivals[static_cast<std::size_t>(origin)][static_cast<std::size_t>(notification)] += 1;
      }
      if (origin == rank()) {
        MPI_Datatype spread = MPI_DATATYPE_NULL;
        MPI_Type_vector(count, 1, stride, MPI_DOUBLE, &spread);
        MPI_Type_commit(&spread);
        kept.push_back(data);
        const int way = below(2);
        const MPI_Aint at = window.at(target, next);
        const double *const from = kept.back().data();
        int code = MPI_SUCCESS;
        if (notification == kNotifications)
          code = MPI_Put(from, count, MPI_DOUBLE, target, at, 1, spread, window.win);
        else if (way == 0)
          code = MPIX_Put_notify(from, count, MPI_DOUBLE, target, at, 1, spread, notification, window.win);
        else
          code = MPIX_Accumulate_notify(from, count, MPI_DOUBLE, target, at, 1, spread, MPI_REPLACE, notification, window.win);
        EXPECT_EQ(code, MPI_SUCCESS);
        MPI_Type_free(&spread);
      } else {
        below(2);
      }
      next += count * stride;
    }
    await_all(window, arrivals);
    if (fences)
      MPI_Win_fence(0, window.win);
    else
      MPI_Win_unlock_all(window.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank(), 0, window.win);
    for (int i = 0; i < kNumbers; ++i)
      ASSERT_EQ(window.mine[i], expected[static_cast<std::size_t>(i)]) << "round " << round << ", number " << i;
    MPI_Win_unlock(rank(), window.win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

std::string name_of(const ::testing::TestParamInfo<Kind> &kind) {
  const char *const names[] = {"allocated", "created", "created_on_alloc_mem", "shared", "dynamic"};
  return names[static_cast<int>(kind.param)];
}
INSTANTIATE_TEST_SUITE_P(MpiNotified, EachKind,
                         ::testing::Values(Kind::allocated, Kind::created, Kind::created_on_alloc_mem, Kind::shared, Kind::dynamic),
                         name_of);

class MpiNotify : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!wrong_calls::is_loaded()) GTEST_SKIP() << "libhalocline_mpi is not loaded before the MPI";
  }
  static void put(const Notified &window, int target, int notification) {
    const double data = rank();
    EXPECT_EQ(MPIX_Put_notify(&data, 1, MPI_DOUBLE, target, window.at(target, 100 + rank()), 1, MPI_DOUBLE, notification, window.win),
              MPI_SUCCESS);
  }
  static int test(MPIX_Notify request, MPI_Status *status = MPI_STATUS_IGNORE) {
    int flag = -1;
    EXPECT_EQ(MPIX_Notify_test(request, &flag, status), MPI_SUCCESS);
    return flag;
  }
};

TEST_F(MpiNotify, a_request_counts_what_came_before_its_start_and_is_used_again) {
  const Notified window(Kind::allocated);
  MPI_Win_lock_all(0, window.win);
  MPIX_Notify request = MPIX_NOTIFY_NULL;
  MPIX_Win_notify_init(left(), 2, 3, window.win, &request);
  for (int turn = 0; turn < 50; ++turn) {
    MPI_Status status{};
    EXPECT_EQ(test(request, &status), 1);  // inactive
    EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
    for (int i = 0; i < 3; ++i) put(window, right(), 2);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(MPIX_Notify_start(request), MPI_SUCCESS);
    if (turn % 2) {
      while (!test(request, &status)) {
      }
    } else {
      EXPECT_EQ(MPIX_Notify_wait(request, &status), MPI_SUCCESS);
    }
    EXPECT_EQ(status.MPI_SOURCE, left());
    EXPECT_EQ(status.MPI_TAG, 2);
    EXPECT_EQ(MPIX_Notify_start(request), MPI_SUCCESS);
    EXPECT_EQ(test(request), 0) << "it has matched arrivals twice";
    MPIX_Notify_free(&request);
    MPIX_Win_notify_init(left(), 2, 3, window.win, &request);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPIX_Notify_free(&request);
  MPI_Count value = -1;
  EXPECT_EQ(MPIX_Win_get_notify_value(window.win, 2, &value), MPI_SUCCESS);
  EXPECT_EQ(value, 150);
  MPI_Win_unlock_all(window.win);
}

TEST_F(MpiNotify, a_request_without_a_source_is_complete_once_started) {
  const Notified window(Kind::allocated);
  MPIX_Notify request = MPIX_NOTIFY_NULL;
  ASSERT_EQ(MPIX_Win_notify_init(MPI_PROC_NULL, 1, 3, window.win, &request), MPI_SUCCESS);
  for (const bool waits : {false, true}) {
    MPI_Status status{};
    EXPECT_EQ(MPIX_Notify_start(request), MPI_SUCCESS);
    if (waits) {
      EXPECT_EQ(MPIX_Notify_wait(request, &status), MPI_SUCCESS);
    } else {
      EXPECT_EQ(test(request, &status), 1);
    }
    EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
    int bytes = -1;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    EXPECT_EQ(bytes, 0);
  }
  EXPECT_EQ(MPIX_Notify_start(request), MPI_SUCCESS) << "it is not active any more";
  MPIX_Notify_free(&request);
}

TEST_F(MpiNotify, requests_match_their_source_and_notification_alone) {
  const Notified window(Kind::allocated);
  MPI_Win_lock_all(0, window.win);
  MPIX_Notify mine = MPIX_NOTIFY_NULL, other = MPIX_NOTIFY_NULL, any = MPIX_NOTIFY_NULL;
  MPIX_Win_notify_init(rank(), 1, 1, window.win, &mine);
  MPIX_Win_notify_init(rank(), 0, 1, window.win, &other);
  MPIX_Win_notify_init(MPI_ANY_SOURCE, 1, size(), window.win, &any);
  for (MPIX_Notify request : {mine, other, any}) MPIX_Notify_start(request);
  for (int target = 0; target < size(); ++target)
    for (int i = 0; i < (target == rank() ? 2 : 1); ++i) put(window, target, 1);
  MPI_Status status{};
  EXPECT_EQ(MPIX_Notify_wait(mine, &status), MPI_SUCCESS);
  EXPECT_EQ(status.MPI_SOURCE, rank());
  EXPECT_EQ(MPIX_Notify_wait(any, &status), MPI_SUCCESS);
  EXPECT_EQ(status.MPI_TAG, 1);
  EXPECT_EQ(test(other), 0);
  put(window, rank(), 0);
  EXPECT_EQ(MPIX_Notify_wait(other, MPI_STATUS_IGNORE), MPI_SUCCESS);
  for (MPIX_Notify *request : {&mine, &other, &any}) MPIX_Notify_free(request);
  MPI_Win_unlock_all(window.win);
}

TEST_F(MpiNotify, a_value_arrives_behind_its_data_and_is_taken_once) {
  const Notified window(Kind::allocated);
  MPI_Win_lock_all(0, window.win);
  int found = -1, value = -1, flag = -1;
  EXPECT_EQ(MPIX_Win_notify_testsome(window.win, 0, kNotifications, &flag, &found), MPI_SUCCESS);
  EXPECT_EQ(flag, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int step = 1; step <= 60; ++step) {
    const int id = 1 + step % (kNotifications - 1), count = step % 3 ? 5 : 600;
    std::vector<double> data(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) data[static_cast<std::size_t>(i)] = number(rank(), step, i);
    ASSERT_EQ(MPIX_Put_notify_value(data.data(), count, MPI_DOUBLE, right(), window.at(right(), 0), count, MPI_DOUBLE, id,
                                    step % 2 ? step : -step, window.win),
              MPI_SUCCESS);
    MPI_Win_flush_local(right(), window.win);
    ASSERT_EQ(MPIX_Win_notify_waitsome(window.win, 0, kNotifications, &found), MPI_SUCCESS);
    ASSERT_EQ(found, id);
    EXPECT_EQ(MPIX_Win_notify_testsome(window.win, id, 1, &flag, &found), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(MPIX_Win_notify_reset(window.win, id, &value), MPI_SUCCESS);
    EXPECT_EQ(value, step % 2 ? step : -step);
    EXPECT_EQ(MPIX_Win_notify_reset(window.win, id, &value), MPI_SUCCESS);
    EXPECT_EQ(value, 0);
    for (int i = 0; i < count; ++i) ASSERT_EQ(window.mine[i], number(left(), step, i));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(window.win);
}

TEST_F(MpiNotify, a_new_number_of_notifications_begins_at_0) {
  const Notified window(Kind::created, 2);
  for (const int num : {3, 1, 40}) {
    MPI_Win_lock_all(0, window.win);
    put(window, right(), 0);
    MPI_Win_unlock_all(window.win);
    ASSERT_EQ(MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, num), MPI_SUCCESS);
    int has = -1;
    EXPECT_EQ(MPIX_Win_get_num_notify(window.win, &has), MPI_SUCCESS);
    EXPECT_EQ(has, num);
    MPI_Count value = -1;
    EXPECT_EQ(MPIX_Win_get_notify_value(window.win, num - 1, &value), MPI_SUCCESS);
    EXPECT_EQ(value, 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ASSERT_EQ(MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, 0), MPI_SUCCESS);
  EXPECT_EQ(class_of(MPIX_Win_notify_reset(window.win, 0, nullptr)), MPI_ERR_ARG);
}

class MpiNotifyErrors : public wrong_calls::InEpoch {
 protected:
  static int init(int source, int notification, int count, MPI_Win win) {
    MPIX_Notify request = MPIX_NOTIFY_NULL;
    const int code = class_of(MPIX_Win_notify_init(source, notification, count, win, &request));
    if (request != MPIX_NOTIFY_NULL) MPIX_Notify_free(&request);
    return code;
  }
  int put_notified(int target, int notification) {
    return class_of(MPIX_Put_notify(buffer_, 8, MPI_BYTE, target, 0, 8, MPI_BYTE, notification, win_));
  }
  void give_notifications() {
    MPI_Win_unlock_all(win_);
    EXPECT_EQ(MPIX_Win_set_num_notify(win_, MPI_INFO_NULL, 3), MPI_SUCCESS);
    MPI_Win_lock_all(0, win_);
  }
};

TEST_F(MpiNotifyErrors, a_window_without_notifications_has_none) {
  int value = 0, found = 0;
  MPI_Count count = 0;
  EXPECT_EQ(put_notified(target_, 0), MPI_ERR_ARG);
  EXPECT_EQ(init(0, 0, 1, win_), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPIX_Win_get_notify_value(win_, 0, &count)), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPIX_Win_notify_waitsome(win_, 0, 1, &found)), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPIX_Win_notify_reset(win_, 0, &value)), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPIX_Win_set_num_notify(win_, MPI_INFO_NULL, 3)), MPI_ERR_RMA_SYNC);  // an epoch is open
}

TEST_F(MpiNotifyErrors, wrong_arguments_of_accesses_notify_nobody) {
  give_notifications();
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(put_notified(target_, 3), MPI_ERR_ARG);
  EXPECT_EQ(put_notified(target_, -1), MPI_ERR_ARG);
  EXPECT_EQ(put_notified(size_, 0), MPI_ERR_RANK);
  EXPECT_EQ(put_notified(MPI_PROC_NULL, 0), MPI_SUCCESS);
  EXPECT_EQ(class_of(MPIX_Put_notify(buffer_, 8, MPI_BYTE, target_, kBytes, 8, MPI_BYTE, 0, win_)), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(class_of(MPIX_Put_notify(buffer_, 8, MPI_BYTE, target_, 0, 4, MPI_BYTE, 0, win_)), MPI_ERR_TRUNCATE);
  EXPECT_EQ(class_of(MPIX_Put_notify(nullptr, 8, MPI_BYTE, target_, 0, 8, MPI_BYTE, 0, win_)), MPI_ERR_BUFFER);
  EXPECT_EQ(class_of(MPIX_Get_notify(buffer_, -1, MPI_BYTE, target_, 0, 8, MPI_BYTE, 0, win_)), MPI_ERR_COUNT);
  EXPECT_EQ(class_of(MPIX_Accumulate_notify(buffer_, 1, MPI_DOUBLE, target_, 0, 1, MPI_DOUBLE, MPI_BAND, 0, win_)), MPI_ERR_OP);
  EXPECT_EQ(class_of(MPIX_Put_notify_value(buffer_, 8, MPI_BYTE, target_, 0, 8, MPI_BYTE, 0, 0, win_)), MPI_ERR_ARG);
  MPI_Win_flush_all(win_);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int notification = 0; notification < 3; ++notification) {
    MPI_Count count = -1;
    EXPECT_EQ(MPIX_Win_get_notify_value(win_, notification, &count), MPI_SUCCESS);
    EXPECT_EQ(count, 0);
  }
}

TEST_F(MpiNotifyErrors, an_access_needs_an_epoch) {
  give_notifications();
  MPI_Win_unlock_all(win_);
  EXPECT_EQ(put_notified(target_, 0), MPI_ERR_RMA_SYNC);
  MPI_Win_lock_all(0, win_);
}

TEST_F(MpiNotifyErrors, wrong_requests_are_refused) {
  give_notifications();
  EXPECT_EQ(init(size_, 0, 1, win_), MPI_ERR_RANK);
  EXPECT_EQ(init(0, 3, 1, win_), MPI_ERR_ARG);
  EXPECT_EQ(init(0, 0, 0, win_), MPI_ERR_COUNT);
  EXPECT_EQ(class_of(MPIX_Win_notify_init(0, 0, 1, win_, nullptr)), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPIX_Notify_start(MPIX_NOTIFY_NULL)), MPI_ERR_REQUEST);
  EXPECT_EQ(class_of(MPIX_Notify_free(nullptr)), MPI_ERR_REQUEST);
  MPIX_Notify request = MPIX_NOTIFY_NULL;
  EXPECT_EQ(MPIX_Win_notify_init(0, 0, 1, win_, &request), MPI_SUCCESS);
  EXPECT_EQ(MPIX_Notify_start(request), MPI_SUCCESS);
  EXPECT_EQ(class_of(MPIX_Notify_start(request)), MPI_ERR_REQUEST);
  EXPECT_EQ(class_of(MPIX_Notify_test(request, nullptr, MPI_STATUS_IGNORE)), MPI_ERR_ARG);
  MPI_Win_unlock_all(win_);
  MPI_Win same = win_;
  EXPECT_EQ(class_of(MPI_Win_free(&same)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPIX_Win_set_num_notify(win_, MPI_INFO_NULL, 1)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(MPIX_Notify_free(&request), MPI_SUCCESS);
  EXPECT_EQ(class_of(MPIX_Win_set_num_notify(win_, MPI_INFO_NULL, -1)), MPI_ERR_ARG);
  if (size_ > 1) {
    EXPECT_EQ(class_of(MPIX_Win_set_num_notify(win_, MPI_INFO_NULL, 1 + rank_)), MPI_ERR_ARG);
  }
  MPI_Win_lock_all(0, win_);
}

TEST_F(MpiNotifyErrors, wrong_ranges_of_values_are_refused) {
  give_notifications();
  int found = 0, flag = 0;
  EXPECT_EQ(class_of(MPIX_Win_notify_waitsome(win_, 1, 3, &found)), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPIX_Win_notify_waitsome(win_, -1, 1, &found)), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPIX_Win_notify_testsome(win_, 0, 0, &flag, &found)), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPIX_Win_notify_testsome(win_, 0, 1, nullptr, &found)), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPIX_Win_notify_waitsome(MPI_WIN_NULL, 0, 1, &found)), MPI_ERR_WIN);
}

}  // namespace
