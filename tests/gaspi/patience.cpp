// Timeouts with a rank that is stopped (SIGSTOP): GASPI_TEST returns, a timeout lasts as long as it says, GASPI_BLOCK as long as it takes.
// Both are longer than HALOCLINE_TIMEOUT, which is 2 s here. Afterwards nothing is lost. Rank 1 is stopped, rank 0 tries. Arguments: the
// calls.
// SPDX-License-Identifier: BSD-3-Clause
#include <GASPI.h>
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr gaspi_rank_t sleeper = 1;
constexpr gaspi_queue_id_t queue = 1, last_queue = 7;
constexpr gaspi_size_t bytes = 65536;
gaspi_rank_t rank = 0;

/// Ends the process, with a message, unless a call returned what is expected.
void expect(gaspi_return_t expected, gaspi_return_t code, const char *what) {
  if (code == expected) return;
  gaspi_string_t text = nullptr;
  static_cast<void>(gaspi_print_error(code, &text));
  std::printf("rank %d: %s has come to %d (%s), not %d\n", rank, what, code, text, expected);
  std::fflush(stdout);
  std::abort();
}
void expect_equal(std::uint64_t expected, std::uint64_t value, const char *what) {
  if (value == expected) return;
  std::printf("rank %d: %s is %llu, not %llu\n", rank, what, static_cast<unsigned long long>(value),
              static_cast<unsigned long long>(expected));
  std::fflush(stdout);
  std::abort();
}

std::uint64_t *words() {
  gaspi_pointer_t memory = nullptr;
  expect(GASPI_SUCCESS, gaspi_segment_ptr(0, &memory), "gaspi_segment_ptr");
  return static_cast<std::uint64_t *>(memory);
}

/// A call that needs the other rank, and what the other one does for it when it continues.
struct Call {
  const char *name;
  gaspi_return_t (*attempt)(gaspi_timeout_t);
  void (*answer)();
  void (*check)();
};

void no_answer() {}
gaspi_atomic_value_t old = 99;

const Call calls[] = {
    {"barrier", [](gaspi_timeout_t timeout) { return gaspi_barrier(GASPI_GROUP_ALL, timeout); },
     [] { expect(GASPI_SUCCESS, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), "gaspi_barrier"); }, no_answer},
    {"waitsome",
     [](gaspi_timeout_t timeout) {
       gaspi_notification_id_t id = 0;
       return gaspi_notify_waitsome(0, 9, 1, &id, timeout);
     },
     [] { expect(GASPI_SUCCESS, gaspi_notify(0, 0, 9, 1, queue, GASPI_BLOCK), "gaspi_notify"); }, no_answer},
    {"passive_receive",
     [](gaspi_timeout_t timeout) {
       gaspi_rank_t from = 0;
       return gaspi_passive_receive(0, 0, &from, 64, timeout);
     },
     [] { expect(GASPI_SUCCESS, gaspi_passive_send(0, 0, 0, 8, GASPI_BLOCK), "gaspi_passive_send"); }, no_answer},
    {"passive_send", [](gaspi_timeout_t timeout) { return gaspi_passive_send(0, 0, sleeper, 8, timeout); },
     [] {
       gaspi_rank_t from = 9;
       for (std::uint64_t i = 1; i <= 2; ++i) {
         expect(GASPI_SUCCESS, gaspi_passive_receive(0, 64, &from, 64, GASPI_BLOCK), "gaspi_passive_receive");
         expect_equal(500 + i, words()[8], "the message");
       }
       expect(GASPI_TIMEOUT, gaspi_passive_receive(0, 64, &from, 64, 20), "a third message");
     },
     no_answer},
    {"fetch_add", [](gaspi_timeout_t timeout) { return gaspi_atomic_fetch_add(0, 16, sleeper, 7, &old, timeout); }, no_answer,
     [] {
       expect_equal(0, old, "what it was");
       expect(GASPI_SUCCESS, gaspi_atomic_fetch_add(0, 16, sleeper, 0, &old, GASPI_BLOCK), "gaspi_atomic_fetch_add");
       expect_equal(7, old, "the number to which 7 was added once");
     }},
    {"compare_swap", [](gaspi_timeout_t timeout) { return gaspi_atomic_compare_swap(0, 24, sleeper, 0, 5, &old, timeout); }, no_answer,
     [] { expect_equal(0, old, "what it was, and not what an earlier attempt has made of it,"); }},
    {"connect", [](gaspi_timeout_t timeout) { return gaspi_connect(sleeper, timeout); }, no_answer, no_answer},
    {"segment_use", [](gaspi_timeout_t timeout) { return gaspi_write(0, 0, sleeper, 1, 0, 8, queue, timeout); }, no_answer,
     [] { expect(GASPI_SUCCESS, gaspi_wait(queue, GASPI_BLOCK), "gaspi_wait"); }},
    {"register", [](gaspi_timeout_t timeout) { return gaspi_segment_register(0, sleeper, timeout); }, no_answer, no_answer},
    {"write", [](gaspi_timeout_t timeout) { return gaspi_write(0, 0, sleeper, 0, 64, 8, 5, timeout); }, no_answer,
     [] {
       for (gaspi_queue_id_t each = 3; each < 6; ++each) expect(GASPI_SUCCESS, gaspi_wait(each, GASPI_BLOCK), "gaspi_wait");
     }},
    {"wait", [](gaspi_timeout_t timeout) { return gaspi_wait(queue, timeout); }, no_answer, no_answer},
    {"term", [](gaspi_timeout_t timeout) { return gaspi_proc_term(timeout); },
     [] { expect(GASPI_SUCCESS, gaspi_proc_term(GASPI_BLOCK), "gaspi_proc_term"); }, no_answer},
};

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point before) { return std::chrono::duration<double>(Clock::now() - before).count(); }

