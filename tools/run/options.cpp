// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <common/parse.hpp>

namespace runner {
namespace {

constexpr const char *kDescription =
    "Runs a program with the one-sided calls of MPI on Halocline's engine: loads the drop-in library that fits the program's MPI before "
    "that MPI. The program is not changed.\n\n"
    "  mpiexec -n 4 halocline-run --mpi ./program ARGUMENT...   in each rank, under any launcher with its own flags\n"
    "  halocline-run --mpi -n 4 ./program ARGUMENT...           starts the mpiexec of the program's MPI";

constexpr const char *kFooter =
    "Exit status: that of the program or the launcher, or 2 if the program cannot run with a drop-in; a message says why.\n"
    "Only the ranks have LD_PRELOAD, the launcher and its daemons have not. docs/mpi.md says which windows the engine carries.";

/// What the command line lacks; empty if nothing.
std::string complaint(const Options &o) {
  if (!o.mpi) return "give --mpi: the program's one-sided calls of MPI run on the engine";
  if (o.command.empty()) return "give the program to run";
  if (o.command.front().rfind('-', 0) == 0) return "unknown option " + o.command.front() + "; --help names them";
  return "";
}

}  // namespace

int parse(int argc, char **argv, Options &o, std::string &text) {
  CLI::App app(kDescription, "halocline-run");
  app.footer(kFooter);
  app.set_version_flag("--version", "halocline-run " HALOCLINE_VERSION);
  app.prefix_command();
  app.add_flag("--mpi", o.mpi, "Load the drop-in for MPI's one-sided calls");
  app.add_option("-n", o.ranks,
                 "Start this many ranks, by the mpiexec beside the program's MPI; that of Open MPI also as root, and more than cores")
      ->check(CLI::PositiveNumber);
  app.add_option("--launcher", o.launcher, "Start the ranks by this command with its flags, as in --launcher 'mpirun --bind-to core'");
  app.add_option("--abi", o.abi, "The program's MPI, where its file does not say it, as with scripts and Python: mpich, openmpi or mpi5")
      ->check(CLI::IsMember({"mpich", "openmpi", "mpi5"}));
  app.add_option("--library", o.libraries, "A drop-in of another build; may be repeated")->allow_extra_args(false);
  app.add_flag("--strict", o.strict, "Windows that the engine cannot carry are errors (HALOCLINE_MPI_STRICT=1)");
  app.add_flag("--info", o.info, "Say which windows were carried, and which were not and why (HALOCLINE_LOG=info)");
  app.add_flag("--show", o.show, "Print the command that would run, and run nothing");
  if (const auto answer = common::parse(app, argc, argv)) {
    text = answer->out + answer->err;
    return answer->status;
  }
  o.command = app.remaining();
  text = complaint(o);
  if (!text.empty()) text = "halocline-run: " + text + "\n";
  return text.empty() ? -1 : 2;
}

}  // namespace runner
