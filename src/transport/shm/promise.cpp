// A promise is a read lock of an open file description on the directory /dev/shm. Which bytes it locks says what is promised:
//
//   first byte: process (23 bits) | its file (16 bits) | 24 bits of 0       bytes: MiB that are promised
//
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/promise.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace halocline::core::transport::shm {
namespace {

constexpr const char *kDirectory = "/dev/shm";
constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr int kLengthBits = 24, kFileBits = 16, kProcessBits = 23;

int open_directory() { return ::open(kDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

/// Of the object that a promise is for, what is not there yet. All that is promised, if this process may not look at the object.
std::int64_t missing(int directory, off_t first, std::int64_t promised) {
  const long long process = first >> (kLengthBits + kFileBits);
  const long long file = (first >> kLengthBits) & ((1 << kFileBits) - 1);
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%lld/fd/%lld", process, file);
  struct stat object, system;
  if (stat(path, &object) != 0 || fstat(directory, &system) != 0) return promised;
  const bool is_it = S_ISREG(object.st_mode) && object.st_dev == system.st_dev && (object.st_size + kMiB - 1) / kMiB * kMiB == promised;
  return is_it ? std::max<std::int64_t>(0, object.st_size - std::int64_t{512} * object.st_blocks) : promised;
}

/// What is promised by locks of other descriptions of the directory than this one.
std::int64_t promised_by_others(int directory) {
  std::int64_t sum = 0;
  off_t at = off_t{1} << (kLengthBits + kFileBits);  // there is no process 0
  for (;;) {
    struct flock found {};
    found.l_type = F_WRLCK;
    found.l_whence = SEEK_SET;
    found.l_start = at;
    if (fcntl(directory, F_OFD_GETLK, &found) != 0 || found.l_type == F_UNLCK || found.l_len <= 0) return sum;
    if (found.l_len < off_t{1} << kLengthBits) sum += missing(directory, found.l_start, found.l_len * kMiB);
    at = std::max(at, found.l_start) + found.l_len;
  }
}

int find_room(int file, int directory, std::int64_t bytes) {
  struct statvfs system;
  if (fstatvfs(file, &system) != 0) return errno;
  // A file system without a limit reports 0 blocks.
  if (system.f_blocks == 0) return 0;
  const auto free = static_cast<std::int64_t>(system.f_bavail * system.f_frsize);
  return bytes > free - promised_by_others(directory) ? ENOSPC : 0;
}

}  // namespace

int Promise::make(int file, std::int64_t bytes) {
  const std::int64_t length = (bytes + kMiB - 1) / kMiB, process = getpid();
  if (file >= 1 << kFileBits || process >= 1 << kProcessBits || length >= 1 << kLengthBits) return ENOTSUP;
  withdraw();
  directory_ = open_directory();
  if (directory_ < 0) return errno;
  // First the promise, then the count: of two processes that promise at the same time at least one counts the other's.
  struct flock promise {};
  promise.l_type = F_RDLCK;
  promise.l_whence = SEEK_SET;
  promise.l_start = (process << kFileBits | file) << kLengthBits;
  promise.l_len = length;
  int error = fcntl(directory_, F_OFD_SETLK, &promise) != 0 ? errno : 0;
  if (!error) error = find_room(file, directory_, bytes);
  if (error) withdraw();
  return error;
}

void Promise::withdraw() {
  if (directory_ >= 0) close(directory_);
  directory_ = -1;
}

std::int64_t promised_bytes() {
  const int directory = open_directory();
  if (directory < 0) return 0;
  const std::int64_t bytes = promised_by_others(directory);
  close(directory);
  return bytes;
}

int look_for_room(int file, std::int64_t bytes) {
  const int directory = open_directory();
  const int error = find_room(file, directory, bytes);
  if (directory >= 0) close(directory);
  return error;
}

}  // namespace halocline::core::transport::shm
