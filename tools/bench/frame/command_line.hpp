// The command line of a program of benchmarks, and the options that its commands share. CLI11 takes long to compile: files that include
// common/parse.hpp are not optimised (CMakeLists.txt).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/bench.hpp"

#include <common/program.hpp>

#include <utility>

namespace bench {

/// The command that the command line asks for; without one what there is to say instead.
std::pair<const Command *, common::Answer> parse(int argc, char **argv, const std::string &program, const Commands &commands);

/// Rounds, nodes, formats and files: of every command.
void add_common(CLI::App &command, CommonOptions &options);
/// The seed: of every command whose samples do not repeat an operation.
void add_seed(CLI::App &command, CommonOptions &options);
/// How samples are taken, and the seed: of commands whose samples repeat an operation.
void add_sampling(CLI::App &command, CommonOptions &options);
/// Numbers of ranks: of commands for any number.
void add_ranks(CLI::App &command, CommonOptions &options);
void add_sizes(CLI::App &command, CommonOptions &options, const char *what, std::pair<std::int64_t, std::int64_t> range);
/// After how many seconds no `what` begins.
void add_seconds(CLI::App &command, double &seconds, const char *what);
/// Some of these words, all by default.
void add_words(CLI::App &command, const std::string &name, std::vector<std::string> &chosen, const std::vector<std::string> &words,
               const std::string &what);

}  // namespace bench
