// SPDX-License-Identifier: BSD-3-Clause
#include "abi.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace runner {
namespace {

/// Debian's MPICH is libmpich; Cray has a library for each compiler. loaded_mpi.cpp and _mpi_names.py have the same table.
const std::vector<Abi> &known() {
  static const std::vector<Abi> all = {
      {"mpich",
       "MPICH and Intel MPI",
       {"libmpi.so.12", "libmpich.so.12", "libmpi_gnu*.so.12", "libmpi_cray*.so.12", "libmpi_intel*.so.12", "libmpi_nvidia*.so.12",
        "libmpi_amd*.so.12", "libmpi_aocc*.so.12"}},
      {"openmpi", "Open MPI", {"libmpi.so.40"}},
      {"mpi5", "the MPI-5 ABI", {"libmpi_abi.so.1"}},
  };
  return all;
}

template <class Is>
const Abi *find(Is is) {
  const auto found = std::find_if(known().begin(), known().end(), is);
  return found == known().end() ? nullptr : &*found;
}

bool matches(const std::string &name, const std::string &pattern) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0 || fnmatch((pattern + ".*").c_str(), name.c_str(), 0) == 0;
}

}  // namespace

const Abi *abi_of_library(const std::string &name) {
  return find([&](const Abi &abi) {
    return std::any_of(abi.libraries.begin(), abi.libraries.end(), [&](const char *pattern) { return matches(name, pattern); });
  });
}

const Abi *abi_of_option(const std::string &option) {
  return find([&](const Abi &abi) { return option == abi.option; });
}

bool is_mpi(const std::string &name) {
  if (abi_of_library(name)) return true;
  const auto begins = [&](const char *start) { return name.rfind(start, 0) == 0; };
  return begins("libmpi.so.") || begins("libmpich.so.") || begins("libmpi_abi.so.");
}

std::string described(const std::string &library) {
  const Abi *abi = abi_of_library(library);
  return std::string(abi ? abi->owner : "another MPI") + " (" + library + ")";
}

}  // namespace runner
