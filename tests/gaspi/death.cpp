// Three ranks, of which the second ends while the others wait. They get the error once, know which rank it was, and continue
// without it. Arguments: how it ends (`dies` by itself, `killed` by rank 0). On nodes of their own, or if rank 0 has killed it,
// rank 0 sends to it; rank 2 only waits. With `barrier`, any number of ranks of which the second ends, and the others are in a barrier
// already: all get the error.
// SPDX-License-Identifier: BSD-3-Clause
#include <GASPI.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

constexpr gaspi_rank_t victim = 1;
constexpr gaspi_queue_id_t queue = 2;
gaspi_rank_t rank = 0;

/// Ends the process, with a message, unless a call returned what is expected.
void expect(gaspi_return_t expected, gaspi_return_t code, const char *what) {
  if (code == expected) return;
  gaspi_string_t text = nullptr;
  static_cast<void>(gaspi_print_error(code, &text));
  std::printf("rank %d: %s has come to %d (%s), not %d\n", rank, what, code, text, expected);
  std::exit(1);
}

/// As programs do that continue after an error: a failed request is reported, and then no more.
void wait_until_it_succeeds(const char *what) {
  int failures = 0;
  while (failures < 10 && gaspi_wait(queue, GASPI_BLOCK) != GASPI_SUCCESS) failures += 1;
  if (failures == 1) return;
  std::printf("rank %d: %s: gaspi_wait has failed %d times, not once\n", rank, what, failures);
  std::exit(1);
}

/// What is sent to the rank that has ended fails sooner or later. The queue reports it, carries out what else was posted, and can be used on.
void send_until_it_fails() {
  gaspi_return_t code = GASPI_SUCCESS;
  while (code == GASPI_SUCCESS) {
    expect(GASPI_SUCCESS, gaspi_write(0, 0, victim, 0, 8, 8, queue, GASPI_BLOCK), "a write to a rank that ends");
    code = gaspi_wait(queue, GASPI_BLOCK);
  }
  expect(GASPI_ERROR, code, "waiting for what was written to the rank that has ended");
  gaspi_number_t posted = 1;
  const auto other = static_cast<gaspi_rank_t>(2 - rank);
  expect(GASPI_SUCCESS, gaspi_write(0, 0, other, 0, 8, 8, queue, GASPI_BLOCK), "a write by the queue that has failed");
  expect(GASPI_SUCCESS, gaspi_wait(queue, GASPI_BLOCK), "waiting for the queue that has reported its failure");
  expect(GASPI_SUCCESS, gaspi_queue_size(queue, &posted), "gaspi_queue_size");
  if (posted != 0) expect(GASPI_SUCCESS, GASPI_ERROR, "a queue whose requests have all ended or failed, and is not empty,");
  expect(GASPI_SUCCESS, gaspi_write(0, 0, victim, 0, 8, 8, queue, GASPI_BLOCK), "a write to the dead");
  expect(GASPI_SUCCESS, gaspi_write(0, 0, other, 0, 8, 8, queue, GASPI_BLOCK), "a write to a living rank beside it");
  wait_until_it_succeeds("after a write to the dead");
  expect(GASPI_SUCCESS, gaspi_write(0, 0, victim, 0, 8, 8, queue, GASPI_BLOCK), "a write to the dead");
  expect(GASPI_SUCCESS, gaspi_queue_purge(queue, GASPI_BLOCK), "gaspi_queue_purge");
  expect(GASPI_SUCCESS, gaspi_wait(queue, GASPI_BLOCK), "waiting for the purged queue");
}

void expect_states() {
  gaspi_state_t states[3] = {GASPI_STATE_CORRUPT, GASPI_STATE_HEALTHY, GASPI_STATE_CORRUPT};
  expect(GASPI_SUCCESS, gaspi_state_vec_get(states), "gaspi_state_vec_get");
  if (states[0] != GASPI_STATE_HEALTHY || states[victim] != GASPI_STATE_CORRUPT || states[2] != GASPI_STATE_HEALTHY) {
    std::printf("rank %d: the states are %d, %d, %d\n", rank, states[0], states[1], states[2]);
    std::exit(1);
  }
}

