// Races collectives: sides that exchange the same data, sample by sample in turn in one process. Every sample's data are verified.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace race {

/// The host's function behind the drop-in's; null if it has none.
template <class Function>
Function *host_function(Function *, const char *name) {
  Dl_info host{};
  if (dladdr(reinterpret_cast<const void *>(&MPI_Comm_size), &host) == 0) return nullptr;
  void *const library = dlopen(host.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return library ? reinterpret_cast<Function *>(dlsym(library, name)) : nullptr;
}
#define HOST(name) race::host_function(&name, "P" #name)

struct Options {
  int samples = 25;
  double sample_us = 2000;
};

/// One side of a comparison: an exchange of buffers of its own.
struct Side {
  std::string name;
  std::function<void()> exchange;
  std::function<bool()> is_right;
  std::vector<double> us{};
};

inline int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline double slowest(double mine) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

inline double sample(Side &side, int count) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < count; ++i) side.exchange();
  return slowest((MPI_Wtime() - begin) / count * 1e6);
}

/// A program has written what it sends: the line is in its own cache alone.
inline void rewrite(std::vector<double> &values) {
  constexpr std::size_t kDoublesOfLine = 8;
  for (std::size_t i = 0; i < values.size(); i += kDoublesOfLine) {
    volatile double &value = values[i];
    value = value;
  }
}

/// A program reads what it has received, which brings each line to its own cache if the exchange has not.
inline void reread(const std::vector<double> &values) {
  constexpr std::size_t kDoublesOfLine = 8;
  for (std::size_t i = 0; i < values.size(); i += kDoublesOfLine) static_cast<void>(*static_cast<const volatile double *>(&values[i]));
}

inline double percentile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
}

/// Takes the samples of all sides; true if all data of all ranks were right. The first side says how many exchanges a sample has.
inline bool run(const Options &options, std::vector<Side> &sides) {
  int count = 1;
  for (Side &side : sides) {
    for (int i = 0; i < 5; ++i) sample(side, 2);
    const double us = sample(side, 5);
    if (&side == &sides.front()) count = std::clamp(static_cast<int>(options.sample_us / us), 1, 2000);
  }
  MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
  bool right = true;
  for (int s = 0; s < options.samples; ++s) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      Side &side = sides[(i + static_cast<std::size_t>(s)) % sides.size()];
      side.us.push_back(sample(side, count));
      right = right && side.is_right();
    }
  }
  int mine = right ? 1 : 0, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

/// Prints on rank 0 what one side took, and its rival, and the ratio: of the least samples, of the lower quartiles, of the medians.
inline void print(const std::string &what, const Side &side, const Side &rival, bool right) {
  if (world_rank() != 0) return;
  std::printf("%-40s", what.c_str());
  for (const double part : {0.0, 0.25, 0.5})
    std::printf("   %8.2f %8.2f %6.2f", percentile(side.us, part), percentile(rival.us, part),
                percentile(rival.us, part) / percentile(side.us, part));
  std::printf("%s\n", right ? "" : "   WRONG DATA");
  std::fflush(stdout);
}

/// Takes an argument that all benches have; false if it is none of these.
inline bool take(Options *options, const std::string &word) {
  const auto value_of = [&word](const char *name) {
    return word.rfind(name, 0) == 0 ? word.substr(std::string(name).size()) : std::string();
  };
  if (const std::string samples = value_of("--samples="); !samples.empty()) return options->samples = std::max(1, std::stoi(samples)), true;
  if (const std::string us = value_of("--sample-us="); !us.empty()) return options->sample_us = std::stod(us), true;
  return false;
}

}  // namespace race
