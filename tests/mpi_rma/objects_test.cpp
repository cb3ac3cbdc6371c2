// What windows have beside memory: attributes, names, info, error handlers. And what they leave alone of the program's own objects.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <mpi.h>

#include <cstdint>
#include <cstring>

#include "support/mpi_test.hpp"

namespace {

using halocline::test::rank;
using halocline::test::size;

int next() { return (rank() + 1) % size(); }

/// A window of eight numbers per rank.
class Eight {
 public:
  explicit Eight(MPI_Comm comm = MPI_COMM_WORLD, MPI_Info info = MPI_INFO_NULL) {
    MPI_Win_allocate(64, 8, info, comm, &mine, &win);
    std::memset(mine, 0, 64);
    MPI_Barrier(comm);
  }
  ~Eight() {
    if (win != MPI_WIN_NULL) MPI_Win_free(&win);
  }
  Eight(const Eight &) = delete;
  Eight &operator=(const Eight &) = delete;

  /// Puts this rank's number to the next rank, in a fence epoch, and looks at what has arrived.
  void expect_that_it_works() const {
    const std::int64_t number = 100 + rank();
    MPI_Win_fence(0, win);
    MPI_Put(&number, 1, MPI_INT64_T, next(), 0, 1, MPI_INT64_T, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    EXPECT_EQ(mine[0], 100 + (rank() + size() - 1) % size());
  }

  std::int64_t *mine = nullptr;
  MPI_Win win = MPI_WIN_NULL;
};

int copies = 0, deletions = 0;

int copy_attribute(MPI_Comm, int, void *, void *in, void *out, int *flag) {
  copies += 1;
  std::memcpy(out, &in, sizeof in);
  *flag = 1;
  return MPI_SUCCESS;
}

int delete_attribute(MPI_Comm, int, void *, void *) {
  deletions += 1;
  return MPI_SUCCESS;
}

TEST(MpiObjects, attributes_of_communicators_are_not_copied) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, nullptr);
  MPI_Comm_set_attr(comm, key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  copies = deletions = 0;
  {
    const Eight eight(comm);
    eight.expect_that_it_works();
  }
  EXPECT_EQ(copies, 0);
  EXPECT_EQ(deletions, 0);
  MPI_Comm_delete_attr(MPI_COMM_SELF, key);
  MPI_Comm_free(&comm);
  EXPECT_EQ(deletions, 2);
  MPI_Comm_free_keyval(&key);
}

/// What the Fortran bindings of this MPI call.
bool ask_as_fortran(MPI_Win win, int key, MPI_Aint *value) {
  int flag = 0;
#ifdef OPEN_MPI
  using Ask = void (*)(MPI_Fint *, MPI_Fint *, MPI_Aint *, int *, MPI_Fint *);
  const auto ask = reinterpret_cast<Ask>(dlsym(RTLD_DEFAULT, "mpi_win_get_attr_"));
  MPI_Fint handle = MPI_Win_c2f(win), error = 0;
  if (ask) ask(&handle, &key, value, &flag, &error);
#else
  using Ask = int (*)(MPI_Win, int, void *, int *, int);
  constexpr int kInteger = 1;
  const auto ask = reinterpret_cast<Ask>(dlsym(RTLD_DEFAULT, "MPII_Win_get_attr"));
  if (ask) ask(win, key, value, &flag, kInteger);
#endif
  return ask && flag;
}

TEST(MpiObjects, attributes_of_windows_are_integers_in_fortran) {
  const Eight eight;
  MPI_Aint value = -1, base = 0;
  if (!ask_as_fortran(eight.win, MPI_WIN_SIZE, &value)) GTEST_SKIP() << "no Fortran bindings of this MPI are known";
  EXPECT_EQ(value, 64);
  MPI_Get_address(eight.mine, &base);
  EXPECT_TRUE(ask_as_fortran(eight.win, MPI_WIN_BASE, &value));
  EXPECT_EQ(value, base);
  EXPECT_TRUE(ask_as_fortran(eight.win, MPI_WIN_DISP_UNIT, &value));
  EXPECT_EQ(value, 8);
  EXPECT_TRUE(ask_as_fortran(eight.win, MPI_WIN_CREATE_FLAVOR, &value));
  EXPECT_EQ(value, MPI_WIN_FLAVOR_ALLOCATE);
  EXPECT_TRUE(ask_as_fortran(eight.win, MPI_WIN_MODEL, &value));
  EXPECT_EQ(value, MPI_WIN_UNIFIED);
}

TEST(MpiObjects, hints_are_taken_and_told) {
  MPI_Info given = MPI_INFO_NULL, told = MPI_INFO_NULL;
  MPI_Info_create(&given);
  for (const char *key : {"no_locks", "same_size", "same_disp_unit"}) MPI_Info_set(given, key, "true");
  MPI_Info_set(given, "accumulate_ordering", "none");
  MPI_Info_set(given, "accumulate_ops", "same_op");
  MPI_Info_set(given, "no_such_key", "1");
  const Eight eight(MPI_COMM_WORLD, given);
  eight.expect_that_it_works();
  EXPECT_EQ(MPI_Win_set_info(eight.win, given), MPI_SUCCESS);
  EXPECT_EQ(MPI_Win_get_info(eight.win, &told), MPI_SUCCESS);
  EXPECT_NE(told, MPI_INFO_NULL);
  MPI_Info_free(&told);
  MPI_Info_free(&given);
}

int handled = 0;

void count_errors(MPI_Win *, int *, ...) { handled += 1; }

void unlock_what_is_not_locked(MPI_Win win) { MPI_Win_unlock(rank(), win); }

TEST(MpiObjects, error_handlers_outlive_their_handles_and_serve_several_windows) {
  const Eight one, two;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL, again = MPI_ERRHANDLER_NULL;
  MPI_Win_get_errhandler(one.win, &again);
  EXPECT_EQ(again, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&again);
  MPI_Win_create_errhandler(count_errors, &handler);
  MPI_Win_set_errhandler(one.win, handler);
  MPI_Errhandler_free(&handler);
  MPI_Win_get_errhandler(one.win, &again);
  MPI_Win_set_errhandler(two.win, again);
  MPI_Errhandler_free(&again);
  handled = 0;
  unlock_what_is_not_locked(one.win);
  unlock_what_is_not_locked(two.win);
  EXPECT_EQ(handled, 2);
  MPI_Win_set_errhandler(two.win, MPI_ERRORS_RETURN);
  unlock_what_is_not_locked(two.win);
  EXPECT_EQ(handled, 2);
  MPI_Win_call_errhandler(one.win, MPI_ERR_OTHER);
  EXPECT_EQ(handled, 3);
  one.expect_that_it_works();
  two.expect_that_it_works();
}

void access_nobody(MPI_Win win) {
  std::int64_t a = 1, b = 2, c = 3;
  constexpr int kNobody = MPI_PROC_NULL;
  MPI_Request requests[4];
  EXPECT_EQ(MPI_Put(&a, 1, MPI_INT64_T, kNobody, 0, 1, MPI_INT64_T, win), MPI_SUCCESS);
  EXPECT_EQ(MPI_Get(&a, 1, MPI_INT64_T, kNobody, 99, 1, MPI_INT64_T, win), MPI_SUCCESS);
  EXPECT_EQ(MPI_Accumulate(&a, 1, MPI_INT64_T, kNobody, 0, 1, MPI_INT64_T, MPI_SUM, win), MPI_SUCCESS);
  EXPECT_EQ(MPI_Get_accumulate(&a, 1, MPI_INT64_T, &b, 1, MPI_INT64_T, kNobody, 0, 1, MPI_INT64_T, MPI_SUM, win), MPI_SUCCESS);
  EXPECT_EQ(MPI_Fetch_and_op(&a, &b, MPI_INT64_T, kNobody, 0, MPI_SUM, win), MPI_SUCCESS);
  EXPECT_EQ(MPI_Compare_and_swap(&a, &c, &b, MPI_INT64_T, kNobody, 0, win), MPI_SUCCESS);
  EXPECT_EQ(MPI_Rput(&a, 1, MPI_INT64_T, kNobody, 0, 1, MPI_INT64_T, win, &requests[0]), MPI_SUCCESS);
  EXPECT_EQ(MPI_Rget(&a, 1, MPI_INT64_T, kNobody, 0, 1, MPI_INT64_T, win, &requests[1]), MPI_SUCCESS);
  EXPECT_EQ(MPI_Raccumulate(&a, 1, MPI_INT64_T, kNobody, 0, 1, MPI_INT64_T, MPI_SUM, win, &requests[2]), MPI_SUCCESS);
  EXPECT_EQ(MPI_Rget_accumulate(&a, 1, MPI_INT64_T, &b, 1, MPI_INT64_T, kNobody, 0, 1, MPI_INT64_T, MPI_SUM, win, &requests[3]),
            MPI_SUCCESS);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  EXPECT_TRUE(a == 1 && b == 2 && c == 3) << "accesses to MPI_PROC_NULL change nothing";
}

TEST(MpiObjects, MPI_PROC_NULL_is_a_target_of_every_access) {
  const Eight eight;
  MPI_Win_lock_all(0, eight.win);
  access_nobody(eight.win);
  MPI_Win_unlock_all(eight.win);
  eight.expect_that_it_works();
}

TEST(MpiObjects, windows_need_no_memory) {
  std::int64_t number = 0;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  EXPECT_EQ(MPI_Put(&number, 0, MPI_INT64_T, next(), 0, 0, MPI_INT64_T, win), MPI_SUCCESS);
  EXPECT_EQ(MPI_Put(nullptr, 0, MPI_BYTE, next(), 0, 0, MPI_BYTE, win), MPI_SUCCESS);
  EXPECT_EQ(MPI_Accumulate(nullptr, 0, MPI_INT, next(), 0, 0, MPI_INT, MPI_SUM, win), MPI_SUCCESS);
  MPI_Win_fence(0, win);
  void *base = &number;
  int has = 0;
  MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &has);
  EXPECT_TRUE(has);
  EXPECT_EQ(base, nullptr);
  MPI_Win_free(&win);
}

}  // namespace
