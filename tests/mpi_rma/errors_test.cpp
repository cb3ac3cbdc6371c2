// What wrong calls of MPI RMA answer: the error class that the standard names, through the window's error handler. The window works
// afterwards. Source: MPI 4.1, sections 12.6 and 12.7.
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_rma/wrong_calls.hpp"

#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

namespace wrong_calls {
namespace {

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

/// The table of types and operations of MPI 4.1, section 6.9.2, in each call that takes an operation.
TEST_F(InEpoch, operations_that_are_not_defined_for_the_type_are_ERR_OP) {
  const auto classes = [&](MPI_Datatype type, MPI_Op op) {
    alignas(16) char given[16] = {}, old[16] = {};
    const std::set<int> all{class_of(MPI_Accumulate(given, 1, type, target_, 0, 1, type, op, win_)),
                            class_of(MPI_Get_accumulate(given, 1, type, old, 1, type, target_, 0, 1, type, op, win_)),
                            class_of(MPI_Fetch_and_op(given, old, type, target_, 0, op, win_))};
    MPI_Win_flush(target_, win_);
    return all;
  };
  const std::set<int> right{MPI_SUCCESS}, wrong{MPI_ERR_OP};
  for (const MPI_Op op : {MPI_LAND, MPI_LOR, MPI_LXOR}) {
    for (const MPI_Datatype type : {MPI_INT, MPI_UNSIGNED_SHORT, MPI_LOGICAL, MPI_C_BOOL}) EXPECT_EQ(classes(type, op), right);
    for (const MPI_Datatype type : {MPI_INTEGER, MPI_AINT, MPI_OFFSET, MPI_COUNT, MPI_DOUBLE, MPI_BYTE, MPI_DOUBLE_COMPLEX, MPI_2INT})
      EXPECT_EQ(classes(type, op), wrong);
  }
  for (const MPI_Op op : {MPI_SUM, MPI_PROD}) {
    for (const MPI_Datatype type : {MPI_INTEGER, MPI_AINT, MPI_DOUBLE, MPI_DOUBLE_COMPLEX}) EXPECT_EQ(classes(type, op), right);
    for (const MPI_Datatype type : {MPI_LOGICAL, MPI_C_BOOL, MPI_BYTE, MPI_CHARACTER, MPI_2INT}) EXPECT_EQ(classes(type, op), wrong);
  }
  for (const MPI_Datatype type : {MPI_INTEGER, MPI_COUNT, MPI_REAL}) EXPECT_EQ(classes(type, MPI_MAX), right);
  for (const MPI_Datatype type : {MPI_LOGICAL, MPI_BYTE, MPI_COMPLEX}) EXPECT_EQ(classes(type, MPI_MIN), wrong);
  for (const MPI_Datatype type : {MPI_INTEGER, MPI_OFFSET, MPI_BYTE}) EXPECT_EQ(classes(type, MPI_BXOR), right);
  for (const MPI_Datatype type : {MPI_LOGICAL, MPI_REAL, MPI_C_BOOL}) EXPECT_EQ(classes(type, MPI_BAND), wrong);
  EXPECT_EQ(classes(MPI_2INT, MPI_MINLOC), right);
  EXPECT_EQ(classes(MPI_INTEGER, MPI_MAXLOC), wrong);
}

TEST_F(InEpoch, compare_and_swap_is_defined_for_integers_logicals_and_bytes) {
  alignas(16) char given[16] = {}, expected[16] = {}, old[16] = {};
  for (const MPI_Datatype type : {MPI_INT, MPI_INTEGER, MPI_LOGICAL, MPI_AINT, MPI_BYTE, MPI_C_BOOL})
    EXPECT_EQ(class_of(MPI_Compare_and_swap(given, expected, old, type, target_, 0, win_)), MPI_SUCCESS);
  for (const MPI_Datatype type : {MPI_REAL, MPI_COMPLEX, MPI_2INT, MPI_CHARACTER})
    EXPECT_EQ(class_of(MPI_Compare_and_swap(given, expected, old, type, target_, 0, win_)), MPI_ERR_TYPE);
  MPI_Win_flush(target_, win_);
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

/// More regions than the list of attachments has room for.
TEST_F(MpiRmaErrors, memory_that_is_not_attached_cannot_be_detached) {
  MPI_Win dynamic = MPI_WIN_NULL;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
  std::vector<std::int64_t> mine(600), other(1);
  for (std::int64_t &one : mine) ASSERT_EQ(MPI_Win_attach(dynamic, &one, 8), MPI_SUCCESS);
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

/// The arguments of any one-sided access.
struct Arguments {
  int target;
  MPI_Aint displacement = 0;
  int count = 1;
  MPI_Datatype type = MPI_INT64_T, target_type = MPI_INT64_T;
  int target_count = 1;
  MPI_Op op = MPI_SUM;
};

using Function = int (*)(const Arguments &arguments, MPI_Win win);

std::int64_t numbers[32], results[32];
MPI_Request last_request = MPI_REQUEST_NULL;

int finished(int code) {
  if (code == MPI_SUCCESS) MPI_Wait(&last_request, MPI_STATUS_IGNORE);
  return code;
}

struct Named {
  const char *name;
  Function call;
  bool has_counts, has_op;
};

const Named functions[] = {
    {"MPI_Put",
     [](const Arguments &a, MPI_Win win) {
       return MPI_Put(numbers, a.count, a.type, a.target, a.displacement, a.target_count, a.target_type, win);
     },
     true, false},
    {"MPI_Get",
     [](const Arguments &a, MPI_Win win) {
       return MPI_Get(results, a.count, a.type, a.target, a.displacement, a.target_count, a.target_type, win);
     },
     true, false},
    {"MPI_Rput",
     [](const Arguments &a, MPI_Win win) {
       return finished(MPI_Rput(numbers, a.count, a.type, a.target, a.displacement, a.target_count, a.target_type, win, &last_request));
     },
     true, false},
    {"MPI_Rget",
     [](const Arguments &a, MPI_Win win) {
       return finished(MPI_Rget(results, a.count, a.type, a.target, a.displacement, a.target_count, a.target_type, win, &last_request));
     },
     true, false},
    {"MPI_Accumulate",
     [](const Arguments &a, MPI_Win win) {
       return MPI_Accumulate(numbers, a.count, a.type, a.target, a.displacement, a.target_count, a.target_type, a.op, win);
     },
     true, true},
    {"MPI_Raccumulate",
     [](const Arguments &a, MPI_Win win) {
       return finished(
           MPI_Raccumulate(numbers, a.count, a.type, a.target, a.displacement, a.target_count, a.target_type, a.op, win, &last_request));
     },
     true, true},
    {"MPI_Get_accumulate",
     [](const Arguments &a, MPI_Win win) {
       return MPI_Get_accumulate(numbers, a.count, a.type, results, a.count, a.type, a.target, a.displacement, a.target_count,
                                 a.target_type, a.op, win);
     },
     true, true},
    {"MPI_Rget_accumulate",
     [](const Arguments &a, MPI_Win win) {
       return finished(MPI_Rget_accumulate(numbers, a.count, a.type, results, a.count, a.type, a.target, a.displacement, a.target_count,
                                           a.target_type, a.op, win, &last_request));
     },
     true, true},
    {"MPI_Fetch_and_op",
     [](const Arguments &a, MPI_Win win) { return MPI_Fetch_and_op(numbers, results, a.target_type, a.target, a.displacement, a.op, win); },
     false, true},
    {"MPI_Compare_and_swap",
     [](const Arguments &a, MPI_Win win) {
       return MPI_Compare_and_swap(numbers, numbers, results, a.target_type, a.target, a.displacement, win);
     },
     false, false},
};

/// Every access function with each kind of wrong argument.
TEST_F(InEpoch, each_access_names_each_wrong_argument) {
  MPI_Datatype bare = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT64_T, &bare);
  const auto wrong = [&](const Named &function, const char *what, Arguments arguments, int expected) {
    EXPECT_EQ(class_of(function.call(arguments, win_)), expected) << function.name << ", " << what;
  };
  for (const Named &function : functions) {
    Arguments right{target_};
    wrong(function, "nothing", right, MPI_SUCCESS);
    wrong(function, "the process MPI_PROC_NULL", {MPI_PROC_NULL}, MPI_SUCCESS);
    wrong(function, "rank", {size_}, MPI_ERR_RANK);
    wrong(function, "negative rank", {-77}, MPI_ERR_RANK);
    wrong(function, "displacement", {target_, -8}, MPI_ERR_DISP);
    wrong(function, "range", {target_, kBytes - 7}, MPI_ERR_RMA_RANGE);
    wrong(function, "range that overflows", {target_, INT64_MAX - 3}, MPI_ERR_RMA_RANGE);
    Arguments changed = right;
    changed.target_type = MPI_DATATYPE_NULL;
    wrong(function, "target datatype", changed, MPI_ERR_TYPE);
    changed.target_type = bare;
    wrong(function, "target datatype without commit", changed, MPI_ERR_TYPE);
    if (function.has_counts) {
      changed = right, changed.type = MPI_DATATYPE_NULL;
      wrong(function, "datatype", changed, MPI_ERR_TYPE);
      changed = right, changed.count = -1;
      wrong(function, "count", changed, MPI_ERR_COUNT);
      changed = right, changed.target_count = -1;
      wrong(function, "target count", changed, MPI_ERR_COUNT);
      changed = right, changed.target_count = 2;
      wrong(function, "counts that differ", changed, MPI_ERR_TRUNCATE);
    }
    if (function.has_op) {
      changed = right, changed.op = MPI_OP_NULL;
      wrong(function, "operation", changed, MPI_ERR_OP);
    }
  }
  MPI_Type_free(&bare);
}

TEST_F(InEpoch, operations_on_single_elements_take_single_elements) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  EXPECT_EQ(class_of(MPI_Fetch_and_op(numbers, results, pair, target_, 0, MPI_SUM, win_)), MPI_ERR_TYPE);
  EXPECT_EQ(class_of(MPI_Compare_and_swap(numbers, numbers, results, pair, target_, 0, win_)), MPI_ERR_TYPE);
  MPI_Type_free(&pair);
}

TEST_F(MpiRmaErrors, each_access_outside_an_epoch_is_ERR_RMA_SYNC) {
  for (const Named &function : functions) {
    EXPECT_EQ(class_of(function.call({target_}, win_)), MPI_ERR_RMA_SYNC) << function.name;
    EXPECT_EQ(class_of(function.call({target_}, MPI_WIN_NULL)), MPI_ERR_WIN) << function.name;
  }
}

TEST_F(MpiRmaErrors, requests_need_a_passive_target) {
  MPI_Win_fence(0, win_);
  for (const Named &function : functions) {
    const bool has_request = std::strncmp(function.name, "MPI_R", 5) == 0;
    EXPECT_EQ(class_of(function.call({target_}, win_)), has_request ? MPI_ERR_RMA_SYNC : MPI_SUCCESS) << function.name;
    MPI_Win_fence(0, win_);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win_);
}

TEST_F(MpiRmaErrors, bits_that_are_no_assertion_are_ERR_ASSERT) {
  constexpr int bad = 1 << 30;
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Win_get_group(win_, &all);
  EXPECT_EQ(class_of(MPI_Win_fence(bad, win_)), MPI_ERR_ASSERT);
  EXPECT_EQ(class_of(MPI_Win_lock(MPI_LOCK_SHARED, target_, bad, win_)), MPI_ERR_ASSERT);
  EXPECT_EQ(class_of(MPI_Win_lock_all(bad, win_)), MPI_ERR_ASSERT);
  EXPECT_EQ(class_of(MPI_Win_start(all, bad, win_)), MPI_ERR_ASSERT);
  EXPECT_EQ(class_of(MPI_Win_post(all, bad, win_)), MPI_ERR_ASSERT);
  MPI_Group_free(&all);
}

TEST_F(MpiRmaErrors, groups_that_are_not_of_the_window_are_ERR_GROUP) {
  EXPECT_EQ(class_of(MPI_Win_start(MPI_GROUP_NULL, 0, win_)), MPI_ERR_GROUP);
  EXPECT_EQ(class_of(MPI_Win_post(MPI_GROUP_NULL, 0, win_)), MPI_ERR_GROUP);
  MPI_Win alone = MPI_WIN_NULL;
  char *data = nullptr;
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Win_get_group(win_, &all);
  MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &data, &alone);
  MPI_Win_set_errhandler(alone, MPI_ERRORS_RETURN);
  if (size_ > 1) {
    EXPECT_EQ(class_of(MPI_Win_start(all, 0, alone)), MPI_ERR_GROUP);
    EXPECT_EQ(class_of(MPI_Win_post(all, 0, alone)), MPI_ERR_GROUP);
  }
  MPI_Win_free(&alone);
  MPI_Group_free(&all);
}

TEST_F(MpiRmaErrors, ranks_of_synchronisation_are_ERR_RANK) {
  MPI_Aint bytes = 0;
  int unit = 0;
  void *base = nullptr;
  MPI_Win_lock_all(0, win_);
  EXPECT_EQ(class_of(MPI_Win_flush(size_, win_)), MPI_ERR_RANK);
  EXPECT_EQ(class_of(MPI_Win_flush_local(-9, win_)), MPI_ERR_RANK);
  EXPECT_EQ(class_of(MPI_Win_shared_query(win_, size_, &bytes, &unit, &base)), MPI_ERR_RANK);
  MPI_Win_unlock_all(win_);
}

TEST_F(MpiRmaErrors, every_function_refuses_a_null_window) {
  int done = 0;
  void *value = nullptr;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Win none = MPI_WIN_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  const std::pair<const char *, int> answers[] = {
      {"unlock", MPI_Win_unlock(target_, none)},
      {"lock", MPI_Win_lock(MPI_LOCK_SHARED, target_, 0, none)},
      {"lock_all", MPI_Win_lock_all(0, none)},
      {"unlock_all", MPI_Win_unlock_all(none)},
      {"flush", MPI_Win_flush(target_, none)},
      {"flush_all", MPI_Win_flush_all(none)},
      {"flush_local", MPI_Win_flush_local(target_, none)},
      {"flush_local_all", MPI_Win_flush_local_all(none)},
      {"sync", MPI_Win_sync(none)},
      {"start", MPI_Win_start(group, 0, none)},
      {"post", MPI_Win_post(group, 0, none)},
      {"complete", MPI_Win_complete(none)},
      {"wait", MPI_Win_wait(none)},
      {"test", MPI_Win_test(none, &done)},
      {"attach", MPI_Win_attach(none, buffer_, 8)},
      {"detach", MPI_Win_detach(none, buffer_)},
      {"get_attr", MPI_Win_get_attr(none, MPI_WIN_BASE, &value, &done)},
      {"free", MPI_Win_free(&none)},
  };
  for (const auto &[name, code] : answers) EXPECT_EQ(class_of(code), MPI_ERR_WIN) << name;
  MPI_Group_free(&group);
}

TEST_F(MpiRmaErrors, epochs_of_post_and_start_have_their_order) {
  MPI_Group self = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_SELF, &self);
  ASSERT_EQ(MPI_Win_post(self, 0, win_), MPI_SUCCESS);
  EXPECT_EQ(class_of(MPI_Win_post(self, 0, win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_fence(0, win_)), MPI_ERR_RMA_SYNC);
  ASSERT_EQ(MPI_Win_start(self, 0, win_), MPI_SUCCESS);
  EXPECT_EQ(class_of(MPI_Win_start(self, 0, win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_lock(MPI_LOCK_SHARED, target_, 0, win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_lock_all(0, win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_lock(MPI_LOCK_SHARED, rank_, 0, win_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_flush(rank_, win_)), MPI_ERR_RMA_SYNC);
  if (size_ > 1) {
    EXPECT_EQ(put(target_, 0, 8), MPI_ERR_RMA_SYNC) << "the epoch is not with this rank";
  }
  EXPECT_EQ(put(rank_, 0, 8), MPI_SUCCESS);
  EXPECT_EQ(MPI_Win_complete(win_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Win_wait(win_), MPI_SUCCESS);
  MPI_Group_free(&self);
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
}  // namespace wrong_calls
