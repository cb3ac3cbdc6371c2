// The endpoints of the network that this process has, by its open files. One of libfabric's tcp has a socket that listens. One of verbs has a
// channel to the kernel's manager of connections.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <system_error>

namespace halocline::test {

/// The open files of this process, as the links in /proc/self/fd name them. A file may be closed meanwhile.
inline std::multiset<std::string> find_files() {
  std::multiset<std::string> files;
  std::error_code none;
  for (const auto &file : std::filesystem::directory_iterator("/proc/self/fd", none))
    files.insert(std::filesystem::read_symlink(file.path(), none).string());
  return files;
}

/// The TCP addresses at which this process listens, from /proc/net/tcp.
inline std::set<std::string> find_listening() {
  const std::multiset<std::string> files = find_files();
  std::set<std::string> addresses;
  for (const char *table : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    std::ifstream lines(table);
    std::string number, local, remote, state, skipped, inode;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      words >> number >> local >> remote >> state;
      for (int i = 0; i < 5; ++i) words >> skipped;
      if (words >> inode && state == "0A" && files.count("socket:[" + inode + "]") != 0) addresses.insert(local);
    }
  }
  return addresses;
}

/// Others, as MPI, may have some, too.
inline std::size_t count_endpoints() { return find_listening().size() + find_files().count("/dev/infiniband/rdma_cm"); }

}  // namespace halocline::test
