// SPDX-License-Identifier: BSD-3-Clause
#include "launcher.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "abi.hpp"
#include "elf.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

/// MPIEXEC, or the mpiexec in a bin/ near the MPI's libraries. Where several MPIs share that folder, names distinguish them.
std::string mpiexec_of(const Choice &choice) {
  if (const char *const named = std::getenv("MPIEXEC"); named && *named) return named;
  constexpr int most_folders_up = 5;  // /usr/lib/x86_64-linux-gnu/openmpi/lib, /usr/bin
  const Abi *abi = abi_of_library(choice.library);
  const char *const special = abi && abi == abi_of_option("openmpi") ? "mpiexec.openmpi" : "mpiexec.mpich";
  fs::path folder = fs::path(choice.mpi).parent_path();
  for (int up = 0; !choice.mpi.empty() && up < most_folders_up; ++up, folder = folder.parent_path()) {
    // Open MPI takes the folder above for its prefix, and refuses "/": /bin is a link to /usr/bin.
    const fs::path programs = fs::weakly_canonical(folder / "bin");
    for (const char *name : {special, "mpiexec"})
      if (const fs::path candidate = programs / name; access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  if (const std::string found = find_program("mpiexec"); found != "mpiexec") return found;
  throw Refused("no mpiexec beside the program's MPI or on the PATH. Give the launcher to --launcher");
}

/// Open MPI refuses root, and more ranks than cores, unless it is asked. It hands on only the variables that are named.
std::vector<std::string> flags_of_open_mpi() {
  std::vector<std::string> flags{"--oversubscribe"};
  if (geteuid() == 0) flags.emplace_back("--allow-run-as-root");
  for (char **variable = environ; *variable; ++variable)
    if (const std::string text = *variable; text.rfind("HALOCLINE_", 0) == 0)
      flags.insert(flags.end(), {"-x", text.substr(0, text.find('='))});
  return flags;
}

/// The launcher that is found, with the flags that `halocline run` gives it, too.
std::vector<std::string> found_launcher(const Choice &choice) {
  std::vector<std::string> words{mpiexec_of(choice)};
  if (abi_of_library(choice.library) != abi_of_option("openmpi")) return words;
  for (std::string &flag : flags_of_open_mpi()) words.push_back(std::move(flag));
  return words;
}

std::vector<std::string> words_of(const std::string &text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// halocline-run with the options that hold in each rank.
std::vector<std::string> again(const Options &options) {
  std::vector<std::string> words{fs::read_symlink("/proc/self/exe"), "--mpi"};
  if (!options.abi.empty()) words.insert(words.end(), {"--abi", options.abi});
  for (const std::string &library : options.libraries) words.insert(words.end(), {"--library", fs::absolute(library)});
  if (options.strict) words.emplace_back("--strict");
  if (options.info) words.emplace_back("--info");
  return words;
}

}  // namespace

std::vector<std::string> launch_command(const Options &options, const Choice &choice) {
  std::vector<std::string> words = options.launcher.empty() ? found_launcher(choice) : words_of(options.launcher);
  if (options.ranks > 0) words.insert(words.end(), {"-n", std::to_string(options.ranks)});
  for (const std::vector<std::string> &part : {again(options), options.command}) words.insert(words.end(), part.begin(), part.end());
  return words;
}

}  // namespace runner
