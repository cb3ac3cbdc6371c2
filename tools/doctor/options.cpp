// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <fnmatch.h>

#include <common/parse.hpp>

#include "probe.hpp"

namespace doctor {
namespace {

constexpr const char *kDescription =
    "Tries the MPI under it: messages, neighbourhood collectives, and puts, gets and accumulates through every kind of window and every "
    "synchronisation, over alignments, sizes, datatypes and neighbours, with data that encode their place. Reports what this MPI gets "
    "right, gets wrong, lacks, crashes or hangs in, and which Halocline modes can be trusted with it. Then it tries the one-sided calls "
    "once more, with libhalocline_mpi loaded before the MPI. Run it under the launcher, with the ranks and hosts that your program will "
    "have:\n\n  mpiexec -n 4 halocline-doctor";

constexpr const char *kFooter =
    "Exit status: 0 nothing is wrong, 1 something is wrong, crashes or hangs, 2 the command line, launcher and library do not match, or "
    "the file of --json can't be written.\nThe probes run in a fresh copy of the launch, in a process group of its own; after one that "
    "hangs or crashes the rest continue in another copy. The verdict on the modes is kept for halocline-bench, per user, MPI and host (in "
    "$XDG_CACHE_HOME/halocline, else ~/.cache/halocline).";

}  // namespace

int parse(int argc, char **argv, Options &o, std::string &text) {
  CLI::App app(kDescription, "halocline-doctor");
  app.footer(kFooter);
  app.set_version_flag("--version", "halocline-doctor " HALOCLINE_VERSION);
  app.add_option("--json", o.json, "Write everything to this file");
  app.add_option("--time-limit", o.limit_s,
                 "Seconds without progress of any rank after which a probe counts as hanging; more on a busy machine")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--only", o.only,
                 "Run the probes whose name contains this text, or matches it if it has * or ?; the verdict is then not kept");
  app.add_flag("--verbose", o.verbose, "One line for every probe");
  app.add_flag("--list", o.list, "Name the probes and the calls that they are about, and run none");
  app.add_flag("--in-launch", o.in_launch, "Run the probes in the processes of this launch; a probe that hangs then ends the doctor");
  app.add_flag("--no-cache", o.no_cache, "Do not keep the verdict for halocline-bench");
  app.add_option("--drop-in", o.drop_in, "The libhalocline_mpi.so to try as well, if not the one that is installed with this program");
  app.add_flag("--no-drop-in", o.no_drop_in, "Do not try the drop-in for MPI RMA");
  app.add_option("--preload", o.preload)->group("");
  app.add_option("--results", o.results)->group("");
  app.add_option("--first", o.first)->group("");
  if (const auto answer = common::parse(app, argc, argv)) {
    text = answer->out + answer->err;
    return answer->status;
  }
  return -1;
}

std::vector<std::string> Options::for_worker(const std::string &folder, std::size_t from) const {
  std::vector<std::string> words{"--results", folder, "--first", std::to_string(from), "--time-limit", std::to_string(limit_s)};
  if (!only.empty()) words.insert(words.end(), {"--only", only});
  if (!preload.empty()) words.insert(words.end(), {"--preload", preload});
  return words;
}

bool Options::chooses(const std::string &probe) const { return matches(probe, only) && (preload.empty() || is_one_sided(probe)); }

bool Options::runs(const Probe &probe) const { return !(probe.on_demand && only.empty()) && chooses(probe.name); }

bool is_one_sided(const std::string &probe) {
  const auto begins_with = [&](const char *text) { return probe.rfind(text, 0) == 0; };
  return !begins_with("messages/") && !begins_with("collectives/") && !begins_with("errors/") && probe != "memory/node" &&
         probe != "properties/threads";
}

bool matches(const std::string &name, const std::string &pattern) {
  if (pattern.find_first_of("*?") != std::string::npos) return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  return name.find(pattern) != std::string::npos;
}

}  // namespace doctor
