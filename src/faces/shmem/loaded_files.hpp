// The files that make up this process: the program and its libraries, as the loader has mapped them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halocline::core::shmem {

/// The writable pages of one loaded file.
struct StaticPages {
  std::string name;  // of the file, without its folder
  std::uintptr_t begin = 0;  // in this process
  std::int64_t bytes = 0;  // whole pages
  std::int64_t from_file = 0;  // of these; the others are zero at first
  std::uint64_t layout = 0;  // a hash of the file's program headers and build id
  std::int64_t offset = 0;  // among the static data of this PE, the same on all PEs
};

/// The writable pages of the program, and of the libraries that it needs and this library does not: those of MPI, of the C library and
/// the like hold no data of the program. What was loaded by dlopen is left out, too.
std::vector<StaticPages> find_static_pages();

}  // namespace halocline::core::shmem
