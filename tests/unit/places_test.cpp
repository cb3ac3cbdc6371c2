// Where libfabric is searched for: never relative to the working directory.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/library.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace halocline::core::transport::ofi
