// What wrong calls of MPI RMA answer: the error class that the standard names, through the window's error handler. The window works
// afterwards. Source: MPI 4.1, sections 12.6 and 12.7.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

/// Whether the windows are those of libhalocline_mpi. A host MPI need not find all of these mistakes; some would write to wrong addresses.
bool is_loaded() {
  Dl_info where{};
  return dladdr(reinterpret_cast<void *>(&MPI_Put), &where) != 0 && where.dli_fname && std::strstr(where.dli_fname, "libhalocline_mpi");
}

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

class MpiRmaErrors : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_loaded()) GTEST_SKIP() << "libhalocline_mpi is not loaded before the MPI";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    target_ = (rank_ + 1) % size_;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Win_allocate(kBytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &data_, &win_);
    MPI_Win_set_errhandler(win_, MPI_ERRORS_RETURN);
    std::memset(data_, 0, kBytes);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void TearDown() override {
    if (win_ == MPI_WIN_NULL) return;
    expect_that_it_works();
    MPI_Win_free(&win_);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  }
  /// A put to the next rank, in an epoch of its own.
  void expect_that_it_works() {
    MPI_Barrier(MPI_COMM_WORLD);
    const std::int64_t number = 4711 + rank_;
    ASSERT_EQ(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target_, 0, win_), MPI_SUCCESS);
    ASSERT_EQ(MPI_Put(&number, 8, MPI_BYTE, target_, 8, 8, MPI_BYTE, win_), MPI_SUCCESS);
    ASSERT_EQ(MPI_Win_unlock(target_, win_), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    std::int64_t arrived = 0;
    ASSERT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, rank_, 0, win_), MPI_SUCCESS);
    std::memcpy(&arrived, data_ + 8, sizeof arrived);
    ASSERT_EQ(MPI_Win_unlock(rank_, win_), MPI_SUCCESS);
    EXPECT_EQ(arrived, 4711 + (rank_ + size_ - 1) % size_);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  int put(int target, MPI_Aint displacement, int bytes) {
    return class_of(MPI_Put(buffer_, bytes, MPI_BYTE, target, displacement, bytes, MPI_BYTE, win_));
  }

  static constexpr MPI_Aint kBytes = 64;
  int rank_ = 0, size_ = 1, target_ = 0;
  char *data_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
  char buffer_[256] = {};
};

/// Inside a lock_all epoch, from the test's beginning to its end.
class InEpoch : public MpiRmaErrors {
 protected:
  void SetUp() override {
    MpiRmaErrors::SetUp();
    if (win_ != MPI_WIN_NULL) MPI_Win_lock_all(0, win_);
  }
  void TearDown() override {
    if (win_ != MPI_WIN_NULL) MPI_Win_unlock_all(win_);
    MpiRmaErrors::TearDown();
  }
};

TEST_F(InEpoch, a_target_outside_the_group_is_ERR_RANK) {
  EXPECT_EQ(put(size_, 0, 8), MPI_ERR_RANK);
  EXPECT_EQ(put(-17, 0, 8), MPI_ERR_RANK);
  EXPECT_EQ(put(MPI_PROC_NULL, 0, 8), MPI_SUCCESS);
}

