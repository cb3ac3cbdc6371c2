// A file that others read is replaced as a whole. Nothing of the library is needed, so that halocline-doctor includes it, too.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>

namespace common {

/// The file that is written first: one beside it, or itself where it is a link, a pipe or a device.
inline std::string first_written(const std::string &path) {
  std::error_code none;
  const std::filesystem::file_status there = std::filesystem::symlink_status(path, none);
  const bool is_replaced = !std::filesystem::exists(there) || std::filesystem::is_regular_file(there);
  return is_replaced ? path + "." + std::to_string(getpid()) : path;
}

/// What libraries that write files do not say of an error: a file's disk is full. Else it is empty.
inline std::string if_full(const std::string &path) {
  std::error_code unknown;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const std::filesystem::space_info space = std::filesystem::space(folder.empty() ? "." : folder, unknown);
  return !unknown && space.available < 65536 ? "; the disk is full" : "";
}

/// Brings what was written to a file to the disk. Throws std::filesystem::filesystem_error.
inline void store(const std::string &path) {
  const int file = open(path.c_str(), O_RDONLY);
  const int status = file < 0 ? -1 : fsync(file);
  const int why = errno;
  if (file >= 0) close(file);
  if (status != 0) throw std::filesystem::filesystem_error("cannot be stored", path, std::error_code(why, std::generic_category()));
}

/// Calls write(name), which throws if it can't write a file of that name, stores that file, and puts it in the place of `path`. Who reads it
/// meanwhile, or after a crash of the machine, finds the old one or the new one. Throws what `write` throws, or
/// std::filesystem::filesystem_error.
template <class Write>
void replace_file(const std::string &path, Write write) {
  const std::string part = first_written(path);
  try {
    write(part);
    if (part != path) {
      store(part);
      std::filesystem::rename(part, path);
    }
  } catch (const std::exception &) {
    std::error_code ignored;
    if (part != path) std::filesystem::remove(part, ignored);
    throw;
  }
}

}  // namespace common