/// Continues a stopped process some time later.
void continue_after(pid_t process, int milliseconds) {
  if (fork() != 0) return;
  usleep(static_cast<useconds_t>(milliseconds) * 1000);
  kill(process, SIGCONT);
  _exit(0);
}

/// Posts more than a socket holds, so that gaspi_wait waits; or fills the mailbox, so that gaspi_passive_send does.
void prepare(const Call &call) {
  words()[0] = 501;
  if (std::strcmp(call.name, "passive_send") == 0) {
    expect(GASPI_SUCCESS, gaspi_passive_send(0, 0, sleeper, 8, GASPI_BLOCK), "gaspi_passive_send");
    words()[0] = 502;
  }
}

void flood() {
  gaspi_return_t code = GASPI_SUCCESS;
  for (int i = 0; i < 900 && code == GASPI_SUCCESS; ++i) code = gaspi_write(0, 0, sleeper, 0, 64, bytes - 64, queue, GASPI_TEST);
  if (code != GASPI_TIMEOUT) expect(GASPI_SUCCESS, code, "gaspi_write");
}

/// As many writes as there is room for.
void fill_up() {
  gaspi_queue_id_t filled = 3;
  gaspi_return_t code = GASPI_SUCCESS;
  while (code != GASPI_TIMEOUT && filled < 5) {
    code = gaspi_write(0, 0, sleeper, 0, 64, bytes - 64, filled, 50);
    if (code == GASPI_QUEUE_FULL) filled += 1;
  }
  expect(GASPI_TIMEOUT, code, "a write for which there is no room");
}

void expect_patience(const Call &call, pid_t process) {
  if (std::strcmp(call.name, "wait") == 0) flood();
  if (std::strcmp(call.name, "write") == 0) fill_up();
  const auto start = Clock::now();
  expect(GASPI_TIMEOUT, call.attempt(GASPI_TEST), call.name);
  expect(GASPI_TIMEOUT, call.attempt(40), call.name);
  if (seconds_since(start) < 0.04) expect_equal(1, 0, "less than the timeout: this");
  // Longer than HALOCLINE_TIMEOUT.
  if (std::strcmp(call.name, "barrier") == 0 || std::strcmp(call.name, "fetch_add") == 0) {
    expect(GASPI_TIMEOUT, call.attempt(2200), call.name);
    if (seconds_since(start) < 2.24) expect_equal(1, 0, "less than the timeout: this");
  }
  continue_after(process, 2200);
  expect(GASPI_SUCCESS, call.attempt(GASPI_BLOCK), call.name);
  waitpid(-1, nullptr, 0);
}

