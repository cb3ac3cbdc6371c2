// Calls with requests to ranks of other nodes. Several are under way at a time, while the targets do other things, and end in each form of
// wait and test. With HALOCLINE_PROGRESS=caller a rank answers in calls of MPI alone, so here it is known when it does.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/mpi_test.hpp"

namespace {

using halocline::test::rank;
using halocline::test::size;

constexpr int kCount = 200'000, kHalf = kCount / 2;  // too many bytes to be sent before their target receives

class MpiRequests : public testing::Test {
 protected:
  void SetUp() override {
    if (size() == 1) GTEST_SKIP() << "it takes another rank";
    MPI_Win_allocate(MPI_Aint{8} * kCount, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine_, &win_);
    for (int i = 0; i < kCount; ++i) mine_[i] = number(rank(), i);
    process_ = getpid();
    MPI_Bcast(&process_, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win_);  // asks no other rank, which may have left MPI already
  }
  void TearDown() override {
    if (win_ == MPI_WIN_NULL) return;
    MPI_Win_unlock_all(win_);
    MPI_Win_free(&win_);
  }
  static std::int64_t number(int of, int i) { return std::int64_t{1'000'000} * (of + 1) + i; }
  /// Other ranks get nothing from this one until rank 0 lets it serve, as it is outside of MPI. Then it answers until rank 0 ends that.
  void serve() const {
    give_sign("outside", rank());
    await_sign("serve", rank());
    MPI_Request over = MPI_REQUEST_NULL;
    int is_over = 0;
    MPI_Irecv(nullptr, 0, MPI_INT, 0, 2, MPI_COMM_WORLD, &over);
    while (!is_over) {
      std::int64_t one = 0;
      MPI_Get(&one, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win_);
      MPI_Win_flush(0, win_);
      MPI_Test(&over, &is_over, MPI_STATUS_IGNORE);
    }
  }
  void let_serve(int whom) const { give_sign("serve", whom); }
  static void end_serving(int whom) { MPI_Send(nullptr, 0, MPI_INT, whom, 2, MPI_COMM_WORLD); }
  /// The first half of a rank's numbers, once that is outside of MPI. Once per target.
  MPI_Request get(std::vector<std::int64_t> &into, int target) const {
    if (target != 0) await_sign("outside", target);
    MPI_Request request = MPI_REQUEST_NULL;
    into.assign(kHalf, -1);
    MPI_Rget(into.data(), kHalf, MPI_INT64_T, target, 0, kHalf, MPI_INT64_T, win_, &request);
    return request;
  }
  static void expect_numbers(int of, const std::int64_t *found, int first) {
    int wrong = 0;
    for (int i = 0; i < kHalf; ++i) wrong += found[i] == number(of, first + i) ? 0 : 1;
    EXPECT_EQ(wrong, 0) << "of the numbers of rank " << of;
  }

  MPI_Win win_ = MPI_WIN_NULL;
  std::int64_t *mine_ = nullptr;

