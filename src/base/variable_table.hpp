// The environment variables with the prefix HALOCLINE_: which there are, what each does, and its value where it is not set.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <stdexcept>
#include <string_view>

namespace halocline::core {

/// What reads a variable. place: nothing does; environment modules and CMake say with it where the library is installed.
enum class Reader { library, drop_in, python, command, tests, place };

struct Variable {
  std::string_view name;      ///< without the prefix
  Reader reader;
  std::string_view standard;  ///< its value where it is not set; empty: none
  std::string_view meaning;
};

inline constexpr std::array kVariables{
    Variable{"MODE", Reader::library, "auto", "mode of plans that do not name one"},
    Variable{"AUTO_MODES", Reader::library, "all", "modes that auto may choose"},
    Variable{"AUTO_PERIOD", Reader::library, "1000", "swaps between two looks of auto at the times"},
    Variable{"ALLREDUCE", Reader::library, "what the card predicts", "at_once or chunks: how reductions are carried out"},
    Variable{"DOCTOR", Reader::library, "the one of this host and MPI", "halocline-doctor's report: a file, or none"},
    Variable{"EPOCH", Reader::library, "early", "when modes fence and pscw open an epoch: early or late"},
    Variable{"DRIVE", Reader::library, "put", "which side moves the data in mode fence: put or get"},
    Variable{"TIMEOUT", Reader::library, "300", "seconds that bound each wait; 0: never"},
    Variable{"CHECK", Reader::library, "0", "1: checks the rules of the API"},
    Variable{"SUMMARY", Reader::library, "", "1: prints a table per plan when it is released"},
    Variable{"TRACE", Reader::library, "", "folder for a trace of each rank"},
    Variable{"QUIET", Reader::library, "", "any value: no reports of requests that are not possible here"},
    Variable{"NETWORK", Reader::library, "the one with the better device", "library that reaches other nodes: ofi (libfabric) or ucx"},
    Variable{"PROVIDER", Reader::library, "the fastest that fits", "libfabric's provider between nodes, or UCX's transports, or none"},
    Variable{"INTERFACE", Reader::library, "that of the host's name", "network interface, by its name or address"},
    Variable{"LIBFABRIC", Reader::library, "the one of the system or of MPI", "libfabric's file"},
    Variable{"CARD", Reader::library, "the card of this host and MPI", "machine card: a file, or default"},
    Variable{"XPMEM", Reader::library, "libxpmem, if /dev/xpmem is there", "library of XPMEM, or none"},
    Variable{"HUGE_PAGES", Reader::library, "1", "0: fields of 2 MiB and more are in small pages"},
    Variable{"PROGRESS", Reader::library, "spare", "what drives progress between nodes: spare, caller, thread or helper"},
    Variable{"FAKE_NODES", Reader::library, "", "treats the ranks as this number of nodes"},
    Variable{"LOG", Reader::drop_in, "", "info: says which windows the host MPI carries, and why"},
    Variable{"MPI_STRICT", Reader::drop_in, "", "1: a window that the engine cannot carry is an error"},
    Variable{"MPI_COLLECTIVES", Reader::drop_in, "", "host: the MPI carries neighbourhood and persistent collectives"},
    Variable{"MPI_LOCK", Reader::drop_in, "", "mcs: ranks queue for an exclusive lock"},
    Variable{"PYTHON_MPI", Reader::python, "the MPI that is loaded, or can be", "variant of the Python package: mpich, openmpi or mpiabi"},
    Variable{"HOME", Reader::command, "", "prefix in whose bin the command halocline looks for its programs, too"},
    Variable{"FAKE_NETWORK", Reader::tests, "", "a network with fewer capabilities: crowded, unordered, poor, cxi, efa or opx"},
    Variable{"UCX_PUTS", Reader::tests, "", "1: UCX's puts and gets where it emulates them; 0: never"},
    Variable{"ABI_MPIEXEC", Reader::tests, "", "launcher of another MPI with the same binary interface"},
    Variable{"BREAK", Reader::tests, "", "which call of a broken MPI is wrong"},
    Variable{"HOSTS", Reader::tests, "", "hosts in namespaces of this machine"},
    Variable{"SOAK_SWAPS", Reader::tests, "", "swaps of the soak test"},
    Variable{"STAGGERED_CASES", Reader::tests, "", "random cases of the test of staggered fields, per mode"},
    Variable{"DIR", Reader::place, "", "where the library is installed"},
    Variable{"ROOT", Reader::place, "", "where the library is installed"},
    Variable{"VERSION", Reader::place, "", "which version is installed"},
};

/// The value of a variable that is not set. Code reads its defaults from here, so that `halocline info` shows those that hold.
consteval std::string_view default_of(std::string_view name) {
  for (const Variable &variable : kVariables)
    if (variable.name == name) return variable.standard;
  throw std::invalid_argument("no variable of this name");
}

/// The same where it is a number.
consteval long default_number(std::string_view name) {
  long number = 0;
  for (const char digit : default_of(name)) {
    if (digit < '0' || digit > '9') throw std::invalid_argument("no number");
    number = number * 10 + (digit - '0');
  }
  return number;
}

}  // namespace halocline::core
