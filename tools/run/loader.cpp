// SPDX-License-Identifier: BSD-3-Clause
#include "loader.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "abi.hpp"

namespace runner {
namespace {

[[noreturn]] void become_traced(const char *program, const char *preload, int output) {
  setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
  if (*preload)
    setenv("LD_PRELOAD", preload, 1);
  else
    unsetenv("LD_PRELOAD");
  dup2(output, STDOUT_FILENO);
  dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
  execl(program, program, static_cast<char *>(nullptr));
  _exit(127);
}

/// What the program's loader prints.
std::string trace(const std::string &program, const std::string &preload) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("can't make a pipe");
  const pid_t child = fork();
  if (child == 0) become_traced(program.c_str(), preload.c_str(), ends[1]);
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t got = 0; (got = read(ends[0], part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    throw std::runtime_error("the dynamic loader does not say which libraries " + program + " needs");
  return text;
}

/// "name => path (address)", "name => not found", or "path (address)".
Loaded parse(const std::string &line) {
  const std::size_t begin = line.find_first_not_of(" \t"), end = line.rfind(" (0x"), arrow = line.find(" => ");
  if (begin == std::string::npos) return {};
  if (arrow == std::string::npos) {
    const std::string path = line.substr(begin, end == std::string::npos ? end : end - begin);
    return {std::filesystem::path(path).filename(), path};
  }
  const std::string name = line.substr(begin, arrow - begin);
  return {std::filesystem::path(name).filename(), end == std::string::npos ? "" : line.substr(arrow + 4, end - arrow - 4)};
}

}  // namespace

std::vector<Loaded> ask_loader(const std::string &program, const std::string &preload) {
  std::vector<Loaded> libraries;
  std::istringstream lines(trace(program, preload));
  for (std::string line; std::getline(lines, line);)
    if (Loaded library = parse(line); !library.name.empty()) libraries.push_back(std::move(library));
  return libraries;
}

std::vector<Loaded> mpis_of(const std::vector<Loaded> &libraries) {
  std::vector<Loaded> mpis;
  for (const Loaded &library : libraries)
    if (is_mpi(library.name)) mpis.push_back(library);
  return mpis;
}

}  // namespace runner
