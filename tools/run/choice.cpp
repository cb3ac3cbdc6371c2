// SPDX-License-Identifier: BSD-3-Clause
#include "choice.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "abi.hpp"
#include "elf.hpp"
#include "loader.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

struct DropIn {
  std::string path, mpi;  ///< mpi: the name of the library that it was built with
};

std::string mpi_of_drop_in(const std::string &path) {
  const File file = read_library(path);
  const auto found = std::find_if(file.needed.begin(), file.needed.end(), is_mpi);
  return found == file.needed.end() ? "" : *found;
}

/// A distribution has the name without a version in the package for those who compile.
std::string with_or_without_version(const std::string &path) { return fs::exists(path) ? path : path + "." HALOCLINE_SOVERSION; }

/// First those that --library names, then those that are installed beside this program.
std::vector<DropIn> find_drop_ins(const Options &options) {
  std::vector<DropIn> found;
  for (const std::string &path : options.libraries) {
    found.push_back({fs::absolute(path), mpi_of_drop_in(path)});
    if (found.back().mpi.empty()) throw Refused(path + " is not a drop-in: it is missing, or needs no MPI");
  }
  const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path();
  for (const std::string &folder : std::set<std::string>{HALOCLINE_TO_LIBRARIES, "../lib"})
    for (const char *name : {"libhalocline_mpi.so", "libhalocline_mpi_abi.so"}) {
      const std::string path = with_or_without_version((programs / folder / name).lexically_normal());
      if (const std::string mpi = mpi_of_drop_in(path); !mpi.empty()) found.push_back({path, mpi});
    }
  return found;
}

/// What a program without any MPI for the loader should do instead.
std::string reason_without_mpi(const std::string &program) {
  if (has_mpi_inside(program))
    return program + " has MPI linked into it statically: its calls cannot be replaced. Link it with the shared library of MPI";
  return program +
         " uses no shared library of MPI (libmpi.so, libmpich.so, libmpi_abi.so). If it loads one while it runs, as Python does, name that "
         "by "
         "--abi mpich, openmpi or mpi5";
}

/// Refuses files that the loader cannot be asked about.
void check_file(const std::string &program, const File &file) {
  switch (file.kind) {
    case Kind::missing: throw Refused("no such program: " + program);
    case Kind::forbidden: throw Refused(program + " is not readable and executable");
    case Kind::script:
      throw Refused(program +
                    " is a script, which does not say what MPI its programs use. Name that by --abi mpich, openmpi or mpi5, or put "
                    "halocline-run --mpi before the program in the script");
    case Kind::unknown: throw Refused(program + " is not a program for this machine");
    case Kind::standalone: throw Refused(program + " is linked statically: no library can be loaded before its MPI");
    case Kind::dynamic: return;
  }
}

/// The MPI that the loader gives the program.
Loaded find_mpi(const std::string &program) {
  const std::vector<Loaded> mpis = mpis_of(ask_loader(program, ""));
  if (mpis.empty()) throw Refused(reason_without_mpi(program));
  if (mpis.size() > 1)
    throw Refused(program + " has two MPIs: " + described(mpis[0].name) + " and " + described(mpis[1].name) + ". It must use one");
  if (mpis[0].path.empty()) throw Refused(program + " needs " + mpis[0].name + ", which the loader does not find. Set LD_LIBRARY_PATH");
  return mpis[0];
}

std::string listed(const std::vector<DropIn> &all) {
  std::string text;
  for (const DropIn &drop_in : all) text += "\n  " + drop_in.path + ", for " + described(drop_in.mpi);
  return text.empty() ? " none" : text;
}

/// The drop-in needs the program's MPI by its very name: by another one it would bring a second MPI. --abi alone names no library.
bool fits(const DropIn &drop_in, const Choice &choice) {
  return drop_in.mpi == choice.library || (choice.mpi.empty() && abi_of_library(drop_in.mpi) == abi_of_library(choice.library));
}

const DropIn &fitting(const std::vector<DropIn> &all, const Choice &choice) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const DropIn &drop_in) { return fits(drop_in, choice); });
  if (found != all.end()) return *found;
  throw Refused(
      choice.program + " uses " + described(choice.library) +
      ", and no drop-in here is for that. Build Halocline with that MPI (HALOCLINE_MPI_PREFIX), and give its library to --library. Found:" +
      listed(all));
}

/// LD_PRELOAD separates its files by spaces and colons, and knows no quotes. The loader would complain, and run the program without them.
void check_for_preload(const std::string &path) {
  if (path.find_first_of(" :\t\n") == std::string::npos) return;
  throw Refused("LD_PRELOAD cannot name '" + path +
                "': a space or a colon separates its files. Name the folder by a symbolic link without them, as in ln -s '" +
                fs::path(path).parent_path().string() + "' /tmp/drop-in, and say --library /tmp/drop-in/" +
                fs::path(path).filename().string());
}

/// A drop-in may bring the MPI of its own build, where only another library of the program needs MPI. Then the program's is preloaded, too.
std::string with_the_same_mpi(const Choice &choice) {
  for (const Loaded &mpi : mpis_of(ask_loader(choice.program, choice.preload)))
    if (mpi.path != choice.mpi) {
      check_for_preload(choice.mpi);
      return choice.preload + ":" + choice.mpi;
    }
  return choice.preload;
}

/// A tool that the user preloads sees the program's calls, and passes them to the drop-in under their names PMPI_X.
std::string preloaded(const DropIn &drop_in) {
  const char *before = std::getenv("LD_PRELOAD");
  return (before && *before ? std::string(before) + ":" : "") + drop_in.path;
}

}  // namespace

Choice choose(const Options &options) {
  Choice choice{find_program(options.command.front()), "", "", ""};
  const File file = read_program(choice.program);
  const Abi *named = abi_of_option(options.abi);
  const bool is_known =
      named && (file.kind == Kind::script || (file.kind == Kind::dynamic && mpis_of(ask_loader(choice.program, "")).empty()));
  if (is_known) {
    choice.library = named->libraries.front();
  } else {
    check_file(choice.program, file);
    const Loaded mpi = find_mpi(choice.program);
    choice.mpi = mpi.path;
    choice.library = mpi.name;
  }
  if (named && abi_of_library(choice.library) != named)
    throw Refused(choice.program + " uses " + described(choice.library) + ", but --abi is " + described(named->libraries.front()));
  const std::vector<DropIn> all = find_drop_ins(options);
  const DropIn &drop_in = fitting(all, choice);
  check_for_preload(drop_in.path);
  choice.preload = preloaded(drop_in);
  if (!choice.mpi.empty()) choice.preload = with_the_same_mpi(choice);
  return choice;
}

}  // namespace runner