/// Each of these calls succeeds, also where the memory of the rank that has ended is still mapped. Waiting for their queue then reports the
/// failure.
void post_to_the_dead() {
  const gaspi_segment_id_t ids[1] = {0};
  const gaspi_offset_t offsets[1] = {0};
  const gaspi_size_t sizes[1] = {8};
  const auto fails = [](gaspi_return_t posted, const char *what) {
    expect(GASPI_SUCCESS, posted, what);
    wait_until_it_succeeds(what);
  };
  fails(gaspi_write(0, 0, victim, 0, 8, 8, queue, GASPI_BLOCK), "gaspi_write to the dead");
  fails(gaspi_read(0, 0, victim, 0, 8, 8, queue, GASPI_TEST), "gaspi_read from the dead");
  fails(gaspi_notify(0, victim, 3, 1, queue, GASPI_BLOCK), "gaspi_notify of the dead");
  fails(gaspi_write_notify(0, 0, victim, 0, 8, 8, 3, 1, queue, GASPI_BLOCK), "gaspi_write_notify to the dead");
  fails(gaspi_read_notify(0, 0, victim, 0, 8, 8, 3, queue, GASPI_BLOCK), "gaspi_read_notify from the dead");
  fails(gaspi_write_list(1, ids, offsets, victim, ids, offsets, sizes, queue, GASPI_BLOCK), "gaspi_write_list to the dead");
  fails(gaspi_write_list_notify(1, ids, offsets, victim, ids, offsets, sizes, 0, 3, 1, queue, GASPI_BLOCK), "gaspi_write_list_notify");
  // A segment that no rank has used, and that could not be opened any more.
  fails(gaspi_write(0, 0, victim, 1, 8, 8, queue, GASPI_BLOCK), "gaspi_write to an unknown segment of the dead");
  gaspi_atomic_value_t old = 0;
  expect(GASPI_ERROR, gaspi_atomic_fetch_add(0, 0, victim, 1, &old, GASPI_BLOCK), "an atomic of the dead");
  expect(GASPI_ERROR, gaspi_passive_send(0, 0, victim, 8, GASPI_BLOCK), "a passive message to the dead");
  expect(GASPI_ERROR, gaspi_connect(victim, GASPI_BLOCK), "gaspi_connect to the dead");
}

/// The two that are left make a group, and notify each other.
void go_on_without_it() {
  gaspi_group_t group = 0;
  expect(GASPI_SUCCESS, gaspi_group_create(&group), "gaspi_group_create");
  expect(GASPI_SUCCESS, gaspi_group_add(group, 0), "gaspi_group_add");
  expect(GASPI_SUCCESS, gaspi_group_add(group, 2), "gaspi_group_add");
  expect(GASPI_SUCCESS, gaspi_group_commit(group, GASPI_BLOCK), "gaspi_group_commit");
  const auto other = static_cast<gaspi_rank_t>(2 - rank);
  gaspi_notification_id_t id = 0;
  expect(GASPI_SUCCESS, gaspi_write_notify(0, 0, other, 0, 64, 8, 7, 1, queue, GASPI_BLOCK), "gaspi_write_notify");
  expect(GASPI_SUCCESS, gaspi_notify_waitsome(0, 7, 1, &id, GASPI_BLOCK), "gaspi_notify_waitsome of what a living rank sends");
  expect(GASPI_SUCCESS, gaspi_wait(queue, GASPI_BLOCK), "gaspi_wait");
  expect(GASPI_SUCCESS, gaspi_barrier(group, GASPI_BLOCK), "the barrier of those that are left");
}

