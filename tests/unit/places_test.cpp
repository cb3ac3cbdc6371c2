// Where libfabric is searched for: never relative to the working directory. What it finds in its environment.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/library.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "transport/ofi/initialising.hpp"

namespace halocline::core::transport::ofi {
namespace {

TEST(Places, beside_MPI_are_looked_at_where_its_path_is_whole) {
  const std::vector<std::string> found = places("", "/opt/mpi/lib/libmpi.so.12");
  EXPECT_EQ(found.front(), "libfabric.so.1");
  EXPECT_EQ(found.back(), "/opt/mpi/lib/openmpi/libfabric.so.1");
  EXPECT_EQ(found.size(), 4u);
}

TEST(Places, are_never_relative_to_the_working_directory) {
  for (const char *mpi : {"program", "./program", "bin/program", "../program", ""}) {
    const std::vector<std::string> found = places("", mpi);
    EXPECT_EQ(found, std::vector<std::string>{"libfabric.so.1"}) << mpi;
  }
}

TEST(Places, begin_with_the_one_that_is_named) { EXPECT_EQ(places("/lib/libfabric.so.1", "").front(), "/lib/libfabric.so.1"); }

TEST(Peers, are_those_of_the_job_where_libfabric_would_make_room_for_more) {
  EXPECT_EQ(peers_of(0), 0);
  EXPECT_EQ(peers_of(2), 16);
  EXPECT_EQ(peers_of(16), 16);
  EXPECT_EQ(peers_of(17), 32);
  EXPECT_EQ(peers_of(128), 128);
  EXPECT_EQ(peers_of(129), 0);
  EXPECT_EQ(peers_of(32'768), 0);
}

std::string value_of(const char *name) {
  const char *const value = std::getenv(name);
  return value ? value : "(none)";
}

TEST(InitialisingVariables, are_as_before_once_libfabric_is_initialised) {
  unsetenv("FI_UNIVERSE_SIZE");
  setenv("FI_MR_CACHE_MAX_COUNT", "7", 1);
  {
    const InitialisingVariables variables(2);
    EXPECT_EQ(value_of("FI_UNIVERSE_SIZE"), "16");
    EXPECT_EQ(value_of("FI_MR_CACHE_MAX_COUNT"), "0");
  }
  EXPECT_EQ(value_of("FI_UNIVERSE_SIZE"), "(none)");
  EXPECT_EQ(value_of("FI_MR_CACHE_MAX_COUNT"), "7");
}

TEST(InitialisingVariables, leave_what_the_user_has_set) {
  setenv("FI_UNIVERSE_SIZE", "64", 1);
  setenv("FI_MR_CACHE_MONITOR", "userfaultfd", 1);
  {
    const InitialisingVariables variables(2);
    EXPECT_EQ(value_of("FI_UNIVERSE_SIZE"), "64");
    EXPECT_EQ(value_of("FI_MR_CACHE_MAX_COUNT"), "7");
  }
  EXPECT_EQ(value_of("FI_UNIVERSE_SIZE"), "64");
}

TEST(SharedReceives, are_switched_off_for_verbs_alone_and_only_where_they_are_on) {
  unsetenv(kSharedReceives);
  EXPECT_EQ(shared_receives_for("verbs;ofi_rxm"), "");
  setenv(kSharedReceives, "1", 1);
  EXPECT_EQ(shared_receives_for("verbs;ofi_rxm"), "0");
  EXPECT_EQ(shared_receives_for("tcp;ofi_rxm"), "");
  unsetenv(kSharedReceives);
}

}  // namespace
}  // namespace halocline::core::transport::ofi
