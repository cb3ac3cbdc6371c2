// fft: NAS FT with several kinds of transposes. Checks their checksums and fields, and times them in turn.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "job.hpp"
#include "report.hpp"
#include "serial.hpp"

#include <common/comparison.hpp>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace {

using namespace fft;

/// Throws what is wrong with the options, here and below.
Problem problem_of(const Options &options) {
  if (!options.size.empty()) {
    const Problem problem{"", {options.size[0], options.size[1], options.size[2]}, options.iterations > 0 ? options.iterations : 6, {}};
    if (options.check && problem.size.points() > kMaxSerialPoints)
      throw std::invalid_argument("--check of a --size needs a serial run, which is for up to " + std::to_string(kMaxSerialPoints) +
                                  " points; a --class has its checksums");
    return problem;
  }
  const auto found = std::find_if(classes().begin(), classes().end(), [&](const Class &one) { return one.name == options.name; });
  return {options.name, found->size, options.iterations > 0 ? options.iterations : static_cast<int>(found->checksums.size()),
          found->checksums};
}

Decomposition pencils_of(const Options &options, const Size &size, int ranks) {
  if (!options.grid.empty()) return {true, options.grid[0], options.grid[1]};
  const std::optional<Decomposition> found = fft::pencils_of(ranks, size);
  if (!found) throw std::invalid_argument("no pencils of " + std::to_string(ranks) + " ranks divide " + text_of(size) + " points");
  return *found;
}

Decomposition decomposition_of(const Options &options, const Size &size, int ranks) {
  if (options.decomposition == "slab" && !options.grid.empty()) throw std::invalid_argument("--grid is for --decomposition pencil");
  const Decomposition wanted = options.decomposition == "slab" ? Decomposition{false, ranks, 1} : pencils_of(options, size, ranks);
  if (const std::int64_t needed = std::int64_t{wanted.first} * wanted.second; needed != ranks)
    throw std::invalid_argument("--grid needs " + std::to_string(needed) + " ranks, but there are " + std::to_string(ranks));
  if (const auto wrong = wrong_with(wanted, size)) throw std::invalid_argument(*wrong);
  return wanted;
}

std::vector<Contestant> make_variants(const Job &job, const std::vector<std::string> &wanted) {
  std::vector<Contestant> some;
  for (const Kind &kind : kinds()) {
    const auto is_this = [&](const std::string &name) { return name == "all" || name == kind.name; };
    if (std::any_of(wanted.begin(), wanted.end(), is_this)) some.push_back({kind.name, job.make_transform(kind)});
  }
  some.push_back({"local", job.make_transform({"local", make_local})});
  return some;
}

/// The checksums of the class; without one, of a serial run on rank 0. Collective.
std::vector<Complex> right_checksums(const Problem &problem) {
  if (!problem.checksums.empty()) return problem.checksums;
  std::vector<Complex> sums(static_cast<std::size_t>(problem.iterations));
  if (common::rank_of(MPI_COMM_WORLD) == 0) sums = serial_checksums(problem.size, problem.iterations);
  MPI_Bcast(sums.data(), problem.iterations, MPI_C_DOUBLE_COMPLEX, 0, MPI_COMM_WORLD);
  return sums;
}

/// "right: ", or what is wrong.
std::string verdict_of(const Outcome &found, const Outcome &first, const std::vector<Complex> &right) {
  const double difference = difference_of(found.checksums, right);
  char text[200];
  const bool same = found.fingerprint == first.fingerprint && found.checksums == first.checksums;
  const std::size_t compared = std::min(found.checksums.size(), right.size());
  std::snprintf(text, sizeof text, "%s: %zu of %zu checksums compared, they differ by up to %.1e from the right ones, field %s",
                difference > kTolerance ? "WRONG"
                : same                  ? "right"
                                        : "OTHER BITS",
                compared, found.checksums.size(), difference, common::hexadecimal(found.fingerprint).c_str());
  return text;
}

void print_checksums(const std::vector<Complex> &sums) {
  for (std::size_t t = 0; t < sums.size(); ++t)
    std::printf("T = %4zu  Checksum = %20.12e %20.12e\n", t + 1, sums[t].real(), sums[t].imag());
}

/// Returns false if any variant is wrong, or differs from the first one in any bit.
bool check_all(Job &job, std::vector<Contestant> &some, Report &report) {
  const std::vector<Complex> right = right_checksums(report.problem);
  bool all_right = true;
  Outcome first;
  for (std::size_t i = 0; i + 1 < some.size(); ++i) {
    const Outcome found = job.run(some[i], true);
    if (i == 0) first = found;
    const std::string verdict = verdict_of(found, first, right);
    report.variants[i].checked = verdict.rfind("right", 0) == 0;
    all_right = all_right && report.variants[i].checked;
    if (report.environment.context.rank == 0) std::printf("check %-9s %s\n", some[i].name, verdict.c_str());
    std::fflush(stdout);
  }
  report.checksums = first.checksums;
  if (report.environment.context.rank == 0) print_checksums(first.checksums);
  return all_right;
}

/// Each round begins with another variant. The first one, number 0, warms up.
void time_in_turn(Job &job, std::vector<Contestant> &some, int repeats, Report &report) {
  for (int round = 0; round <= repeats && repeats > 0; ++round)
    for (std::size_t i = 0; i < some.size(); ++i) {
      const std::size_t turn = (i + static_cast<std::size_t>(round)) % some.size();
      const double seconds = job.run(some[turn], false).seconds;
      if (round > 0) report.variants[turn].samples.push_back(seconds);
    }
}

int run(const Options &options, int argc, char **argv) {
  const halocline::Context context(MPI_COMM_WORLD);
  const Problem problem = problem_of(options);
  const Decomposition decomposition = decomposition_of(options, problem.size, context.size());
  Job job(context, problem, decomposition, options.skew);
  std::vector<Contestant> some = make_variants(job, options.variants);
  Report report{common::find_environment(context, argc, argv), problem, decomposition, {}, {}};
  for (const Contestant &one : some) report.variants.push_back({one.name, false, {}});
  const bool speaks = context.rank() == 0;
  if (speaks)
    std::printf("%s%s%s points, %d iterations; %d ranks, %s\n", problem.name.empty() ? "" : "class ", problem.name.c_str(),
                ((problem.name.empty() ? "" : ", ") + text_of(problem.size)).c_str(), problem.iterations, context.size(),
                decomposition.text().c_str());
  if (options.check && !check_all(job, some, report)) return 1;
  time_in_turn(job, some, options.repeats, report);
  if (!speaks) return 0;
  std::fputs(table_of(report).c_str(), stdout);
  if (!options.json.empty()) return common::try_to_write([&] { write_json(report, options); });
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  return common::run_program("fft", [=] {
    Options options;
    if (const auto answer = parse(argc, argv, options)) return common::say(*answer);
    try {
      return run(options, argc, argv);
    } catch (const std::invalid_argument &wrong) {
      return common::say({1, "", std::string("fft: ") + wrong.what() + "\n"});
    }
  });
}
