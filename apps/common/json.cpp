// SPDX-License-Identifier: BSD-3-Clause
#include "json.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace common {

Json environment_of(const Environment &e) {
  return {{"host", e.host},
          {"cpu", e.cpu},
          {"cores", e.context.cores},
          {"kernel", e.kernel},
          {"mpi", e.mpi},
          {"compiler", e.compiler},
          {"flags", e.flags},
          {"halocline", e.version},
          {"revision", e.revision},
          {"date", e.date},
          {"arguments", e.arguments},
          {"ranks", e.context.size},
          {"nodes", e.context.nodes},
          {"ranks_per_node", e.context.node_size},
          {"oversubscribed", e.oversubscribed()}};
}

void write_file(const Json &json, const std::string &path) {
  errno = 0;
  std::ofstream file(path);
  file << json.dump(2) << "\n";
  file.close();
  if (!file) throw std::runtime_error("can't write " + path + (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
}

std::string why_not_writable(const std::string &path) {
  std::error_code ignored;
  const std::filesystem::file_status there = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(there)) return std::strerror(EISDIR);
  if (std::filesystem::exists(there)) return access(path.c_str(), W_OK) == 0 ? "" : std::strerror(errno);
  errno = 0;
  if (!std::ofstream(path)) return errno != 0 ? std::strerror(errno) : "it can't be opened";
  std::filesystem::remove(path, ignored);
  return "";
}

}  // namespace common