TEST_F(InEpoch, bytes_outside_the_window_are_ERR_RMA_RANGE) {
  EXPECT_EQ(put(target_, kBytes, 1), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(put(target_, kBytes - 7, 8), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(put(target_, INT64_MAX - 3, 8), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(put(target_, kBytes - 8, 8), MPI_SUCCESS);
  EXPECT_EQ(put(target_, kBytes, 0), MPI_SUCCESS);
}

TEST_F(InEpoch, a_negative_displacement_is_ERR_DISP) { EXPECT_EQ(put(target_, -8, 8), MPI_ERR_DISP); }

TEST_F(InEpoch, a_datatype_that_reaches_outside_the_window_is_ERR_RMA_RANGE) {
  MPI_Datatype vector = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 4, MPI_INT64_T, &vector);
  MPI_Type_commit(&vector);
  const int code = MPI_Put(buffer_, 3, MPI_INT64_T, target_, 0, 1, vector, win_);
  EXPECT_EQ(class_of(code), MPI_ERR_RMA_RANGE);
  MPI_Type_free(&vector);
}

TEST_F(InEpoch, a_negative_count_is_ERR_COUNT) {
  EXPECT_EQ(class_of(MPI_Put(buffer_, -1, MPI_BYTE, target_, 0, 8, MPI_BYTE, win_)), MPI_ERR_COUNT);
  EXPECT_EQ(class_of(MPI_Get(buffer_, 8, MPI_BYTE, target_, 0, -1, MPI_BYTE, win_)), MPI_ERR_COUNT);
}

/// 2^31 - 1 of 2^31 - 1 of 8 numbers are more than 2^64 bytes.
TEST_F(InEpoch, more_bytes_than_64_bits_count_are_ERR_COUNT) {
  MPI_Datatype few = MPI_DATATYPE_NULL, many = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(8, MPI_INT64_T, &few);
  MPI_Type_vector(INT32_MAX, 1, 0, few, &many);
  MPI_Type_commit(&many);
  EXPECT_EQ(class_of(MPI_Put(buffer_, INT32_MAX, many, target_, 0, 8, MPI_BYTE, win_)), MPI_ERR_COUNT);
  EXPECT_EQ(class_of(MPI_Put(buffer_, 8, MPI_BYTE, target_, 0, INT32_MAX, many, win_)), MPI_ERR_COUNT);
  MPI_Type_free(&few);
  MPI_Type_free(&many);
#if MPI_VERSION >= 4
  const MPI_Count wraps_to_1 = (MPI_Count{1} << 61) + 1;
  EXPECT_EQ(class_of(MPI_Put_c(buffer_, wraps_to_1, MPI_INT64_T, target_, 0, wraps_to_1, MPI_INT64_T, win_)), MPI_ERR_COUNT);
  EXPECT_EQ(class_of(MPI_Get_c(buffer_, wraps_to_1, MPI_INT64_T, target_, 0, 1, MPI_INT64_T, win_)), MPI_ERR_COUNT);
  EXPECT_EQ(class_of(MPI_Accumulate_c(buffer_, 1, MPI_INT64_T, target_, 0, wraps_to_1, MPI_INT64_T, MPI_SUM, win_)), MPI_ERR_COUNT);
#endif
}

TEST_F(InEpoch, a_null_datatype_is_ERR_TYPE) {
  EXPECT_EQ(class_of(MPI_Put(buffer_, 1, MPI_DATATYPE_NULL, target_, 0, 1, MPI_INT, win_)), MPI_ERR_TYPE);
  EXPECT_EQ(class_of(MPI_Put(buffer_, 1, MPI_INT, target_, 0, 1, MPI_DATATYPE_NULL, win_)), MPI_ERR_TYPE);
}

TEST_F(InEpoch, a_datatype_without_commit_is_ERR_TYPE) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  EXPECT_EQ(class_of(MPI_Put(buffer_, 1, pair, target_, 0, 2, MPI_INT, win_)), MPI_ERR_TYPE);
  MPI_Type_free(&pair);
}

void add(void *in, void *inout, int *count, MPI_Datatype *) {
  for (int i = 0; i < *count; ++i) static_cast<int *>(inout)[i] += static_cast<int *>(in)[i];
}

TEST_F(InEpoch, operations_that_accumulate_does_not_allow_are_ERR_OP) {
  MPI_Op mine = MPI_OP_NULL;
  MPI_Op_create(add, 1, &mine);
  EXPECT_EQ(class_of(MPI_Accumulate(buffer_, 1, MPI_INT, target_, 0, 1, MPI_INT, mine, win_)), MPI_ERR_OP);
  EXPECT_EQ(class_of(MPI_Accumulate(buffer_, 1, MPI_INT, target_, 0, 1, MPI_INT, MPI_NO_OP, win_)), MPI_ERR_OP);
  EXPECT_EQ(class_of(MPI_Accumulate(buffer_, 1, MPI_DOUBLE, target_, 0, 1, MPI_DOUBLE, MPI_BAND, win_)), MPI_ERR_OP);
  EXPECT_EQ(class_of(MPI_Accumulate(buffer_, 1, MPI_INT, target_, 0, 1, MPI_INT, MPI_SUM, win_)), MPI_SUCCESS);
  MPI_Op_free(&mine);
}

TEST_F(InEpoch, compare_and_swap_of_a_floating_type_is_ERR_TYPE) {
  double a = 0, b = 0, old = 0;
  EXPECT_EQ(class_of(MPI_Compare_and_swap(&a, &b, &old, MPI_DOUBLE, target_, 0, win_)), MPI_ERR_TYPE);
}

TEST_F(InEpoch, fetch_and_op_of_none_or_several_elements_is_ERR_TYPE) {
  int value = 1, old = 2;
  for (const int elements : {0, 2}) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(elements, MPI_INT, &type);
    MPI_Type_commit(&type);
    EXPECT_EQ(class_of(MPI_Fetch_and_op(&value, &old, type, target_, 0, MPI_SUM, win_)), MPI_ERR_TYPE);
    MPI_Type_free(&type);
  }
  EXPECT_EQ(old, 2);
}

