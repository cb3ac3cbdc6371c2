// What has completed a notified access, its target reads without any call of MPI: ranks meet by words of a shared file, so that nothing drives
// the target's progress but the library's own thread. Forms for large counts, and windows that the host carries.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <fcntl.h>
#include <halocline/mpix.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "mpi_rma/wrong_calls.hpp"
#include "support/mpi_test.hpp"

namespace {

using halocline::test::rank;
using halocline::test::size;
using wrong_calls::class_of;

/// Two words that rank 0 and the last rank of this machine share outside of MPI.
class Meeting {
 public:
  struct Words {
    std::atomic<int> turn, answer;
  };
  Meeting() {
    char path[] = "/dev/shm/halocline-test-XXXXXX";
    int file = -1;
    if (rank() == 0) file = mkstemp(path);
    if (rank() == 0 && ftruncate(file, sizeof(Words)) != 0) std::abort();
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank() != 0) file = open(path, O_RDWR);
    words_ = static_cast<Words *>(mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    close(file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) unlink(path);
    if (words_ == MAP_FAILED) std::abort();
  }
  ~Meeting() { munmap(words_, sizeof(Words)); }
  Meeting(const Meeting &) = delete;
  Meeting &operator=(const Meeting &) = delete;

  /// Origin: lets the target look, and waits until it has.
  void let_look(int step) {
    words_->turn.store(step, std::memory_order_release);
    await(words_->answer, step);
  }
  /// Target.
  void await_turn(int step) { await(words_->turn, step); }
  void answer(int step) { words_->answer.store(step, std::memory_order_release); }

