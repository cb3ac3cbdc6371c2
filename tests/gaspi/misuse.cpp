// Misuse at the end of the job is an error, and no crash. Argument: `waiters`, threads that wait in calls when gaspi_proc_term is called.
// Or `finalized`, calls after MPI_Finalize; `left`, a program that ends without gaspi_proc_term; `forked`, a child of fork that ends by
// exit.
// SPDX-License-Identifier: BSD-3-Clause
#include <GASPI.h>
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "support/threads.hpp"

namespace {

/// Ends the process, with a message, unless a call returned what is expected.
void expect(gaspi_return_t expected, gaspi_return_t code, const char *what) {
  if (code == expected) return;
  gaspi_string_t text = nullptr;
  static_cast<void>(gaspi_print_error(code, &text));
  std::printf("%s has come to %d (%s), not %d\n", what, code, text, expected);
  std::fflush(stdout);
  std::abort();
}

void start() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  expect(GASPI_SUCCESS, gaspi_proc_init(GASPI_BLOCK), "gaspi_proc_init");
  expect(GASPI_SUCCESS, gaspi_segment_create(0, 4096, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED), "gaspi_segment_create");
}

/// Waits, in one of three calls, for something that no rank sends, until the job ends.
gaspi_return_t wait_in_vain(int way) {
  gaspi_notification_id_t id = 0;
  gaspi_rank_t from = 0;
  gaspi_group_t group = 0;
  if (way == 0) return gaspi_notify_waitsome(0, 0, 65536, &id, GASPI_BLOCK);
  if (way == 1) return gaspi_passive_receive(0, 0, &from, 8, GASPI_BLOCK);
  // A group that no other rank commits.
  gaspi_rank_t mine = 0, ranks = 0;
  expect(GASPI_SUCCESS, gaspi_proc_rank(&mine), "gaspi_proc_rank");
  expect(GASPI_SUCCESS, gaspi_proc_num(&ranks), "gaspi_proc_num");
  if (ranks == 1 || mine != 0) return gaspi_notify_waitsome(0, 5, 1, &id, GASPI_BLOCK);
  expect(GASPI_SUCCESS, gaspi_group_create(&group), "gaspi_group_create");
  expect(GASPI_SUCCESS, gaspi_group_add(group, 0), "gaspi_group_add");
  expect(GASPI_SUCCESS, gaspi_group_add(group, 1), "gaspi_group_add");
  return gaspi_group_commit(group, GASPI_BLOCK);
}

void end_under_waiters() {
  start();
  std::array<std::atomic<pid_t>, 3> waiters{};
  std::atomic<bool> begun{false};
  std::vector<std::thread> threads;
  for (int way = 0; way < 3; ++way)
    threads.emplace_back([&waiter = waiters[static_cast<std::size_t>(way)], way] {
      waiter = halocline::test::this_thread();
      expect(GASPI_ERROR, wait_in_vain(way), "a wait that gaspi_proc_term ends");
    });
  // And a thread that calls again and again: it finds the job, or none.
  threads.emplace_back([&begun] {
    gaspi_number_t posted = 0;
    gaspi_return_t code = GASPI_SUCCESS;
    begun = true;
    while (code == GASPI_SUCCESS) code = gaspi_queue_size(0, &posted);
    expect(GASPI_ERR_NOINIT, code, "a call behind gaspi_proc_term");
  });
  while (!begun) std::this_thread::yield();
  for (const std::atomic<pid_t> &waiter : waiters) {
    while (waiter == 0) std::this_thread::yield();
    halocline::test::await_sleep(waiter);
  }
  expect(GASPI_SUCCESS, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), "gaspi_barrier");
  expect(GASPI_SUCCESS, gaspi_proc_term(GASPI_BLOCK), "gaspi_proc_term");
  for (std::thread &thread : threads) thread.join();
  expect(GASPI_ERR_NOINIT, gaspi_proc_term(GASPI_BLOCK), "gaspi_proc_term once more");
  // The program continues with another job.
  expect(GASPI_SUCCESS, gaspi_proc_init(GASPI_BLOCK), "gaspi_proc_init once more");
  expect(GASPI_SUCCESS, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), "the barrier of the second job");
  expect(GASPI_SUCCESS, gaspi_proc_term(GASPI_BLOCK), "the second gaspi_proc_term");
  MPI_Finalize();
}

