// Promises of room in /dev/shm, and what happens where a page is missing. Each test has a /dev/shm of its own, of 32 MiB.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "transport/shm/region.hpp"

namespace halocline::core::transport::shm {
namespace {

constexpr std::int64_t kOneMiB = std::int64_t{1} << 20;

/// Puts a small file system at /dev/shm, for this process and its children.
bool mount_small_one() {
  static const bool has_own_mounts = (geteuid() == 0 ? unshare(CLONE_NEWNS) : unshare(CLONE_NEWUSER | CLONE_NEWNS)) == 0 &&
                                     mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  return has_own_mounts && mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=32m,mode=1777") == 0;
}

class LatePagesTest : public testing::Test {
 protected:
  void SetUp() override {
    // The handler of a sanitizer is not the one that is to get the signal.
    static const auto sanitizers = signal(SIGBUS, SIG_DFL);
    static_cast<void>(sanitizers);
    if (!mount_small_one()) GTEST_SKIP() << "cannot mount a /dev/shm of its own: " << std::strerror(errno);
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) umount2("/dev/shm", MNT_DETACH);
  }

 private:
  bool mounted_ = false;
};

/// An object with one part. `error`: of what has failed.
struct Object {
  Region region;
  ObjectAddress address;
  int error = 0;

  explicit Object(std::int64_t bytes, Pages pages = Pages::promised) {
    region.lay_out({bytes});
    error = region.make_nameless(address);
    if (!error && pages == Pages::promised) error = region.promise();
    if (!error) error = region.map(0, pages);
    if (!error) region.explain_missing_pages(3);
  }
};

std::int64_t free_bytes() {
  struct statvfs system {};
  return statvfs("/dev/shm", &system) == 0 ? static_cast<std::int64_t>(system.f_bavail * system.f_frsize) : -1;
}

void fill_dev_shm() {
  const int file = open("/dev/shm/filler", O_CREAT | O_RDWR, 0600);
  ASSERT_EQ(posix_fallocate(file, 0, free_bytes()), 0);
  close(file);
}

/// A child that runs `work`, and then waits to be killed.
class Child {
 public:
  template <class Work>
  explicit Child(Work work) {
    int ready[2] = {};
    static_cast<void>(!pipe(ready));
    process_ = fork();
    if (process_ == 0) {
      const std::optional result(work());
      static_cast<void>(!write(ready[1], "r", 1));
      for (;;) pause();
    }
    char byte = 0;
    static_cast<void>(!read(ready[0], &byte, 1));
    close(ready[0]), close(ready[1]);
  }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;
  ~Child() { end(); }
  void end() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  pid_t process_ = 0;
};

TEST_F(LatePagesTest, take_no_room_until_they_are_touched_but_others_leave_it) {
  Object large(20 * kOneMiB);
  ASSERT_EQ(large.error, 0);
  EXPECT_EQ(free_bytes(), 32 * kOneMiB);
  EXPECT_EQ(promised_bytes(), 20 * kOneMiB);
  EXPECT_EQ(Object(16 * kOneMiB).error, ENOSPC);
  EXPECT_EQ(Object(16 * kOneMiB, Pages::reserved).error, ENOSPC);
  EXPECT_EQ(Object(16 * kOneMiB, Pages::huge).error, ENOSPC);
  EXPECT_EQ(Object(16 * kOneMiB, Pages::untouched).error, ENOSPC);
  EXPECT_EQ(Object(8 * kOneMiB).error, 0);
  EXPECT_EQ(promised_bytes(), 20 * kOneMiB);
}

TEST_F(LatePagesTest, that_have_been_touched_are_not_counted_twice) {
  Object large(20 * kOneMiB);
  std::memset(large.region.part(0), 1, 15 * kOneMiB);
  EXPECT_EQ(promised_bytes(), 5 * kOneMiB);
  EXPECT_EQ(free_bytes(), 17 * kOneMiB);
  EXPECT_EQ(Object(13 * kOneMiB).error, ENOSPC);
  EXPECT_EQ(Object(12 * kOneMiB).error, 0);
}

TEST_F(LatePagesTest, of_small_parts_are_there_at_once) {
  const Object small(2 * kOneMiB);
  EXPECT_EQ(free_bytes(), 30 * kOneMiB);
  EXPECT_EQ(promised_bytes(), 0);
}

TEST_F(LatePagesTest, are_still_promised_when_the_file_is_closed_and_the_object_has_moved) {
  std::optional<Object> large(20 * kOneMiB);
  large->region.close();
  Region moved = std::move(large->region);
  large.reset();
  EXPECT_EQ(promised_bytes(), 20 * kOneMiB);
  moved = Region();
  EXPECT_EQ(promised_bytes(), 0);
}

TEST_F(LatePagesTest, of_another_process_are_promised_until_it_has_ended) {
  Child other([] {
    Object large(20 * kOneMiB);
    std::memset(large.region.part(0), 1, 4 * kOneMiB);
    return large;
  });
  EXPECT_EQ(promised_bytes(), 16 * kOneMiB);
  EXPECT_EQ(Object(13 * kOneMiB).error, ENOSPC);
  Child second([] { return Object(8 * kOneMiB); });
  EXPECT_EQ(promised_bytes(), 24 * kOneMiB);
  other.end();
  EXPECT_EQ(promised_bytes(), 8 * kOneMiB);
  second.end();
  EXPECT_EQ(promised_bytes(), 0);
  EXPECT_EQ(Object(30 * kOneMiB).error, 0);
}

TEST_F(LatePagesTest, prefer_the_memory_of_their_owner) {
  const Object large(20 * kOneMiB);
  constexpr unsigned long kOfAddress = 2;
  int policy = -1;
  unsigned long nodes[16] = {};
  if (syscall(SYS_get_mempolicy, &policy, nodes, 1024UL, large.region.part(0), kOfAddress) != 0)
    GTEST_SKIP() << "the kernel does not tell the policy of memory: " << std::strerror(errno);
  int own = -1;
  ASSERT_EQ(syscall(SYS_get_mempolicy, &own, nullptr, 0UL, nullptr, 0UL), 0);
  if (own != 0) GTEST_SKIP() << "this process has a policy of its own";
  constexpr int kPreferred = 1;
  EXPECT_EQ(policy, kPreferred);
}

/// What a child writes to stderr before it ends, and how it ends.
struct Ending {
  std::string text;
  int status = 0;
};

template <class Work>
Ending ending_of(Work work) {
  int output[2] = {};
  static_cast<void>(!pipe(output));
  const pid_t process = fork();
  if (process == 0) {
    dup2(output[1], STDERR_FILENO);
    close(output[0]), close(output[1]);
    work();
    _exit(0);
  }
  close(output[1]);
  Ending ending;
  char some[256];
  for (ssize_t n = 0; (n = read(output[0], some, sizeof some)) > 0;) ending.text.append(some, static_cast<std::size_t>(n));
  close(output[0]);
  waitpid(process, &ending.status, 0);
  return ending;
}

TEST_F(LatePagesTest, that_others_have_taken_end_the_process_with_one_message) {
  Object large(20 * kOneMiB);
  std::memset(large.region.part(0), 1, 4 * kOneMiB);
  fill_dev_shm();
  const Ending ending = ending_of([&] {
    large.region.part(0)[4 * kOneMiB - 1] = 1;
    large.region.part(0)[6 * kOneMiB + 7] = 1;
  });
  EXPECT_TRUE(WIFSIGNALED(ending.status) && WTERMSIG(ending.status) == SIGBUS) << ending.status;
  EXPECT_EQ(ending.text,
            "halocline: rank 3 cannot get the page of byte 6291463 of 20971520 bytes of shared memory on its node: /dev/shm is full. There "
            "was room when this memory was made; other files have taken it since (see 'df /dev/shm')\n");
}

TEST_F(LatePagesTest, leave_other_errors_of_memory_to_whoever_handles_them) {
  const Object large(20 * kOneMiB);
  const Ending ending = ending_of([] { raise(SIGBUS); });
  EXPECT_TRUE(WIFSIGNALED(ending.status) && WTERMSIG(ending.status) == SIGBUS) << ending.status;
  EXPECT_EQ(ending.text, "");
}

}  // namespace
}  // namespace halocline::core::transport::shm
