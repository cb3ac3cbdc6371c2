// The TCP addresses at which this process listens: an endpoint of libfabric's tcp has one socket that does.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <system_error>

namespace halocline::test {

/// The sockets of this process, as the links in /proc/self/fd name them. A file may be closed meanwhile.
inline std::set<std::string> find_sockets() {
  std::set<std::string> sockets;
  std::error_code none;
  for (const auto &file : std::filesystem::directory_iterator("/proc/self/fd", none))
    sockets.insert(std::filesystem::read_symlink(file.path(), none).string());
  return sockets;
}

/// The TCP addresses at which this process listens, from /proc/net/tcp.
inline std::set<std::string> find_listening() {
  const std::set<std::string> sockets = find_sockets();
  std::set<std::string> addresses;
  for (const char *table : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    std::ifstream lines(table);
    std::string number, local, remote, state, skipped, inode;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      words >> number >> local >> remote >> state;
      for (int i = 0; i < 5; ++i) words >> skipped;
      if (words >> inode && state == "0A" && sockets.count("socket:[" + inode + "]") != 0) addresses.insert(local);
    }
  }
  return addresses;
}

}  // namespace halocline::test
