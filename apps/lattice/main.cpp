// lattice: staggered-fermion conjugate gradients. Solves one problem in several variants of communication, checks the solutions, and times
// the variants in turn.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"
#include "nersc.hpp"
#include "report.hpp"
#include "solution.hpp"

#include <common/comm.hpp>
#include <common/progress.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace {

using namespace lattice;

std::string progress_of(const std::string &name, int iterations, double residual) {
  char text[80];
  std::snprintf(text, sizeof text, ", %d iterations, residual %.1e", iterations, residual);
  return name + text;
}

/// A variant, and what it needs to solve the problem again and again.
template <class R>
class Contestant {
 public:
  Contestant(const Kind &kind, const Problem &problem, const Limits &limits, const Terms<R> &terms, const Fermion<R> &b,
             common::Progress &progress)
      : name_(kind.name),
        gather_(kind.make(problem.setup<R>())),
        dslash_(problem.geometry, terms, *gather_),
        solver_(dslash_, make_sum(problem.context, problem.options.dots), limits,
                [this, &progress](int iteration, double residual) { progress.say(progress_of(name_, iteration, residual)); }),
        b_(b),
        x_(make_fermion<R>(problem.geometry)) {}

  Outcome solve() { return solver_.solve(b_, x_); }
  const std::string &name() const { return name_; }
  const Fermion<R> &x() const { return x_; }
  std::int64_t bytes_in() const { return gather_->bytes_in(); }

 private:
  std::string name_;
  std::unique_ptr<Gather> gather_;
  Dslash<R> dslash_;
  Solver<R> solver_;
  const Fermion<R> &b_;
  Fermion<R> x_;
};

template <class R>
using Contestants = std::vector<std::unique_ptr<Contestant<R>>>;

template <class R>
Contestants<R> make_contestants(const Problem &problem, const Terms<R> &terms, const Fermion<R> &b, common::Progress &progress) {
  Contestants<R> some;
  for (const Kind &kind : kinds()) {
    const auto is_this = [&](const std::string &name) { return name == "all" || name == kind.name; };
    const std::vector<std::string> &wanted = problem.options.variants;
    if (std::any_of(wanted.begin(), wanted.end(), is_this))
      some.push_back(std::make_unique<Contestant<R>>(kind, problem, problem.limits(), terms, b, progress));
  }
  return some;
}

