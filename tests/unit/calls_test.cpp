// In which call a rank is, while one of its threads makes a collective call and another one waits.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "engine/context/context.hpp"

namespace halocline::core {
namespace {

constexpr CallWord kSwap{CallName::swap, 1}, kOther{CallName::notify_wait, 0};

TEST(Calls, keep_their_word_when_a_wait_of_another_thread_ends) {
  Context context;
  EXPECT_TRUE(context.calls().enter_wait(kSwap));
  EXPECT_EQ(context.call().packed(), kSwap.packed());
  {
    const Call call(context, CallName::halo_init, 2);
    EXPECT_EQ(context.call().name, CallName::halo_init) << "the call counts for more than the wait";
    context.calls().leave_wait();
    EXPECT_EQ(context.call().name, CallName::halo_init);
    EXPECT_EQ(context.calls().collective().name, CallName::halo_init);
  }
  EXPECT_EQ(context.call().name, CallName::none);
}

TEST(Calls, leave_a_wait_that_goes_on_its_word) {
  Context context;
  EXPECT_TRUE(context.calls().enter_wait(kSwap));
  EXPECT_FALSE(context.calls().enter_wait(kOther));
  { const Call call(context, CallName::halo_init, 2); }
  EXPECT_EQ(context.call().packed(), kSwap.packed());
  EXPECT_EQ(context.calls().collective().name, CallName::none);
  context.calls().leave_wait();
  EXPECT_EQ(context.call().name, CallName::none);
}

}  // namespace
}  // namespace halocline::core
