// SPDX-License-Identifier: BSD-3-Clause
#include "abi.hpp"

#include <algorithm>
#include <iterator>

namespace runner {
namespace {

constexpr Abi kKnown[] = {
    {"mpich", "libmpi.so.12", "MPICH and Intel MPI"},
    {"openmpi", "libmpi.so.40", "Open MPI"},
    {"mpi5", "libmpi_abi.so.1", "the MPI-5 ABI"},
};

template <class Is>
const Abi *find(Is is) {
  const auto *const found = std::find_if(std::begin(kKnown), std::end(kKnown), is);
  return found == std::end(kKnown) ? nullptr : found;
}

}  // namespace

const Abi *abi_of_library(const std::string &name) {
  return find([&](const Abi &abi) { return name == abi.library; });
}

const Abi *abi_of_option(const std::string &option) {
  return find([&](const Abi &abi) { return option == abi.option; });
}

bool is_mpi(const std::string &name) { return name.rfind("libmpi.so.", 0) == 0 || name.rfind("libmpi_abi.so.", 0) == 0; }

std::string described(const std::string &library) {
  const Abi *abi = abi_of_library(library);
  return std::string(abi ? abi->owner : "another MPI") + " (" + library + ")";
}

}  // namespace runner
