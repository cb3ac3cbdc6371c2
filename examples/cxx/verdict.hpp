// What every C++ example needs: one verdict line for all ranks, and an end for all ranks when one of them fails.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.hpp>

#include <cstdio>
#include <cstdlib>

/// Prints on rank 0 whether all ranks are content; returns what main returns.
inline int verdict(const char *example, bool right, const char *what) {
  int rank = 0, size = 0, mine = right, all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%s: %s: %s on %d rank%s\n", example, all ? "right" : "WRONG", what, size, size == 1 ? "" : "s");
  return all ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// Prints an example's line on rank 0: its number of ranks, a value of its own, and whether all ranks are content. Returns what main returns.
inline int report(const char *lesson, const char *what, std::int64_t value, bool right) {
  int rank = 0, size = 0, mine = right, all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%s: %d ranks, %s %lld: %s\n", lesson, size, what, static_cast<long long>(value), all ? "ok" : "WRONG");
  return all ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// Runs an example; an exception on one rank ends all.
template <class Example>
int run(Example &&example) {
  halocline::Mpi mpi;
  try {
    return example();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(EXIT_FAILURE);  // in some MPIs the call returns
  }
  return EXIT_FAILURE;
}
