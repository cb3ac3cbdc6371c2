// The binary interfaces of MPIs. A program and the drop-in before it need the same one; the name of the MPI's library says which.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace runner {

struct Abi {
  const char *option;                  ///< as --abi names it
  const char *owner;                   ///< for messages
  std::vector<const char *> libraries; ///< what programs need, as fnmatch has it; the first is the name that the MPI's own build has
};

/// The interface of an MPI's library, by the library's name, or by its option; null if it is none that is known. The name may have more
/// numbers: "libmpi.so.12.5.0".
const Abi *abi_of_library(const std::string &name);
const Abi *abi_of_option(const std::string &option);

/// True for the library of some MPI, known or not. Libraries for Fortran or C++ beside it are none.
bool is_mpi(const std::string &name);

/// "Open MPI (libmpi.so.40)".
std::string described(const std::string &library);

}  // namespace runner
