// Wrong calls of teams, collectives, atomics, waits and locks, named by the argument. PE 0 makes it while the others wait, or all PEs make it if its
// name says so; all must end, with one message.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#define SHMEM_NO_OVERLOADS
#include <shmem.h>

namespace {

long sync_array[SHMEM_REDUCE_SYNC_SIZE], work_array[2], lock, numbers[4];
std::uint64_t signal;
char many_bytes[32768];

/// More elements of 8 bytes than a number of bytes can say: the product is 0.
constexpr std::size_t kTooMany = std::size_t{1} << 61;

/// What is passed where a null pointer is wrong; the compiler does not see that it is one.
long *volatile none = nullptr;
std::uint64_t *volatile no_signal = nullptr;
std::size_t *volatile no_indices = nullptr;
void *volatile no_bytes = nullptr;

shmem_team_t destroyed_team() {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, nullptr, 0, &team);
  shmem_team_destroy(team);
  return team;
}

const std::map<std::string, std::function<void()>> kCalls{
    {"atomic_pe", [] { shmem_long_atomic_add(numbers, 1, 2); }},
    {"atomic_place",
     [] {
       long local = 0;
       shmem_long_atomic_fetch_add(&local, 1, 1);
     }},
    {"atomic_alignment", [] { shmem_long_atomic_inc(reinterpret_cast<long *>(reinterpret_cast<char *>(numbers) + 4), 1); }},
    {"wait_cmp", [] { shmem_long_wait_until(numbers, 9, 1); }},
    {"wait_null", [] { shmem_long_wait_until(none, SHMEM_CMP_EQ, 1); }},
    {"test_cmp", [] { shmem_long_test_any(numbers, 2, nullptr, 0, 1); }},
    {"team_invalid", [] { shmem_team_sync(SHMEM_TEAM_INVALID); }},
    {"team_null", [] { shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, nullptr, 0, nullptr); }},
    {"team_destroy", [] { shmem_team_destroy(SHMEM_TEAM_WORLD); }},
    {"all_team_destroyed", [] { shmem_team_sync(destroyed_team()); }},
    {"all_team_followed",
     [] {
       const shmem_team_t team = destroyed_team();
       for (int i = 0; i < 20; ++i) {
         shmem_team_t later = SHMEM_TEAM_INVALID;
         shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, nullptr, 0, &later);
         if (i % 2 == 0) shmem_team_destroy(later);
       }
       shmem_team_sync(team);
     }},
    {"all_team_destroyed_twice", [] { shmem_team_destroy(destroyed_team()); }},
    {"team_none", [] { shmem_team_n_pes(reinterpret_cast<shmem_team_t>(numbers)); }},
    {"fetch_null", [] { shmem_long_atomic_fetch_nbi(none, numbers, 1); }},
    {"fetch_add_null", [] { shmem_long_atomic_fetch_add_nbi(none, numbers, 1, 1); }},
    {"compare_swap_null", [] { shmem_long_atomic_compare_swap_nbi(none, numbers, 0, 1, 1); }},
    {"fetch_or_null", [] { shmem_ulong_atomic_fetch_or_nbi(no_signal, &signal, 1, 1); }},
    {"wait_some_null", [] { shmem_long_wait_until_some(numbers, 2, no_indices, nullptr, SHMEM_CMP_EQ, 0); }},
    {"test_some_null", [] { shmem_long_test_some_vector(numbers, 2, no_indices, nullptr, SHMEM_CMP_EQ, numbers); }},
    {"wait_vector_null", [] { shmem_long_wait_until_all_vector(numbers, 2, nullptr, SHMEM_CMP_EQ, none); }},
    {"test_all_null", [] { shmem_long_test_all(none, 2, nullptr, SHMEM_CMP_EQ, 0); }},
    {"wait_stack",
     [] {
       long local = 0;
       shmem_long_wait_until(&local, SHMEM_CMP_EQ, 1);
     }},
    {"wait_any_stack",
     [] {
       long local[2] = {};
       shmem_long_wait_until_any(local, 2, nullptr, SHMEM_CMP_EQ, 1);
     }},
    {"signal_stack",
     [] {
       std::uint64_t local = 0;
       shmem_signal_wait_until(&local, SHMEM_CMP_EQ, 1);
     }},
    {"signal_null", [] { shmem_signal_wait_until(no_signal, SHMEM_CMP_EQ, 1); }},
    {"all_reduce_dest", [] { shmem_long_sum_reduce(SHMEM_TEAM_WORLD, none, numbers, 1); }},
    {"all_reduce_many", [] { shmem_long_sum_reduce(SHMEM_TEAM_WORLD, numbers, numbers, kTooMany); }},
    {"all_broadcast_many", [] { shmem_long_broadcast(SHMEM_TEAM_WORLD, numbers, numbers, kTooMany, 0); }},
    {"all_broadcast_dest", [] { shmem_broadcastmem(SHMEM_TEAM_WORLD, no_bytes, many_bytes, sizeof many_bytes, 0); }},
    {"all_broadcast_stack",
     [] {
       char local[sizeof many_bytes] = {};
       shmem_broadcastmem(SHMEM_TEAM_WORLD, local, many_bytes, sizeof many_bytes, 0);
     }},
    {"all_broadcast_source", [] { shmem_long_broadcast(SHMEM_TEAM_WORLD, numbers, none, 1, 1); }},
    {"all_fcollect_many", [] { shmem_long_fcollect(SHMEM_TEAM_WORLD, numbers, numbers, kTooMany); }},
    {"all_collect_many", [] { shmem_long_collect(SHMEM_TEAM_WORLD, numbers, numbers, kTooMany); }},
    {"all_collect_dest", [] { shmem_long_collect(SHMEM_TEAM_WORLD, none, numbers, 1); }},
    {"all_alltoall_many", [] { shmem_long_alltoall(SHMEM_TEAM_WORLD, numbers, numbers, kTooMany); }},
    {"all_alltoall_source", [] { shmem_long_alltoall(SHMEM_TEAM_WORLD, numbers, none, 1); }},
    {"all_alltoalls_stride", [] { shmem_long_alltoalls(SHMEM_TEAM_WORLD, numbers, numbers, 0, 1, 1); }},
    {"all_alltoalls_source", [] { shmem_long_alltoalls(SHMEM_TEAM_WORLD, numbers, none, 1, 1, 1); }},
    {"all_alltoalls_many", [] { shmem_long_alltoalls(SHMEM_TEAM_WORLD, numbers, numbers, 1, 1, kTooMany); }},
    {"all_freed_twice",
     [] {
       void *block = shmem_malloc(8);
       shmem_free(block);
       shmem_free(block);
     }},
    {"root", [] { shmem_long_broadcast(SHMEM_TEAM_WORLD, numbers, numbers + 1, 1, 2); }},
    {"set_stride", [] { shmem_sync(0, -1, 2, sync_array); }},
    {"set_size", [] { shmem_barrier(0, 0, 3, sync_array); }},
    {"set_member", [] { shmem_barrier(1, 0, 1, sync_array); }},
    {"nreduce", [] { shmem_long_sum_to_all(numbers, numbers, -1, 0, 0, 2, work_array, sync_array); }},
    {"lock_place",
     [] {
       long local = 0;
       shmem_set_lock(&local);
     }},
    {"context_used",
     [] {
       shmem_ctx_t ctx = SHMEM_CTX_INVALID;
       shmem_ctx_create(0, &ctx);
       shmem_ctx_destroy(ctx);
       for (int i = 0; i < 20; ++i) {
         shmem_ctx_t other = SHMEM_CTX_INVALID;
         shmem_ctx_create(0, &other);
         shmem_ctx_destroy(other);
       }
       shmem_ctx_long_p(ctx, numbers, 1, 1);
     }},
    {"context_completed",
     [] {
       shmem_ctx_t ctx = SHMEM_CTX_INVALID;
       shmem_ctx_create(0, &ctx);
       shmem_ctx_destroy(ctx);
       shmem_ctx_quiet(ctx);
     }},
    {"context_destroyed",
     [] {
       shmem_ctx_t ctx = SHMEM_CTX_INVALID;
       shmem_ctx_create(0, &ctx);
       shmem_ctx_destroy(ctx);
       shmem_ctx_destroy(ctx);
     }},
    {"context_of_team",
     [] {
       shmem_ctx_t ctx = SHMEM_CTX_INVALID;
       shmem_team_create_ctx(SHMEM_TEAM_WORLD, 0, &ctx);
       shmem_ctx_destroy(ctx);
       (void)shmem_ctx_long_atomic_fetch(ctx, numbers, 1);
     }},
    {"lock_set_twice", [] { shmem_set_lock(&lock), shmem_set_lock(&lock); }},
    {"beyond_static", [] { shmem_long_put(numbers, numbers, 1 << 20, 1); }},
    {"alltoall_dest", [] { shmem_long_alltoall(SHMEM_TEAM_WORLD, none, numbers, 1); }},
    {"reduce_source", [] { shmem_long_sum_reduce(SHMEM_TEAM_WORLD, numbers, numbers, 1 << 20); }},
    {"lock_free", [] { shmem_clear_lock(&lock); }},
};

/// Calls that would do nothing before shmem_init.
void call_early(const std::string &what) {
  if (what == "early_quiet") shmem_quiet();
  if (what == "early_fence") shmem_fence();
  if (what == "early_wait") shmem_long_wait_until(numbers, SHMEM_CMP_EQ, 0);
  if (what == "early_test") shmem_long_test_all(numbers, 2, nullptr, SHMEM_CMP_EQ, 0);
  if (what == "early_signal") shmem_signal_fetch(&signal);
}

}  // namespace

int main(int, char **arguments) {
  call_early(arguments[1]);
  shmem_init();
  const auto call = kCalls.find(arguments[1]);
  if (call == kCalls.end()) return 3;
  if (shmem_my_pe() == 0 || call->first.starts_with("all_")) call->second();
  sleep(60);
  return 0;
}
