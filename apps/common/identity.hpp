// Which MPI, which host and which time a report is of. Nothing of the library is needed, so that halocline-doctor includes it, too.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <string>

namespace common {

/// The MPI library's own version text. Needs no MPI_Init.
inline std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  return text;  // Open MPI 4 counts the zero byte at the end
}

/// The first line of that text without tabs and doubled blanks: enough to tell one MPI from another.
inline std::string short_mpi(std::string text) {
  text = text.substr(0, text.find_first_of(",\n"));
  std::replace(text.begin(), text.end(), '\t', ' ');
  text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }), text.end());
  return text;
}

inline std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

inline std::string now_utc() {
  char text[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

}  // namespace common