template <class R>
bool are_equal_bits(const Fermion<R> &a, const Fermion<R> &b) {
  int equal = 1;
  for (int parity = 0; parity < 2; ++parity)
    if (std::memcmp(a[parity].data(), b[parity].data(), a[parity].size() * sizeof(Vector<R>)) != 0) equal = 0;
  MPI_Allreduce(MPI_IN_PLACE, &equal, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return equal == 1;
}

bool report_trials(const Problem &problem) {
  bool right = true;
  for (const Trial &trial : trials(problem)) {
    right = right && trial.is_right();
    if (problem.context.rank() == 0)
      std::printf("%s: off by %.1e, %s\n", trial.what.c_str(), trial.off, trial.is_right() ? "right" : "WRONG");
  }
  return right;
}

/// How far a solution may be from the serial one: what the residual leaves open, and rounding, as the system amplifies it.
double allowed_distance(const Options &options) {
  return options.precision == "double" ? std::max(1e-12, 10 * options.residual) : 1e-4 / options.mass;
}

double relative_distance(const Fermion<double> &is, const Fermion<double> &right) {
  return std::sqrt(norm2(difference(is, right)) / norm2(right));
}

/// What is wrong with the first solution of a variant, or how right it is.
template <class R>
std::string verdict(const Problem &problem, const Contestants<R> &all, Result &result, const Fermion<double> *serial, const Fermion<R> &x) {
  char text[160];
  const Fermion<double> exact = converted<double>(x);
  const double target = problem.options.residual;
  result.recomputed_residual = recomputed_residual(problem, exact);
  result.norm = std::sqrt(norm2(exact));
  const double distance = serial ? relative_distance(exact, *serial) : 0;
  const bool same = are_equal_bits(x, all.front()->x());
  const bool solved = result.first.residual <= target && result.recomputed_residual <= 2 * target;
  const bool close = distance <= allowed_distance(problem.options);
  result.checked = same && solved && close;
  std::snprintf(text, sizeof text, "%s: %d iterations, residual %.2e, recomputed %.2e", result.checked ? "right" : "WRONG",
                result.first.iterations, result.first.residual, result.recomputed_residual);
  std::string words = text;
  std::snprintf(text, sizeof text, ", serial run at %.1e", distance);
  if (serial) words += text;
  return words + (same ? "" : ", other bits than " + all.front()->name());
}

/// The first solutions of all variants. Returns false if any is wrong, or not the same.
template <class R>
bool compare(const Problem &problem, Contestants<R> &all, Report &report, common::Progress &progress) {
  Fermion<double> serial;
  if (problem.options.check) {
    const auto say = [&](int iteration, double residual) { progress.say(progress_of("serial run", iteration, residual)); };
    serial = serial_solution(problem, say);
  }
  bool right = true;
  for (const auto &one : all) {
    Result result;
    result.name = one->name();
    result.first = one->solve();
    result.bytes_in = one->bytes_in();
    MPI_Allreduce(MPI_IN_PLACE, &result.bytes_in, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    const std::string words = verdict(problem, all, result, problem.options.check ? &serial : nullptr, one->x());
    right = right && result.checked;
    report.variants.push_back(result);
    if (problem.context.rank() == 0) std::printf("check %-12s %s\n", one->name().c_str(), words.c_str());
    std::fflush(stdout);
  }
  return right;
}

/// That of all variants: they have the same bits.
void say_solution(const Problem &problem, const Fermion<double> &x) {
  const std::string words = solution_in_words(problem, x);
  if (problem.context.rank() == 0) std::fputs(words.c_str(), stdout);
  if (!problem.options.solution.empty()) write_solution(problem.options.solution, problem, x);
}

/// The same without swaps, of as many iterations: each rank solves for its block, with zeros around it. The solution is not looked at.
template <class R>
void add_local(const Problem &problem, const Terms<R> &terms, const Fermion<R> &b, Contestants<R> &all, Report &report,
               common::Progress &progress) {
  const Limits limits{problem.options.mass, 0, report.variants.front().first.iterations};
  all.push_back(std::make_unique<Contestant<R>>(Kind{"local", make_local}, problem, limits, terms, b, progress));
  Result result;
  result.name = all.back()->name();
  result.first = all.back()->solve();
  report.variants.push_back(result);
}

/// Total on the slowest rank, and the means of the rest. Collective.
Times of_all_ranks(Times mine) {
  const double total = common::slowest(mine.total, MPI_COMM_WORLD);
  double sums[3] = {mine.dslash, mine.swap, mine.dots};
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double ranks = common::size_of(MPI_COMM_WORLD);
  return {total, sums[0] / ranks, sums[1] / ranks, sums[2] / ranks};
}

/// Each round begins with another variant. The solutions that were compared have warmed up.
template <class R>
void time_in_turn(Contestants<R> &all, const Options &options, Report &report) {
  for (int round = 0; round < options.repeats; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t turn = (i + static_cast<std::size_t>(round)) % all.size();
      common::meet(MPI_COMM_WORLD);
      report.variants[turn].samples.push_back(of_all_ranks(all[turn]->solve().times));
    }
}

template <class R>
int run(const Problem &problem, Report &report) {
  const Options &options = problem.options;
  const bool speaks = problem.context.rank() == 0;
  if (options.check && !report_trials(problem)) return 1;
  const Terms<R> terms = make_terms<R>(problem.setup<R>(), problem.gauge, options.naik);
  const Fermion<R> b = converted<R>(problem.b);
  common::Progress progress("lattice", speaks);
  Contestants<R> all = make_contestants<R>(problem, terms, b, progress);
  if (!compare(problem, all, report, progress)) return 1;
  say_solution(problem, converted<double>(all.front()->x()));
  if (options.repeats > 0) add_local(problem, terms, b, all, report, progress);
  time_in_turn(all, options, report);
  if (!speaks) return 0;
  if (options.repeats > 0) std::fputs(table_of(report).c_str(), stdout);
  if (!options.json.empty()) return common::try_to_write([&] { write_json(problem, report); });
  return 0;
}

int run(const Options &options, int argc, char **argv) {
  const halocline::Context context(MPI_COMM_WORLD);
  common::Skew skew(options.skew, context.rank());
  const Problem problem(context, options, skew);
  Report report{common::find_environment(context, argc, argv), plaquette(problem.gauge), link_trace(problem.gauge), {}};
  if (context.rank() == 0) std::fputs(title_of(problem, report).c_str(), stdout);
  if (!options.write.empty()) {
    NerscHeader header;
    header.rows = options.write_rows;
    header.floating_point = options.write_numbers;
    write_field(options.write, problem.gauge, header);
  }
  return options.precision == "double" ? run<double>(problem, report) : run<float>(problem, report);
}

}  // namespace

int main(int argc, char **argv) {
  return common::run_program("lattice", [=] {
    Options options;
    if (const auto answer = parse(argc, argv, options)) return common::say(*answer);
    return run(options, argc, argv);
  });
}
