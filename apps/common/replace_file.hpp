// A file that others read is replaced as a whole. Nothing of the library is needed, so that halocline-doctor includes it, too.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <exception>
#include <filesystem>
#include <string>

namespace common {

/// The file that is written first: one beside it, or itself where it is a link, a pipe or a device.
inline std::string first_written(const std::string &path) {
  std::error_code none;
  const std::filesystem::file_status there = std::filesystem::symlink_status(path, none);
  const bool is_replaced = !std::filesystem::exists(there) || std::filesystem::is_regular_file(there);
  return is_replaced ? path + "." + std::to_string(getpid()) : path;
}

/// Calls write(name), which throws if it can't write a file of that name, and puts that file in the place of `path`. Who reads it meanwhile
/// finds the old one or the new one. Throws what `write` throws, or std::filesystem::filesystem_error.
template <class Write>
void replace_file(const std::string &path, Write write) {
  const std::string part = first_written(path);
  try {
    write(part);
    if (part != path) std::filesystem::rename(part, path);
  } catch (const std::exception &) {
    std::error_code ignored;
    if (part != path) std::filesystem::remove(part, ignored);
    throw;
  }
}

}  // namespace common
