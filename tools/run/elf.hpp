// What kind of file a program is, and which libraries it names: read from the file, which is not run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace runner {

enum class Kind {
  missing,     ///< there is no such file
  forbidden,   ///< it may not be run, or not be read
  script,      ///< it begins with "#!"
  unknown,     ///< no program of this machine
  standalone,  ///< linked statically: nothing can be loaded before it
  dynamic      ///< the loader brings its libraries, and what LD_PRELOAD names
};

struct File {
  Kind kind = Kind::missing;
  std::vector<std::string> needed;  ///< the libraries that it names itself
};

/// A file that is cut off or otherwise broken is unknown.
File read_program(const std::string &path);
/// The same for a shared library, which counts as dynamic and need not be executable.
File read_library(const std::string &path);

/// True if MPI_Init is in the file itself, and not in a library.
bool has_mpi_inside(const std::string &path);

/// A program as a shell finds it: a path, or a name in the folders of PATH. The name itself if there is none.
std::string find_program(const std::string &name);

}  // namespace runner
