// SPDX-License-Identifier: BSD-3-Clause
#include "launcher.hpp"

#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "abi.hpp"
#include "elf.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

/// The mpiexec of an MPI stands in a bin/ near its libraries. Where several MPIs share that folder, names distinguish them.
std::string mpiexec_of(const Choice &choice) {
  constexpr int most_folders_up = 5;  // /usr/lib/x86_64-linux-gnu/openmpi/lib, /usr/bin
  const Abi *abi = abi_of_library(choice.library);
  const char *const special = abi && abi == abi_of_option("openmpi") ? "mpiexec.openmpi" : "mpiexec.mpich";
  fs::path folder = fs::path(choice.mpi).parent_path();
  for (int up = 0; !choice.mpi.empty() && up < most_folders_up; ++up, folder = folder.parent_path())
    for (const char *name : {special, "mpiexec"})
      if (const fs::path candidate = folder / "bin" / name; access(candidate.c_str(), X_OK) == 0) return candidate;
  if (const std::string found = find_program("mpiexec"); found != "mpiexec") return found;
  throw Refused("there is no mpiexec beside the program's MPI or on the PATH. Name the launcher by --launcher");
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
  std::vector<std::string> words = words_of(options.launcher.empty() ? mpiexec_of(choice) : options.launcher);
  if (options.ranks > 0) words.insert(words.end(), {"-n", std::to_string(options.ranks)});
  for (const std::vector<std::string> &part : {again(options), options.command}) words.insert(words.end(), part.begin(), part.end());
  return words;
}

}  // namespace runner