 private:
  /// Files, as messages would take the ranks into MPI.
  std::string file_of(const char *sign, int of) const {
    return "mpi_requests." + std::to_string(process_) + "." + std::to_string(of) + "." + sign;
  }
  void give_sign(const char *sign, int of) const { std::ofstream(file_of(sign, of)).put('\n'); }
  void await_sign(const char *sign, int of) const {
    while (!std::filesystem::remove(file_of(sign, of))) usleep(1'000);
  }

  int process_ = 0;  // of rank 0
};

TEST_F(MpiRequests, to_all_ranks_are_under_way_together_and_end_in_any_order) {
  if (rank() != 0) return serve();
  std::vector<std::vector<std::int64_t>> found(static_cast<std::size_t>(size()));
  std::vector<MPI_Request> requests;
  for (int target = 0; target < size(); ++target) requests.push_back(get(found[static_cast<std::size_t>(target)], target));
  // No rank has answered so far. The last one does first.
  for (int target = size() - 1; target > 0; --target) {
    let_serve(target);
    MPI_Wait(&requests[static_cast<std::size_t>(target)], MPI_STATUS_IGNORE);
    EXPECT_EQ(requests[static_cast<std::size_t>(target)], MPI_REQUEST_NULL);
    expect_numbers(target, found[static_cast<std::size_t>(target)].data(), 0);
  }
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  expect_numbers(0, found[0].data(), 0);
  for (int target = 1; target < size(); ++target) end_serving(target);
}

/// Two requests of RMA, and one of the host.
enum class Form { wait, waitall, waitany, waitsome, test, testall, testany, testsome, get_status };

void end_all(Form form, std::vector<MPI_Request> &requests) {
  const int count = static_cast<int>(requests.size());
  std::vector<int> places(requests.size());
  int at = 0, flag = 0, ended = 0, some = 0;
  switch (form) {
    case Form::wait:
      for (MPI_Request &request : requests) MPI_Wait(&request, MPI_STATUS_IGNORE);
      return;
    case Form::waitall: MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE); return;
    case Form::waitany:
      while (ended++ < count) MPI_Waitany(count, requests.data(), &at, MPI_STATUS_IGNORE);
      return;
    case Form::waitsome:
      for (; ended < count; ended += some) MPI_Waitsome(count, requests.data(), &some, places.data(), MPI_STATUSES_IGNORE);
      return;
    case Form::test:
      for (MPI_Request &request : requests)
        for (flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      return;
    case Form::testall:
      while (!flag) MPI_Testall(count, requests.data(), &flag, MPI_STATUSES_IGNORE);
      return;
    case Form::testany:
      for (; ended < count; ended += flag) MPI_Testany(count, requests.data(), &at, &flag, MPI_STATUS_IGNORE);
      return;
    case Form::testsome:
      for (; ended < count; ended += some) MPI_Testsome(count, requests.data(), &some, places.data(), MPI_STATUSES_IGNORE);
      return;
    case Form::get_status:
      for (MPI_Request &request : requests) {
        for (flag = 0; !flag;) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
  }
}

class MpiRequestForms : public MpiRequests, public testing::WithParamInterface<Form> {};

TEST_P(MpiRequestForms, end_requests_that_are_under_way) {
  const int last = size() - 1;
  if (rank() != 0 && rank() != last) return;
  if (rank() == last) {
    const std::int64_t message = 4711;
    MPI_Send(&message, 1, MPI_INT64_T, 0, 3, MPI_COMM_WORLD);
    serve();
    return expect_numbers(0, mine_ + kHalf, kHalf);
  }
  std::vector<std::int64_t> found;
  std::int64_t message = 0;
  std::vector<MPI_Request> requests{get(found, last), MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Irecv(&message, 1, MPI_INT64_T, last, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Rput(mine_ + kHalf, kHalf, MPI_INT64_T, last, kHalf, kHalf, MPI_INT64_T, win_, &requests[2]);
  let_serve(last);
  end_all(GetParam(), requests);
  for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL);
  expect_numbers(last, found.data(), 0);
  EXPECT_EQ(message, 4711);
  MPI_Win_flush(last, win_);
  end_serving(last);
}

/// Whether the host lets others take part in its progress: MPICH from 4.3 on, and Open MPI.
bool lets_others_progress() { return dlsym(RTLD_DEFAULT, "PMPIX_Async_start") || dlsym(RTLD_DEFAULT, "opal_progress_register"); }

TEST_F(MpiRequests, are_answered_by_a_rank_that_waits_in_the_host) {
  if (!lets_others_progress()) GTEST_SKIP() << "this MPI lets no other library take part in its progress";
  const int last = size() - 1;
  int message = 4711;
  if (rank() == last) MPI_Recv(&message, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // First the last rank is in that call, then all but this one are in the barrier.
  for (int first : {0, kHalf}) {
    if (rank() != 0) break;
    std::vector<std::int64_t> found(kHalf, -1);
    MPI_Get(found.data(), kHalf, MPI_INT64_T, last, first, kHalf, MPI_INT64_T, win_);
    EXPECT_EQ(MPI_Win_flush(last, win_), MPI_SUCCESS);
    expect_numbers(last, found.data(), first);
    std::int64_t old = -1, one = 1;
    MPI_Fetch_and_op(&one, &old, MPI_INT64_T, last, first, MPI_SUM, win_);
    EXPECT_EQ(MPI_Win_flush(last, win_), MPI_SUCCESS);
    EXPECT_EQ(old, number(last, first));
    if (first == 0) MPI_Send(&message, 1, MPI_INT, last, 3, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(message, 4711);
}

/// With a short HALOCLINE_TIMEOUT. The target stays outside of MPI for longer than that, and then serves.
class MpiLateRequests : public MpiRequests, public testing::WithParamInterface<Form> {
 protected:
  void SetUp() override {
    MpiRequests::SetUp();
    const char *const timeout_s = std::getenv("HALOCLINE_TIMEOUT");
    if (!timeout_s || std::atoi(timeout_s) > 2) GTEST_SKIP() << "it takes a short HALOCLINE_TIMEOUT";
  }
  static inline int handled = 0;
  static void handle(MPI_Win *, int *, ...) { handled += 1; }
};

TEST_P(MpiLateRequests, call_the_error_handler_of_the_window) {
  const int last = size() - 1;
  if (rank() == last) return serve();
  if (rank() != 0) return;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Win_create_errhandler(handle, &handler);
  MPI_Win_set_errhandler(win_, handler);
  MPI_Errhandler_free(&handler);
  handled = 0;
  std::vector<std::int64_t> found;
  std::vector<MPI_Request> requests{get(found, last)};
  end_all(GetParam(), requests);
  EXPECT_EQ(requests[0], MPI_REQUEST_NULL);
  EXPECT_EQ(handled, 1);
  let_serve(last);
  EXPECT_EQ(MPI_Win_flush(last, win_), MPI_SUCCESS);
  expect_numbers(last, found.data(), 0);
  EXPECT_EQ(handled, 1);
  end_serving(last);
}

INSTANTIATE_TEST_SUITE_P(All, MpiLateRequests, testing::Values(Form::wait, Form::test));
INSTANTIATE_TEST_SUITE_P(All, MpiRequestForms,
                         testing::Values(Form::wait, Form::waitall, Form::waitany, Form::waitsome, Form::test, Form::testall, Form::testany,
                                         Form::testsome, Form::get_status));

}  // namespace