TEST_F(InEpoch, other_synchronisation_is_ERR_RMA_SYNC) {
  EXPECT_EQ(class_of(MPI_Win_fence(0, win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_lock(MPI_LOCK_SHARED, target_, 0, win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_lock_all(0, win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_unlock(target_, win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_complete(win_)), MPI_ERR_RMA_SYNC);
}

TEST_F(InEpoch, a_window_cannot_be_freed) {
  MPI_Win copy = win_;
  EXPECT_EQ(class_of(MPI_Win_free(&copy)), MPI_ERR_RMA_SYNC);
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_F(MpiRmaErrors, operations_outside_an_epoch_are_ERR_RMA_SYNC) {
  std::int64_t number = 0, old = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_EQ(put(target_, 0, 8), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Get(buffer_, 8, MPI_BYTE, target_, 0, 8, MPI_BYTE, win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Accumulate(&number, 1, MPI_INT64_T, target_, 0, 1, MPI_INT64_T, MPI_SUM, win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Fetch_and_op(&number, &old, MPI_INT64_T, target_, 0, MPI_SUM, win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Rput(buffer_, 8, MPI_BYTE, target_, 0, 8, MPI_BYTE, win_, &request)), MPI_ERR_RMA_SYNC);
}

TEST_F(MpiRmaErrors, an_end_without_a_beginning_is_ERR_RMA_SYNC) {
  int done = 0;
  EXPECT_EQ(class_of(MPI_Win_unlock(target_, win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_unlock_all(win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_complete(win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_wait(win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_test(win_, &done)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_flush(target_, win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_flush_all(win_)), MPI_ERR_RMA_SYNC);
}

TEST_F(MpiRmaErrors, a_second_lock_of_the_same_target_is_ERR_RMA_SYNC) {
  ASSERT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, target_, 0, win_), MPI_SUCCESS);
  EXPECT_EQ(class_of(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target_, 0, win_)), MPI_ERR_RMA_SYNC);
  if (size_ > 1) {
    EXPECT_EQ(put((target_ + 1) % size_, 0, 8), MPI_ERR_RMA_SYNC) << "no lock of this rank is held";
  }
  EXPECT_EQ(MPI_Win_unlock(target_, win_), MPI_SUCCESS);
}

TEST_F(MpiRmaErrors, wrong_arguments_of_locks_have_their_classes) {
  EXPECT_EQ(class_of(MPI_Win_lock(MPI_LOCK_SHARED + MPI_LOCK_EXCLUSIVE + 77, target_, 0, win_)), MPI_ERR_LOCKTYPE);
  EXPECT_EQ(class_of(MPI_Win_lock(MPI_LOCK_SHARED, size_, 0, win_)), MPI_ERR_RANK);
  EXPECT_EQ(class_of(MPI_Win_unlock(size_, win_)), MPI_ERR_RANK);
}

TEST_F(MpiRmaErrors, a_null_window_is_ERR_WIN) {
  EXPECT_EQ(class_of(MPI_Win_fence(0, MPI_WIN_NULL)), MPI_ERR_WIN);
  EXPECT_EQ(class_of(MPI_Put(buffer_, 1, MPI_BYTE, target_, 0, 1, MPI_BYTE, MPI_WIN_NULL)), MPI_ERR_WIN);
}

TEST_F(MpiRmaErrors, only_dynamic_windows_take_attachments) {
  EXPECT_EQ(class_of(MPI_Win_attach(win_, buffer_, sizeof buffer_)), MPI_ERR_RMA_FLAVOR);
  EXPECT_EQ(class_of(MPI_Win_detach(win_, buffer_)), MPI_ERR_RMA_FLAVOR);
}

/// More regions than the list of attachments has room for. Windows of several nodes take no more.
TEST_F(MpiRmaErrors, memory_that_is_not_attached_cannot_be_detached) {
  MPI_Win dynamic = MPI_WIN_NULL;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
  const bool several_nodes = std::getenv("HALOCLINE_FAKE_NODES") != nullptr;
  std::vector<std::int64_t> mine(several_nodes ? 500 : 600), other(1);
  for (std::int64_t &one : mine) ASSERT_EQ(MPI_Win_attach(dynamic, &one, 8), MPI_SUCCESS);
  if (several_nodes) {
    EXPECT_EQ(class_of(MPI_Win_attach(dynamic, other.data(), 8)), MPI_ERR_RMA_ATTACH);
  }
  EXPECT_EQ(class_of(MPI_Win_detach(dynamic, other.data())), MPI_ERR_ARG);
  for (std::int64_t &one : mine) EXPECT_EQ(MPI_Win_detach(dynamic, &one), MPI_SUCCESS);
  EXPECT_EQ(class_of(MPI_Win_detach(dynamic, &mine.back())), MPI_ERR_ARG);
  MPI_Win_free(&dynamic);
}

TEST_F(MpiRmaErrors, memory_that_is_not_attached_is_ERR_RMA_RANGE) {
  MPI_Win dynamic = MPI_WIN_NULL;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
  std::vector<std::int64_t> mine(16);
  ASSERT_EQ(MPI_Win_attach(dynamic, mine.data(), 128), MPI_SUCCESS);
  MPI_Aint base = 0;
  MPI_Get_address(mine.data(), &base);
  std::vector<MPI_Aint> bases(static_cast<std::size_t>(size_));
  MPI_Allgather(&base, 1, MPI_AINT, bases.data(), 1, MPI_AINT, MPI_COMM_WORLD);
  const MPI_Aint there = bases[static_cast<std::size_t>(target_)];
  MPI_Win_lock_all(0, dynamic);
  EXPECT_EQ(class_of(MPI_Put(buffer_, 8, MPI_BYTE, target_, there + 124, 8, MPI_BYTE, dynamic)), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(class_of(MPI_Put(buffer_, 8, MPI_BYTE, target_, 64, 8, MPI_BYTE, dynamic)), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(class_of(MPI_Put(buffer_, 8, MPI_BYTE, target_, there + 120, 8, MPI_BYTE, dynamic)), MPI_SUCCESS);
  MPI_Win_unlock_all(dynamic);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(MPI_Win_detach(dynamic, mine.data()), MPI_SUCCESS);
  MPI_Win_free(&dynamic);
}

int handled_class = MPI_SUCCESS;
MPI_Win handled_window = MPI_WIN_NULL;

void handle(MPI_Win *win, int *code, ...) {
  handled_class = class_of(*code);
  handled_window = *win;
}

TEST_F(MpiRmaErrors, the_users_error_handler_is_called_with_the_window) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Win_create_errhandler(handle, &handler);
  MPI_Win_set_errhandler(win_, handler);
  EXPECT_EQ(class_of(MPI_Win_unlock(target_, win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(handled_class, MPI_ERR_RMA_SYNC);
  EXPECT_EQ(handled_window, win_);
  MPI_Win_set_errhandler(win_, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
}

TEST_F(MpiRmaErrors, a_communicator_of_two_groups_is_ERR_COMM) {
  if (size_ < 2) GTEST_SKIP() << "needs two groups of ranks";
  MPI_Comm half = MPI_COMM_NULL, both = MPI_COMM_NULL;
  MPI_Win win = MPI_WIN_NULL;
  void *base = nullptr;
  const bool low = rank_ < size_ / 2;
  MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, rank_, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? size_ / 2 : 0, 1, &both);
  MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
  EXPECT_EQ(class_of(MPI_Win_create(buffer_, 8, 1, MPI_INFO_NULL, both, &win)), MPI_ERR_COMM);
  EXPECT_EQ(class_of(MPI_Win_allocate(8, 1, MPI_INFO_NULL, both, &base, &win)), MPI_ERR_COMM);
  EXPECT_EQ(class_of(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, both, &base, &win)), MPI_ERR_COMM);
  EXPECT_EQ(class_of(MPI_Win_create_dynamic(MPI_INFO_NULL, both, &win)), MPI_ERR_COMM);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

TEST_F(MpiRmaErrors, wrong_sizes_and_units_have_their_classes) {
  MPI_Win win = MPI_WIN_NULL;
  EXPECT_EQ(class_of(MPI_Win_create(buffer_, -8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win)), MPI_ERR_SIZE);
  EXPECT_EQ(class_of(MPI_Win_create(buffer_, 8, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win)), MPI_ERR_DISP);
}

}  // namespace
