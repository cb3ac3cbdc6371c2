// The window on which wrong calls are tried: it works afterwards.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <cstring>

namespace wrong_calls {

/// Whether the windows are those of libhalocline_mpi. A host MPI need not find all of these mistakes; some would write to wrong addresses.
inline bool is_loaded() {
  Dl_info where{};
  return dladdr(reinterpret_cast<void *>(&MPI_Put), &where) != 0 && where.dli_fname && std::strstr(where.dli_fname, "libhalocline_mpi");
}

inline int class_of(int code) {
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

}  // namespace wrong_calls
