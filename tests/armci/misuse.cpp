// Rank 0 makes the wrong call that the argument names. It either returns a code, which is printed, or ends all ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

extern "C" {
#include <armci.h>
#include <armcix.h>
}

#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

namespace {

long words[512];
int strides[10] = {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
int counts[10] = {8, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/// Calls of functions that return no code, with null pointers and the like.
void make_call_without_code(const char *name) {
  const auto is = [&](const char *way) { return std::strcmp(way, name) == 0; };
  if (is("rank_of_no_group")) ARMCI_Group_rank(nullptr, counts);
  if (is("size_of_no_group")) ARMCI_Group_size(nullptr, counts);
  if (is("no_default")) ARMCI_Group_get_default(nullptr);
  if (is("no_world")) ARMCI_Group_get_world(nullptr);
  if (is("aggregate_no_handle")) ARMCI_SET_AGGREGATE_HANDLE(nullptr);
  if (is("no_set_of_locks")) ARMCIX_Lock_hdl(nullptr, 0, 0);
  if (is("tree_no_place")) armci_msg_bintree(SCOPE_ALL, counts, nullptr, counts, counts);
  if (is("pack_levels")) armci_write_strided(words, -1, strides, counts, reinterpret_cast<char *>(words));
  if (is("pack_no_buffer")) armci_read_strided(words, 0, strides, counts, nullptr);
  if (is("copy_nothing")) ARMCI_Copy(words, nullptr, 8);
  if (is("abort")) armci_msg_abort(6);
}

/// Returns the code of the call, or 0 if it has none.
int make_wrong_call(const char *name, char *theirs, int other) {
  const auto is = [&](const char *way) { return std::strcmp(way, name) == 0; };
  double scale = 1;
  make_call_without_code(name);
  if (is("put_no_rank")) return ARMCI_Put(words, theirs, 8, 77);
  if (is("get_negative_rank")) return ARMCI_Get(theirs, words, 8, -3);
  if (is("put_negative_bytes")) return ARMCI_Put(words, theirs, -8, other);
  if (is("put_no_memory")) return ARMCI_Put(words, words, 8, other);
  if (is("get_beyond")) return ARMCI_Get(theirs + 1000, words, 4000, other);
  if (is("puts_levels")) return ARMCI_PutS(words, strides, theirs, strides, counts, 9, other);
  if (is("puts_negative_levels")) return ARMCI_PutS(words, strides, theirs, strides, counts, -1, other);
  if (is("acc_type")) return ARMCI_Acc(99, &scale, words, theirs, 8, other);
  if (is("acc_part")) return ARMCI_Acc(ARMCI_ACC_DBL, &scale, words, theirs, 12, other);
  if (is("rmw_operation")) return ARMCI_Rmw(55, words, theirs, 1, other);
  if (is("rmw_no_memory")) return ARMCI_Rmw(ARMCI_FETCH_AND_ADD, words, words + 1, 1, other);
  if (is("vector_no_memory")) {
    void *from[1] = {words}, *to[1] = {words + 9};
    armci_giov_t vector;
    vector.src_ptr_array = from;
    vector.dst_ptr_array = to;
    vector.bytes = 8;
    vector.ptr_array_len = 1;
    return ARMCI_PutV(&vector, 1, other);
  }
  if (is("put_flag_no_memory")) return ARMCI_Put_flag(words, theirs, 8, reinterpret_cast<int *>(words), 1, other);
  if (is("get_value_no_memory")) return static_cast<int>(ARMCI_GetValueLong(words, other));
  if (is("nbputs_no_memory")) return ARMCI_NbPutS(words, strides, words, strides, counts, 1, other, nullptr);
  if (is("acc_no_memory")) return ARMCI_Acc(ARMCI_ACC_DBL, &scale, words, words + 1, 8, other);
  if (is("put_value_no_memory")) return ARMCI_PutValueInt(1, words, other);
  if (is("id_of_no_group")) return ARMCI_Absolute_id(nullptr, 0);
  if (is("fence_no_rank")) ARMCI_Fence(77);
  if (is("lock_no_mutexes")) ARMCI_Lock(0, other);
  if (is("unlock_unlocked")) {
    ARMCI_Create_mutexes(1);
    ARMCI_Unlock(0, other);
  }
  if (is("mutex_twice")) {
    ARMCI_Create_mutexes(1);
    if (armci_msg_me() == 0) {
      ARMCI_Lock(0, other);
      ARMCI_Lock(0, other);
    }
    ARMCI_Barrier();
  }
  if (is("mutex_of_another")) {
    ARMCI_Create_mutexes(1);
    if (armci_msg_me() == 1) ARMCI_Lock(0, other);
    ARMCI_Barrier();
    if (armci_msg_me() == 0) ARMCI_Unlock(0, other);
    ARMCI_Barrier();
  }
  if (is("lock_no_mutex")) {
    ARMCI_Create_mutexes(1);
    ARMCI_Lock(5, other);
  }
  if (is("mutexes_negative")) return ARMCI_Create_mutexes(-2);
  if (is("malloc_negative")) {
    std::vector<void *> bases(static_cast<std::size_t>(armci_msg_nproc()));
    return ARMCI_Malloc(bases.data(), -8);
  }
  if (is("free_unknown")) return ARMCI_Free(words);
  if (is("group_no_rank")) {
    int list[2] = {0, 99};
    ARMCI_Group group;
    ARMCI_Group_create(2, list, &group);
  }
  if (is("sum_operation")) {
    char op[] = "average";
    armci_msg_lgop(words, 1, op);
  }
  if (is("send_no_rank")) armci_msg_snd(1, words, 8, 77);
  if (is("free_other")) return ARMCI_Free(theirs);
  if (is("receive_own")) armci_msg_rcv(3, words, 8, nullptr, armci_msg_me());
  if (is("error")) ARMCI_Error("the program says so", 5);
  if (is("assertion")) dassertp(1, other == -1, ("other is %d\n", other));
  if (is("die")) armci_die("the program stops", 7);
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  const char *const name = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  if (std::strcmp(name, "before") == 0) ARMCI_Put(words, words + 1, 8, 0);
  ARMCI_Init();
  const int rank = armci_msg_me(), other = 1 % armci_msg_nproc();
  std::vector<void *> bases(static_cast<std::size_t>(armci_msg_nproc()));
  ARMCI_Malloc(bases.data(), 1024);
  if (std::strcmp(name, "after") == 0) {
    ARMCI_Finalize();
    ARMCI_Put(words, words + 1, 8, 0);
  }
  const bool is_collective = std::strstr(name, "mutex") != nullptr || std::strstr(name, "unlock") != nullptr ||
                             std::strstr(name, "malloc") != nullptr || std::strstr(name, "free") != nullptr ||
                             std::strstr(name, "sum") != nullptr;
  if (rank == 0 || is_collective) {
    const int code = make_wrong_call(name, static_cast<char *>(bases[static_cast<std::size_t>(other)]), other);
    if (rank == 0) std::printf("returned %d\n", code);
    std::fflush(stdout);
    // The launcher discards what it has not read when ranks are aborted.
    const timespec time{0, 300000000};
    nanosleep(&time, nullptr);
    MPI_Abort(MPI_COMM_WORLD, code == 0 ? 3 : 4);
  }
  // The others wait until rank 0 ends them.
  MPI_Barrier(MPI_COMM_WORLD);
  return 3;
}
