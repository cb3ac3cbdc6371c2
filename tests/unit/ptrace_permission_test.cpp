// Which processes may copy memory: the process that has started all ranks of a node, and its descendants.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/memory/ptrace_permission.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace halocline::core {
namespace {

/// A child that waits to be killed.
class Child {
 public:
  Child() : process_(fork()) {
    while (process_ == 0) pause();
  }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;
  ~Child() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  pid_t process() const { return process_; }

 private:
  pid_t process_;
};

TEST(PtracePermission, is_for_what_descends_from_the_nearest_common_ancestor) {
  const Child first, second;
  EXPECT_EQ(common_ancestor({first.process()}), first.process());
  EXPECT_EQ(common_ancestor({first.process(), second.process()}), getpid());
  EXPECT_EQ(common_ancestor({first.process(), getpid()}), getpid());
}

TEST(PtracePermission, is_for_nobody_where_only_the_first_process_is_common) {
  EXPECT_EQ(common_ancestor({getpid(), 1}), 0);
  EXPECT_EQ(common_ancestor({}), 0);
}

}  // namespace
}  // namespace halocline::core
