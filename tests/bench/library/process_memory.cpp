// SPDX-License-Identifier: BSD-3-Clause
#include "library/process_memory.hpp"

#include <sys/statvfs.h>

#include <fstream>
#include <limits>
#include <map>
#include <string>

namespace bench {

ProcessMemory process_memory() {
  // A line is "Name: number kB"; the first one has no such form.
  std::ifstream file("/proc/self/smaps_rollup");
  file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  std::map<std::string, double> kilobytes;
  std::string name, unit;
  for (double number = 0; file >> name >> number >> unit;) kilobytes[name] = number;
  ProcessMemory found;
  found.own = 1024 * kilobytes["Pss_Anon:"];
  found.shared = 1024 * kilobytes["Pss_Shmem:"];
  struct statvfs node {};
  if (statvfs("/dev/shm", &node) == 0)
    found.reserved = static_cast<double>(node.f_blocks - node.f_bfree) * static_cast<double>(node.f_frsize);
  return found;
}

}  // namespace bench