/// Waits for a notification and takes it.
void take(gaspi_notification_id_t id) {
  gaspi_notification_id_t found = 0;
  expect(GASPI_SUCCESS, gaspi_notify_waitsome(0, id, 1, &found, GASPI_BLOCK), "gaspi_notify_waitsome");
  expect(GASPI_SUCCESS, gaspi_notify_reset(0, id, nullptr), "gaspi_notify_reset");
}

/// Waits until a process of this machine is stopped. Meanwhile progress must be driven: that process may still wait for this one.
void await_stop(pid_t process) {
  char path[64], letter = 0;
  gaspi_notification_id_t id = 0;
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(process));
  while (letter != 'T') {
    std::FILE *file = std::fopen(path, "re");
    if (!file || std::fscanf(file, "%*d (%*[^)]) %c", &letter) != 1) letter = 'T';
    if (file) std::fclose(file);
    static_cast<void>(gaspi_notify_waitsome(0, 20, 1, &id, 1));
  }
}

/// Sends its process id, stops, and then does what the other rank waits for.
void stand_still(const Call &call) {
  words()[1] = static_cast<std::uint64_t>(getpid());
  expect(GASPI_SUCCESS, gaspi_write_notify(0, 8, 0, 0, 8, 8, 5, 1, queue, GASPI_BLOCK), "gaspi_write_notify");
  expect(GASPI_SUCCESS, gaspi_wait(queue, GASPI_BLOCK), "gaspi_wait");
  take(6);
  std::raise(SIGSTOP);
  call.answer();
}

void try_it(const Call &call) {
  take(5);
  const auto process = static_cast<pid_t>(words()[1]);
  prepare(call);
  expect(GASPI_SUCCESS, gaspi_notify(0, sleeper, 6, 1, last_queue, GASPI_BLOCK), "gaspi_notify");
  await_stop(process);
  expect_patience(call, process);
  call.check();
  if (std::strcmp(call.name, "term") == 0) return;
  // Not earlier: the other rank may stop before it answers.
  expect(GASPI_SUCCESS, gaspi_wait(last_queue, GASPI_BLOCK), "gaspi_wait");
  if (std::strcmp(call.name, "waitsome") == 0) expect(GASPI_SUCCESS, gaspi_notify_reset(0, 9, nullptr), "gaspi_notify_reset");
  std::printf("%s waits as long as it is told to\n", call.name);
}

const Call *find(const char *name) {
  for (const Call &call : calls)
    if (std::strcmp(call.name, name) == 0) return &call;
  std::printf("there is no call %s\n", name);
  std::exit(2);
}

}  // namespace

int main(int, char **argv) {
  // The ranks start together, before HALOCLINE_TIMEOUT counts.
  MPI_Init(nullptr, nullptr);
  MPI_Barrier(MPI_COMM_WORLD);
  expect(GASPI_SUCCESS, gaspi_proc_init(GASPI_BLOCK), "gaspi_proc_init");
  expect(GASPI_SUCCESS, gaspi_proc_rank(&rank), "gaspi_proc_rank");
  expect(GASPI_SUCCESS, gaspi_segment_create(0, bytes, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED), "gaspi_segment_create");
  // Not collective: the first use has to ask for its address.
  expect(GASPI_SUCCESS, gaspi_segment_alloc(1, bytes, GASPI_MEM_INITIALIZED), "gaspi_segment_alloc");
  if (rank == sleeper) expect(GASPI_SUCCESS, gaspi_segment_register(1, 0, GASPI_BLOCK), "gaspi_segment_register");
  expect(GASPI_SUCCESS, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), "gaspi_barrier");
  for (char **name = argv + 1; *name; ++name) {
    const Call &call = *find(*name);
    rank == sleeper ? stand_still(call) : try_it(call);
    if (std::strcmp(call.name, "term") == 0) return MPI_Finalize();
    expect(GASPI_SUCCESS, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), "the barrier behind it");
  }
  expect(GASPI_SUCCESS, gaspi_proc_term(GASPI_BLOCK), "gaspi_proc_term");
  return MPI_Finalize();
}
