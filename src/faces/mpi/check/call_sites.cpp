// Stack frames, the files that they are in, and addr2line.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/check/call_sites.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

namespace halocline::core::mpi {
namespace {

constexpr std::uint32_t kUnknown = CallSites::kMax;

const char *base_of(const char *file) {
  const char *slash = std::strrchr(file, '/');
  return slash ? slash + 1 : file;
}

/// The object file of an address of code, and where it is loaded.
struct Module {
  explicit Module(const void *address) {
    Dl_info info{};
    void *map = nullptr;
    if (dladdr1(address, &info, &map, RTLD_DL_LINKMAP) == 0 || !map) return;
    const auto *loaded = static_cast<const link_map *>(map);
    base = loaded->l_addr;
    file = loaded->l_name;
    if (!file.empty()) return;
    char program[240] = "";
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    file.assign(program, length > 0 ? static_cast<std::size_t>(length) : 0);
  }
  /// This library, and what an MPI has between it and the program.
  bool belongs_to_mpi() const {
    const char *name = base_of(file.c_str());
    return std::strncmp(name, "libhalocline", 12) == 0 || std::strncmp(name, "libmpi", 6) == 0 || std::strncmp(name, "libmpl", 6) == 0;
  }

  std::uint64_t base = 0;
  std::string file;
};

/// Null if there is none.
const void *frame_of_program() {
  void *frames[24];
  const int count = backtrace(frames, 24);
  int i = 0;
  while (i < count && !Module(frames[i]).belongs_to_mpi()) ++i;  // a sanitizer stands before backtrace
  while (i < count && Module(frames[i]).belongs_to_mpi()) ++i;
  return i < count ? frames[i] : nullptr;
}

/// The environment without LD_PRELOAD: what is loaded into MPI programs has no place in others.
std::vector<char *> environment_of_tools() {
  std::vector<char *> kept;
  for (char **variable = environ; *variable; ++variable)
    if (std::strncmp(*variable, "LD_PRELOAD=", 11) != 0) kept.push_back(*variable);
  kept.push_back(nullptr);
  return kept;
}

/// What a process writes to its standard output, up to 1023 bytes; empty if it cannot be started.
std::string output_of(std::vector<std::string> words) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  std::vector<char *> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string &word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  pid_t child = -1;
  const bool started = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environment_of_tools().data()) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char text[1024];
  std::size_t bytes = 0;
  for (ssize_t got = 1; started && got > 0 && bytes < sizeof text; bytes += got > 0 ? static_cast<std::size_t>(got) : 0)
    got = read(ends[0], text + bytes, sizeof text - bytes);
  close(ends[0]);
  if (started) waitpid(child, nullptr, 0);
  return {text, bytes};
}

/// "function\nfile:line\n" becomes "function (file:line)", with `place` where the line is not known.
std::string with_line(const std::string &found, const std::string &place) {
  const std::size_t first = found.find('\n'), second = found.find('\n', first + 1);
  if (second == std::string::npos || found[0] == '?') return place;
  std::string line = found.substr(first + 1, second - first - 1);
  line = line.substr(0, line.find(" (discriminator"));
  const bool is_known = !line.empty() && line[0] != '?' && line.find(":?") == std::string::npos;
  return found.substr(0, first) + " (" + (is_known ? base_of(line.c_str()) : place) + ")";
}

}  // namespace

std::uint32_t CallSiteWriter::here() {
  const void *frame = frame_of_program();
  const std::lock_guard lock(mutex_);
  if (!frame || !sites_) return kUnknown;
  if (const auto found = known_.find(frame); found != known_.end()) return found->second;
  if (sites_->used == CallSites::kMax) return kUnknown;
  const Module module(frame);
  CallSites::Site &site = sites_->all[sites_->used];
  site.offset = reinterpret_cast<std::uint64_t>(frame) - module.base - 1;  // a frame holds the address behind its call
  std::snprintf(site.file, sizeof site.file, "%s", module.file.c_str());
  known_[frame] = sites_->used;
  return sites_->used++;
}

std::string text_of(const CallSites &sites, std::uint32_t site) {
  if (site >= CallSites::kMax) return "unknown call site";
  char offset[32];
  std::snprintf(offset, sizeof offset, "0x%" PRIx64, sites.all[site].offset);
  const std::string place = std::string(base_of(sites.all[site].file)) + "+" + offset;
  return with_line(output_of({"addr2line", "-C", "-s", "-f", "-e", sites.all[site].file, offset}), place);
}

}  // namespace halocline::core::mpi
