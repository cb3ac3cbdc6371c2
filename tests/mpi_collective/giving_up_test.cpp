// Neighbourhood collectives that a rank abandons, as its neighbour seems to have ended: its process has another start time, as that of another
// process which has got its number. The rank may use its memory again at once, so nothing of that may arrive anywhere as a block, and nothing may be
// put into another process. All ranks get errors, from each of the calls that wait, and none waits forever.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "support/mpi_test.hpp"

namespace {

/// What rank 0 and rank 1 tell each other without MPI, which might move blocks.
struct Flags {
  std::atomic<int> reads{0}, may_read{0}, is_over{0};
};
Flags *flags = nullptr;

std::string ended_stat;  // the file about a process that has ended; empty: none has
bool seems_ended() { return !ended_stat.empty() && (!flags || flags->may_read == 0 || flags->reads != 0); }
std::atomic<int> writes{0};
std::atomic<bool> reads_late{false};

void await(const std::atomic<int> &flag) {
  while (flag == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

template <class Function>
Function *next_of(Function *, const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

}  // namespace

/// In place of the C library's. Of the process that seems to have ended: what is about another one.
extern "C" [[gnu::visibility("default")]] int open(const char *path, int flag, ...) {
  static const auto next = reinterpret_cast<int (*)(const char *, int, ...)>(dlsym(RTLD_NEXT, "open"));
  std::va_list arguments;
  va_start(arguments, flag);
  const mode_t mode = (flag & (O_CREAT | __O_TMPFILE)) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (!seems_ended() || ended_stat != path) return next(path, flag, mode);
  constexpr char kAnother[] = "1 (another) S 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 7 1 1\n";
  const int file = memfd_create("stat", 0);
  if (write(file, kAnother, sizeof kAnother - 1) < 0) return -1;
  lseek(file, 0, SEEK_SET);
  return file;
}

extern "C" [[gnu::visibility("default")]] ssize_t process_vm_writev(pid_t process, const iovec *here, unsigned long heres,
                                                                    const iovec *there, unsigned long theres, unsigned long flag) {
  static auto *const next = next_of(&process_vm_writev, "process_vm_writev");
  writes += 1;
  return next(process, here, heres, there, theres, flag);
}

extern "C" [[gnu::visibility("default")]] ssize_t process_vm_readv(pid_t process, const iovec *here, unsigned long heres,
                                                                   const iovec *there, unsigned long theres, unsigned long flag) {
  static auto *const next = next_of(&process_vm_readv, "process_vm_readv");
  if (reads_late) {
    flags->reads = 1;
    await(flags->is_over);
  }
  return next(process, here, heres, there, theres, flag);
}

namespace {

using halocline::test::rank;
using halocline::test::size;

constexpr int kLong = 50'000, kOverwritten = -7;

/// Ranks 0 and 1 are neighbours, and share flags. Other ranks have none.
class Two {
 public:
  Two() {
    const int other[] = {1 - rank()}, edges = rank() < 2 ? 1 : 0;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, edges, other, MPI_UNWEIGHTED, edges, other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    struct Place {
      int process, file;
    } mine{static_cast<int>(getpid()), memfd_create("flags", 0)};
    if (ftruncate(mine.file, sizeof(Flags)) != 0) ADD_FAILURE() << "no memory for flags";
    std::vector<Place> all(static_cast<std::size_t>(size()));
    MPI_Allgather(&mine, 2, MPI_INT, all.data(), 2, MPI_INT, MPI_COMM_WORLD);
    const std::string path = "/proc/" + std::to_string(all[0].process) + "/fd/" + std::to_string(all[0].file);
    const int file = open(path.c_str(), O_RDWR);
    flags = static_cast<Flags *>(mmap(nullptr, sizeof(Flags), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    close(file);
    MPI_Barrier(MPI_COMM_WORLD);
    close(mine.file);
    if (rank() == 0) new (flags) Flags;
    MPI_Barrier(MPI_COMM_WORLD);
    stat_ = "/proc/" + std::to_string(all[static_cast<std::size_t>(std::min(1, size() - 1))].process) + "/stat";
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = number(rank(), i);
  }
  Two(const Two &) = delete;
  Two &operator=(const Two &) = delete;
  ~Two() {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm_);
    munmap(flags, sizeof(Flags));
    flags = nullptr;
  }

  static int number(int of, std::size_t i) { return of * 1'000'003 + static_cast<int>(i); }
  MPI_Comm comm() const { return comm_; }
  /// A long block from rank 0 to rank 1, which waits for no other message.
  int exchange(MPI_Datatype type = MPI_INT, int elements = kLong) {
    const int out = rank() == 0 ? kLong : 0, in = rank() == 1 ? elements : 0, place = 0;
    return MPI_Neighbor_alltoallv(sent.data(), &out, &place, MPI_INT, received.data(), &in, &place, type, comm_);
  }
  MPI_Request begin() {
    static const int none = 0, all = kLong;
    const int *const out = rank() == 0 ? &all : &none, *const in = rank() == 1 ? &all : &none;
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_EQ(MPI_Ineighbor_alltoallv(sent.data(), out, &none, MPI_INT, received.data(), in, &none, MPI_INT, comm_, &request), MPI_SUCCESS);
    return request;
  }
  /// For this rank, rank 1.
  void seem_ended(bool now) { ended_stat = now ? stat_ : std::string(); }
  /// Rank 0 takes rank 1 for ended, abandons the call, and uses its memory for something else.
  void give_up() {
    seem_ended(true);
    EXPECT_NE(exchange(), MPI_SUCCESS);
    seem_ended(false);
    std::fill(sent.begin(), sent.end(), kOverwritten);
    flags->is_over = 1;
  }
  /// On both ranks.
  void expect_that_later_ones_fail() {
    EXPECT_NE(exchange(), MPI_SUCCESS);
    EXPECT_NE(exchange(), MPI_SUCCESS);
    EXPECT_EQ(std::count(received.begin(), received.end(), kOverwritten), 0);
  }

  std::vector<int> sent = std::vector<int>(kLong), received = std::vector<int>(2 * kLong);

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::string stat_;
};

/// The end of a request, by each of the calls.
int by_wait(MPI_Request request) { return MPI_Wait(&request, MPI_STATUS_IGNORE); }
int by_tests(MPI_Request request) {
  int flag = 0, code = MPI_SUCCESS;
  while (!flag && code == MPI_SUCCESS) code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  return code;
}
int by_waitall(MPI_Request request) { return MPI_Waitall(1, &request, MPI_STATUSES_IGNORE); }
int by_waitany(MPI_Request request) {
  int index = 0;
  return MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
}
int by_waitsome(MPI_Request request) {
  int done = 0, index = 0;
  return MPI_Waitsome(1, &request, &done, &index, MPI_STATUSES_IGNORE);
}

TEST(GivenUp, messages_are_not_read_in_memory_that_is_used_again) {
  if (size() < 2) GTEST_SKIP() << "needs two ranks";
  Two two;
  if (rank() == 0) two.give_up();
  if (rank() == 1) {
    await(flags->is_over);
    EXPECT_NE(two.exchange(), MPI_SUCCESS);
  }
  if (rank() < 2) two.expect_that_later_ones_fail();
}

/// The memory is used again while it is read.
TEST(GivenUp, messages_that_are_being_read_are_no_blocks) {
  if (size() < 2) GTEST_SKIP() << "needs two ranks";
  Two two;
  // With gaps, so that rank 0 does not put it there.
  MPI_Datatype gaps = MPI_DATATYPE_NULL;
  MPI_Type_vector(kLong, 1, 2, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  if (rank() == 0) {
    flags->may_read = 1;  // seems ended once it reads
    two.give_up();
  }
  if (rank() == 1) {
    await(flags->may_read);
    reads_late = true;
    EXPECT_NE(two.exchange(gaps, 1), MPI_SUCCESS);
    reads_late = false;
  }
  MPI_Type_free(&gaps);
}

/// Its number may be that of a process that is none of the ranks.
TEST(GivenUp, nothing_is_put_into_a_process_that_has_another_start_time) {
  if (size() < 2) GTEST_SKIP() << "needs two ranks";
  Two two;
  if (rank() == 1) {
    const MPI_Request request = two.begin();
    flags->reads = 1;
    await(flags->is_over);
    EXPECT_NE(by_wait(request), MPI_SUCCESS);
  }
  if (rank() == 0) {
    await(flags->reads);
    writes = 0;
    two.give_up();
    EXPECT_EQ(writes, 0);
  }
  if (rank() < 2) two.expect_that_later_ones_fail();
}

TEST(GivenUp, exchanges_end_waits_and_tests_of_all_kinds) {
  if (size() < 2) GTEST_SKIP() << "needs two ranks";
  for (const auto end : {by_wait, by_tests, by_waitall, by_waitany, by_waitsome}) {
    Two two;
    if (rank() == 0) two.give_up();
    if (rank() == 1) {
      await(flags->is_over);
      EXPECT_NE(end(two.begin()), MPI_SUCCESS);
    }
  }
}

/// They are inactive then, may be freed, and cannot be started again.
TEST(GivenUp, persistent_requests_can_be_freed) {
  if (size() < 2) GTEST_SKIP() << "needs two ranks";
  Two two;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Neighbor_alltoall_init(two.sent.data(), kLong, MPI_INT, two.received.data(), kLong, MPI_INT, two.comm(), MPI_INFO_NULL, &request);
  if (rank() == 1) await(flags->is_over);
  if (rank() < 2) {
    two.seem_ended(rank() == 0);
    EXPECT_EQ(MPI_Start(&request), MPI_SUCCESS);
    EXPECT_NE(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    two.seem_ended(false);
    flags->is_over = 1;
    EXPECT_NE(MPI_Start(&request), MPI_SUCCESS);
  }
  EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
}

}  // namespace
