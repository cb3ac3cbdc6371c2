// What every test that runs under the MPI launcher shares: the ranks, one library context, one random seed, and agreements. Each test body
// runs on all ranks together; mpi_main.cpp gathers the failures of all of them after the body.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#include <halocline/halocline.h>

namespace halocline::test {

/// The caller's rank and the number of ranks of the launch.
int rank();
int size();

/// The context over all ranks, opened before the first test and closed after the last one.
hlc_context *context();

/// The seed of every random choice, the same on all ranks: HALOCLINE_TEST_SEED, or the time of the launch. Rank 0 prints it.
std::uint64_t seed();

/// Whether `mine` is true on every rank. Collective.
bool everyone(bool mine);

/// hlc_init, a few times if ranks are later than HALOCLINE_TIMEOUT, which is a second in some programs: on a busy machine a rank may need longer
/// to learn where it runs. Collective.
hlc_status open_context(MPI_Comm comm, hlc_context **opened);

/// Fails with the library's own message unless status is HLC_OK.
testing::AssertionResult ok(hlc_status status);

/// Fails unless status is `expected`; the failure quotes the library's message.
testing::AssertionResult is_status(hlc_status expected, hlc_status status);

}  // namespace halocline::test

/// Leaves the test on every rank together if the condition fails on one, so that no rank waits for another in a collective call.
#define REQUIRE_EVERYWHERE(condition)                                   \
  do {                                                                  \
    const bool mine_ = [&] {                                            \
      const bool holds_ = static_cast<bool>(condition);                 \
      EXPECT_TRUE(holds_) << #condition << ": " << hlc_error_message(); \
      return holds_;                                                    \
    }();                                                                \
    if (!halocline::test::everyone(mine_)) return;                      \
  } while (false)
