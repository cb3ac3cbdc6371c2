// SPDX-License-Identifier: BSD-3-Clause
#include "relaunch.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace doctor {
namespace {

namespace fs = std::filesystem;

/// A file of texts that each end with a zero byte.
std::vector<std::string> read_texts(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<std::string> texts;
  for (std::size_t start = 0; start < all.size();) {
    const std::size_t end = std::min(all.find('\0', start), all.size());
    texts.push_back(all.substr(start, end - start));
    start = end + 1;
  }
  return texts;
}

pid_t parent_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("PPid:", 0) == 0) return static_cast<pid_t>(std::stol(line.substr(5)));
  return 0;
}

/// A launcher's name is one that MPIs give theirs; a shell or a batch script that names the program too is none.
bool is_launcher(const std::vector<std::string> &words) {
  if (words.empty()) return false;
  const std::string name = fs::path(words.front()).filename();
  constexpr const char *names[] = {"mpiexec", "mpirun", "mpiexec.hydra", "mpiexec.gforker", "prterun", "orterun", "oshrun"};
  return std::any_of(std::begin(names), std::end(names), [&](const char *known) { return name == known; });
}

/// Where in a launcher's command line the program stands, as the user named it.
std::vector<std::string>::iterator find_program(std::vector<std::string> &words, const std::string &program) {
  const fs::path name = fs::path(program).filename();
  return std::find_if(words.begin() + 1, words.end(), [&](const std::string &word) { return fs::path(word).filename() == name; });
}

std::vector<char *> pointers(const std::vector<std::string> &texts) {
  std::vector<char *> list;
  for (const std::string &text : texts) list.push_back(const_cast<char *>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

/// In the child: nothing here may allocate.
[[noreturn]] void become(const std::vector<char *> &words, const std::vector<char *> &environment, int output) {
  setpgid(0, 0);
  // A launcher whose doctor was killed ends its ranks.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  // What MPI has open in this process is not the new one's.
  for (int file = 3; file < 256; ++file) close(file);
  execvpe(words[0], words.data(), environment.data());
  _exit(127);
}

std::string words_of(int status) {
  if (WIFSIGNALED(status)) return std::string("the launch ended by signal ") + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) == 127) return "the launcher could not be started";
  return WEXITSTATUS(status) ? "the launch ended with exit status " + std::to_string(WEXITSTATUS(status)) : "";
}

}  // namespace

std::optional<LaunchCommand> find_launch(const std::string &program, bool by_launcher) {
  if (!by_launcher) return LaunchCommand{{fs::read_symlink("/proc/self/exe")}, read_texts("/proc/self/environ")};
  // A launcher's own daemon may stand between; what lies further up is not ours.
  constexpr int most_generations = 4;
  pid_t pid = getppid();
  for (int i = 0; i < most_generations && pid > 1; ++i, pid = parent_of(pid)) {
    const std::string folder = "/proc/" + std::to_string(pid);
    std::vector<std::string> words = read_texts(folder + "/cmdline");
    if (!is_launcher(words)) continue;
    const auto place = find_program(words, program);
    if (place == words.end()) return std::nullopt;
    words.erase(place + 1, words.end());
    std::error_code error;
    if (const fs::path exe = fs::read_symlink(folder + "/exe", error); !error && is_launcher({exe})) words.front() = exe;
    return LaunchCommand{words, read_texts(folder + "/environ")};
  }
  return std::nullopt;
}

Job::Job(const LaunchCommand &command, const std::vector<std::string> &arguments, const std::string &output) {
  std::vector<std::string> words = command.words;
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<char *> argv = pointers(words), environment = pointers(command.environment);
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0) throw std::runtime_error("can't write " + output + ": " + std::strerror(errno));
  pid_ = fork();
  if (pid_ == 0) become(argv, environment, file);
  close(file);
  if (pid_ < 0) throw std::runtime_error(std::string("can't start a process: ") + std::strerror(errno));
}

bool Job::running() {
  if (pid_ < 0) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == 0) return true;
  end_ = words_of(status);
  pid_ = -1;
  return false;
}

bool Job::wait_for_end(int tries) {
  for (int i = 0; i < tries; ++i) {
    if (!running()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return !running();
}

void Job::stop() {
  if (!running()) return;
  const pid_t group = pid_;
  kill(-group, SIGTERM);
  if (wait_for_end(50)) return;
  kill(-group, SIGKILL);
  wait_for_end(500);
}

}  // namespace doctor