/// Then the others make a group, and enter its barrier.
void wait_in_barrier() {
  gaspi_rank_t ranks = 0;
  gaspi_group_t group = 0;
  expect(GASPI_SUCCESS, gaspi_proc_init(GASPI_BLOCK), "gaspi_proc_init");
  expect(GASPI_SUCCESS, gaspi_proc_rank(&rank), "gaspi_proc_rank");
  expect(GASPI_SUCCESS, gaspi_proc_num(&ranks), "gaspi_proc_num");
  for (int i = 0; i < 5; ++i) expect(GASPI_SUCCESS, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), "gaspi_barrier");
  if (rank == victim) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::raise(SIGKILL);
  }
  expect(GASPI_ERROR, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), "the barrier with one that ends");
  expect(GASPI_SUCCESS, gaspi_group_create(&group), "gaspi_group_create");
  for (gaspi_rank_t r = 0; r < ranks; ++r)
    if (r != victim) expect(GASPI_SUCCESS, gaspi_group_add(group, r), "gaspi_group_add");
  expect(GASPI_SUCCESS, gaspi_group_commit(group, GASPI_BLOCK), "gaspi_group_commit");
  expect(GASPI_SUCCESS, gaspi_barrier(group, GASPI_BLOCK), "the barrier of those that are left");
  std::printf("rank %d goes on without rank %d\n", rank, victim);
  std::fflush(stdout);
  std::_Exit(0);
}

}  // namespace

int main(int, char **argv) {
  if (std::strcmp(argv[1], "barrier") == 0) wait_in_barrier();
  const bool killed = std::strcmp(argv[1], "killed") == 0, alone = std::getenv("HALOCLINE_FAKE_NODES") != nullptr;
  gaspi_notification_id_t id = 0;
  expect(GASPI_SUCCESS, gaspi_proc_init(GASPI_BLOCK), "gaspi_proc_init");
  expect(GASPI_SUCCESS, gaspi_proc_rank(&rank), "gaspi_proc_rank");
  expect(GASPI_SUCCESS, gaspi_segment_create(0, 4096, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED), "gaspi_segment_create");
  expect(GASPI_SUCCESS, gaspi_segment_create(1, 64, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED), "gaspi_segment_create");
  for (gaspi_rank_t r = 0; r < 3; ++r) expect(GASPI_SUCCESS, gaspi_write(0, 0, r, 0, 8, 8, queue, GASPI_BLOCK), "gaspi_write");
  expect(GASPI_SUCCESS, gaspi_wait(queue, GASPI_BLOCK), "gaspi_wait");
  expect(GASPI_SUCCESS, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), "gaspi_barrier");

  if (rank == victim && !killed) std::raise(SIGKILL);
  if (rank == victim) static_cast<void>(gaspi_notify_waitsome(0, 0, 8, &id, GASPI_BLOCK));
  if (rank == victim) return 1;
  expect(GASPI_ERR_INV_RANK, gaspi_proc_kill(rank, GASPI_BLOCK), "gaspi_proc_kill of the rank itself");
  if (rank == 0 && killed) expect(GASPI_SUCCESS, gaspi_proc_kill(victim, GASPI_BLOCK), "gaspi_proc_kill");

  if (rank == 0 && (alone || killed))
    send_until_it_fails();
  else
    expect(GASPI_ERROR, gaspi_notify_waitsome(0, 0, 8, &id, GASPI_BLOCK), "a wait for what nobody sends");
  expect_states();
  expect(GASPI_TIMEOUT, gaspi_notify_waitsome(0, 0, 4, &id, 60), "another wait, after it was told");
  expect(GASPI_ERROR, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), "the barrier of all");
  go_on_without_it();
  post_to_the_dead();
  expect(GASPI_SUCCESS, gaspi_proc_term(GASPI_BLOCK), "gaspi_proc_term");
  expect(GASPI_ERR_NOINIT, gaspi_proc_rank(&rank), "gaspi_proc_rank afterwards");
  std::printf("rank %d goes on without rank %d\n", rank, victim);
  std::fflush(stdout);
  // MPI_Finalize would wait for the rank that has ended.
  std::_Exit(0);
}