 private:
  static void await(const std::atomic<int> &word, int step) {
    while (word.load(std::memory_order_acquire) < step) usleep(20);
  }
  Words *words_ = nullptr;
};

struct Window {
  explicit Window(int notifications = 4) {
    MPI_Win_allocate(kBytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    std::memset(mine, 0, kBytes);
    EXPECT_EQ(MPIX_Win_set_num_notify(win, MPI_INFO_NULL, notifications), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Window() {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
  }
  Window(const Window &) = delete;
  Window &operator=(const Window &) = delete;

  static constexpr MPI_Aint kBytes = 4096 * MPI_Aint{sizeof(double)};
  double *mine = nullptr;
  MPI_Win win = MPI_WIN_NULL;
};

class MpiNotifiedCompletion : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!wrong_calls::is_loaded()) GTEST_SKIP() << "libhalocline_mpi is not loaded before the MPI";
    const char *const progress = std::getenv("HALOCLINE_PROGRESS");
    if (progress && std::strcmp(progress, "caller") == 0)
      GTEST_SKIP() << "with HALOCLINE_PROGRESS=caller a target outside of MPI never answers";
  }
  int target() const { return size() - 1; }
  /// Calls access(step) on rank 0, which has to complete it, and looks on the last rank at its first number.
  void expect_each_there(const Window &window, const std::function<void(int)> &access) {
    constexpr int kSteps = 6;
    Meeting meeting;
    for (int step = 1; step <= kSteps; ++step) {
      if (rank() == 0 && target() != 0) {
        access(step);
        meeting.let_look(step);
      } else if (rank() == target() && target() != 0) {
        meeting.await_turn(step);
        EXPECT_EQ(static_cast<volatile double *>(window.mine)[0], step);
        meeting.answer(step);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  /// One of the notified accesses that begin in a message.
  void begin(const Window &window, int step) const {
    const double number = step;
    int code = MPI_SUCCESS;
    if (step % 3 == 0) code = MPIX_Accumulate_notify(&number, 1, MPI_DOUBLE, target(), 0, 1, MPI_DOUBLE, MPI_REPLACE, 1, window.win);
    if (step % 3 == 1) code = MPIX_Put_notify(&number, 1, MPI_DOUBLE, target(), 0, 1, MPI_DOUBLE, 1, window.win);
    if (step % 3 == 2) code = MPIX_Put_notify_value(&number, 1, MPI_DOUBLE, target(), 0, 1, MPI_DOUBLE, 1, 5, window.win);
    EXPECT_EQ(code, MPI_SUCCESS);
  }
};

TEST_F(MpiNotifiedCompletion, a_flush_returns_when_the_target_can_read_the_data) {
  const Window window;
  MPI_Win_lock_all(0, window.win);
  expect_each_there(window, [&](int step) {
    begin(window, step);
    step % 2 ? MPI_Win_flush(target(), window.win) : MPI_Win_flush_all(window.win);
  });
  MPI_Win_unlock_all(window.win);
}

TEST_F(MpiNotifiedCompletion, an_unlock_returns_when_the_target_can_read_the_data) {
  const Window window;
  expect_each_there(window, [&](int step) {
    MPI_Win_lock(step % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target(), 0, window.win);
    begin(window, step);
    MPI_Win_unlock(target(), window.win);
  });
}

TEST_F(MpiNotifiedCompletion, an_unlock_of_all_returns_when_the_target_can_read_the_data) {
  const Window window;
  expect_each_there(window, [&](int step) {
    MPI_Win_lock_all(0, window.win);
    begin(window, step);
    MPI_Win_unlock_all(window.win);
  });
}

TEST_F(MpiNotifiedCompletion, forms_for_large_counts_do_the_same) {
  const Window window;
  const int next = (rank() + 1) % size(), previous = (rank() + size() - 1) % size();
  const double given = 100.0 + rank();
  double read = -1;
  MPI_Win_lock_all(0, window.win);
  EXPECT_EQ(MPIX_Put_notify_c(&given, 1, MPI_DOUBLE, next, 1, 1, MPI_DOUBLE, 0, window.win), MPI_SUCCESS);
  EXPECT_EQ(MPIX_Accumulate_notify_c(&given, 1, MPI_DOUBLE, next, 2, 1, MPI_DOUBLE, MPI_SUM, 1, window.win), MPI_SUCCESS);
  EXPECT_EQ(MPIX_Put_notify_value_c(&given, 1, MPI_DOUBLE, next, 3, 1, MPI_DOUBLE, 2, 77, window.win), MPI_SUCCESS);
  int found = -1, value = -1;
  EXPECT_EQ(MPIX_Win_notify_waitsome(window.win, 0, 4, &found), MPI_SUCCESS);
  EXPECT_EQ(found, 2);
  EXPECT_EQ(MPIX_Win_notify_reset(window.win, 2, &value), MPI_SUCCESS);
  EXPECT_EQ(value, 77);
  MPIX_Notify request = MPIX_NOTIFY_NULL;
  EXPECT_EQ(MPIX_Win_notify_init(previous, MPI_ANY_TAG, 2, window.win, &request), MPI_SUCCESS);
  EXPECT_EQ(MPIX_Notify_start(request), MPI_SUCCESS);
  EXPECT_EQ(MPIX_Notify_wait(request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(window.mine[i], 100.0 + previous) << "number " << i;
  EXPECT_EQ(MPIX_Get_notify_c(&read, 1, MPI_DOUBLE, next, 1, 1, MPI_DOUBLE, 3, window.win), MPI_SUCCESS);
  MPI_Win_flush(next, window.win);
  EXPECT_EQ(read, given);
  EXPECT_EQ(MPIX_Notify_start(request), MPI_SUCCESS);
  EXPECT_EQ(class_of(MPIX_Put_notify_c(&given, -1, MPI_DOUBLE, next, 1, 1, MPI_DOUBLE, 0, window.win)), MPI_ERR_COUNT);
  // More bytes than an int can count: refused for its own reason, not as another number.
  constexpr MPI_Count kMany = (MPI_Count{1} << 32) + 1;
  EXPECT_EQ(class_of(MPIX_Put_notify_c(&given, kMany, MPI_DOUBLE, next, 1, kMany, MPI_DOUBLE, 0, window.win)), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(MPIX_Notify_free(&request), MPI_SUCCESS);
  MPI_Win_unlock_all(window.win);
}

/// A function of the host MPI, from its own library; null if it has none of that name.
template <class Function>
Function of_host(Function, const char *name) {
  Dl_info where{};
  if (dladdr(reinterpret_cast<void *>(&PMPI_Comm_rank), &where) == 0) return nullptr;
  void *const mpi = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return mpi ? reinterpret_cast<Function>(dlsym(mpi, name)) : nullptr;
}

TEST_F(MpiNotifiedCompletion, a_window_of_the_host_has_no_notifications) {
  const auto allocate = of_host(&PMPI_Win_allocate, "PMPI_Win_allocate");
  const auto free = of_host(&PMPI_Win_free, "PMPI_Win_free");
  ASSERT_TRUE(allocate && free);
  const double number = 1;
  double *memory = nullptr;
  int value = 0;
  MPI_Win win = MPI_WIN_NULL;
  ASSERT_EQ(allocate(sizeof number, 1, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &win), MPI_SUCCESS);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  EXPECT_EQ(class_of(MPIX_Win_set_num_notify(win, MPI_INFO_NULL, 2)), MPI_ERR_OTHER);
  EXPECT_EQ(class_of(MPIX_Put_notify_value(&number, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, 0, 5, win)), MPI_ERR_OTHER);
  EXPECT_EQ(class_of(MPIX_Win_notify_reset(win, 0, &value)), MPI_ERR_OTHER);
  // Intel MPI has this function, and decides.
  if (!of_host(&MPIX_Put_notify, "MPIX_Put_notify")) {
    EXPECT_EQ(class_of(MPIX_Put_notify(&number, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, 0, win)), MPI_ERR_OTHER);
  }
  EXPECT_EQ(free(&win), MPI_SUCCESS);
}

}  // namespace