/// An operation of a reduction that ends the job.
gaspi_return_t end_in_operation(gaspi_pointer_t, gaspi_pointer_t, gaspi_pointer_t, gaspi_reduce_state_t, gaspi_number_t, gaspi_size_t,
                                gaspi_timeout_t) {
  expect(GASPI_ERROR, gaspi_proc_term(GASPI_BLOCK), "gaspi_proc_term in an operation");
  return GASPI_SUCCESS;
}

void call_after_the_end_of_mpi() {
  start();
  double value = 1, sum = 0;
  expect(GASPI_SUCCESS, gaspi_allreduce_user(&value, &sum, 1, sizeof value, end_in_operation, nullptr, GASPI_GROUP_ALL, GASPI_BLOCK),
         "gaspi_allreduce_user");
  std::thread waiter([] { expect(GASPI_ERROR, wait_in_vain(0), "a wait that MPI_Finalize ends"); });
  expect(GASPI_SUCCESS, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), "gaspi_barrier");
  MPI_Finalize();
  waiter.join();
  gaspi_rank_t rank = 0;
  gaspi_notification_id_t id = 0;
  gaspi_atomic_value_t old = 0;
  gaspi_state_t states[8];
  expect(GASPI_ERROR, gaspi_proc_rank(&rank), "gaspi_proc_rank");
  expect(GASPI_ERROR, gaspi_write(0, 0, 0, 0, 8, 8, 0, GASPI_BLOCK), "gaspi_write");
  expect(GASPI_ERROR, gaspi_notify(0, 0, 0, 1, 0, GASPI_BLOCK), "gaspi_notify");
  expect(GASPI_ERROR, gaspi_notify_waitsome(0, 0, 1, &id, GASPI_TEST), "gaspi_notify_waitsome");
  expect(GASPI_ERROR, gaspi_wait(0, GASPI_BLOCK), "gaspi_wait");
  expect(GASPI_ERROR, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), "gaspi_barrier");
  expect(GASPI_ERROR, gaspi_atomic_fetch_add(0, 0, 0, 1, &old, GASPI_BLOCK), "gaspi_atomic_fetch_add");
  expect(GASPI_ERROR, gaspi_passive_send(0, 0, 0, 8, GASPI_BLOCK), "gaspi_passive_send");
  expect(GASPI_ERROR, gaspi_segment_alloc(1, 8, GASPI_MEM_INITIALIZED), "gaspi_segment_alloc");
  expect(GASPI_ERROR, gaspi_segment_delete(0), "gaspi_segment_delete");
  expect(GASPI_ERROR, gaspi_state_vec_get(states), "gaspi_state_vec_get");
  expect(GASPI_ERROR, gaspi_proc_term(GASPI_BLOCK), "gaspi_proc_term");
  expect(GASPI_ERR_NOINIT, gaspi_proc_term(GASPI_BLOCK), "gaspi_proc_term once more");
  expect(GASPI_ERROR, gaspi_proc_init(GASPI_BLOCK), "gaspi_proc_init");
}

/// The job is the parent's, which continues with it.
void end_a_child() {
  start();
  gaspi_rank_t rank = 0, ranks = 0;
  expect(GASPI_SUCCESS, gaspi_proc_rank(&rank), "gaspi_proc_rank");
  expect(GASPI_SUCCESS, gaspi_proc_num(&ranks), "gaspi_proc_num");
  const auto other = static_cast<gaspi_rank_t>((rank + 1) % ranks);
  const auto send = [&] {
    expect(GASPI_SUCCESS, gaspi_write(0, 0, other, 0, 2048, 64, 0, GASPI_BLOCK), "gaspi_write");
    expect(GASPI_SUCCESS, gaspi_wait(0, 20000), "gaspi_wait");
    expect(GASPI_SUCCESS, gaspi_barrier(GASPI_GROUP_ALL, 20000), "gaspi_barrier");
  };
  send();
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  int how = 0;
  if (waitpid(child, &how, 0) != child || how != 0) std::abort();
  for (int i = 0; i < 5; ++i) send();
  expect(GASPI_SUCCESS, gaspi_proc_term(20000), "gaspi_proc_term");
  MPI_Finalize();
}

}  // namespace

int main(int, char **argv) {
  if (std::strcmp(argv[1], "waiters") == 0) end_under_waiters();
  if (std::strcmp(argv[1], "finalized") == 0) call_after_the_end_of_mpi();
  if (std::strcmp(argv[1], "forked") == 0) end_a_child();
  if (std::strcmp(argv[1], "left") == 0) {
    start();
    expect(GASPI_SUCCESS, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), "gaspi_barrier");
    MPI_Finalize();
  }
  return 0;
}
