// What a process holds: memory, open files, mappings of shared memory. Read from /proc.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace halocline::test {

struct Footprint {
  long resident_kib = 0;  ///< resident memory
  long files = 0;         ///< open file descriptors
  long shared_kib = 0;    ///< mapped objects of the library in /dev/shm
  long named = 0;         ///< names that this process has left in /dev/shm
};

inline long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmRSS:", 0) == 0) return std::stol(line.substr(6));
  return 0;
}

inline long mapped_kib() {
  std::ifstream maps("/proc/self/maps");
  long bytes = 0;
  for (std::string line; std::getline(maps, line);) {
    unsigned long from = 0, to = 0;
    // An object without a name shows up as its number.
    const bool ours = line.find("/dev/shm/#") != std::string::npos || line.find("/dev/shm/halocline-") != std::string::npos;
    if (!ours || std::sscanf(line.c_str(), "%lx-%lx", &from, &to) != 2) continue;
    bytes += static_cast<long>(to - from);
  }
  return bytes / 1024;
}

inline long names_left(int process) {
  const std::string start = "halocline-" + std::to_string(process) + "-";
  long names = 0;
  std::error_code gone;  // files of other processes appear and disappear
  for (const auto &file : std::filesystem::directory_iterator("/dev/shm", gone))
    names += file.path().filename().string().rfind(start, 0) == 0;
  return names;
}

inline Footprint footprint(int process) {
  Footprint held;
  for ([[maybe_unused]] const auto &file : std::filesystem::directory_iterator("/proc/self/fd")) ++held.files;
  held.resident_kib = resident_kib();
  held.shared_kib = mapped_kib();
  held.named = names_left(process);
  return held;
}

}  // namespace halocline::test
