// boltzmann: fluids by D3Q19 lattice Boltzmann. Computes one problem in some variants of communication, checks what is conserved and what is
// known, and times the variants in turn.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"
#include "report.hpp"

#include <common/comm.hpp>
#include <common/json.hpp>
#include <common/progress.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace {

using namespace boltzmann;

/// What all variants compute.
struct Problem {
  const halocline::Context &context;
  const Options &options;
  const Domain &domain;
  common::Skew &skew;
  Memories &memories;
  bool speaks() const { return context.rank() == 0; }
};

using Fluids = std::vector<std::unique_ptr<Fluid>>;

std::unique_ptr<Fluid> make_fluid(const Problem &problem, const Kind &kind) {
  return std::make_unique<Fluid>(problem.context, problem.domain, problem.options, problem.skew, problem.memories, kind);
}

void begin(const Problem &problem, Fluid &fluid) {
  if (problem.options.restart.empty())
    fluid.begin(beginning(problem.options, problem.domain));
  else
    read_checkpoint(problem.options.restart, problem.options, fluid);
}

std::vector<Kind> wanted_kinds(const Options &options) {
  std::vector<Kind> some;
  for (const Kind &kind : kinds()) {
    const auto is_this = [&](const std::string &name) { return name == "all" || name == kind.name; };
    if (std::any_of(options.variants.begin(), options.variants.end(), is_this)) some.push_back(kind);
  }
  return some;
}

/// Files, lines and progress of a run.
class Journal {
 public:
  Journal(const Problem &problem, bool writes, const std::string &name)
      : problem_(problem), writes_(writes), name_(name), progress_("boltzmann", problem.speaks()) {
    const Options &o = problem.options;
    if (writes && !o.output.empty()) output_ = std::make_unique<Output>(o.output, problem.context, o, problem.domain);
  }

  void begin(Fluid &fluid, const State &state) {
    if (writes_) say(fluid, state);
    if (output_) output_->write(fluid);
  }
  /// After each step.
  void note(Fluid &fluid, int done) {
    const Options &o = problem_.options;
    if (writes_ && done < o.steps && is_due(o.report_every, done)) say(fluid, observe(problem_.context, fluid));
    if (output_ && (done == o.steps || is_due(o.output_every, done))) output_->write(fluid);
    if (done % kAsked == 0) report_progress(done);
  }
  /// Warns of a fluid that is compressed, once. Returns where it is unstable. Collective.
  std::string look(const Fluid &fluid, int done) {
    if (done % kAsked != 0 && done != problem_.options.steps) return "";
    if (std::string place = where(problem_.domain, fluid.unstable()); !place.empty()) return place;
    if (!writes_ || has_warned_) return "";
    const std::string place = where(problem_.domain, fluid.compressed());
    has_warned_ = !place.empty();
    if (has_warned_ && problem_.speaks())
      std::fprintf(stderr, "boltzmann: warning: %s; above %.1f times it results are those of a fluid that is compressed\n", place.c_str(),
                   kMostMach);
    return "";
  }
  void end(Fluid &fluid, const State &state, bool is_stable) {
    const Options &o = problem_.options;
    if (!writes_) return;
    say(fluid, state);
    if (is_stable && !o.checkpoint.empty()) write_checkpoint(o.checkpoint, problem_.context, o, fluid);
  }

 private:
  static constexpr int kAsked = 16;  ///< steps between looks at the clock and at speeds

  static bool is_due(int every, int done) { return every > 0 && done % every == 0; }
  void say(Fluid &fluid, const State &state) {
    if (!problem_.speaks()) return;
    std::fputs(line_of(fluid.steps(), state, problem_.options.is_binary()).c_str(), stdout);
    std::fflush(stdout);
  }
  void report_progress(int done) {
    char text[120];
    const double left = (MPI_Wtime() - began_) / done * (problem_.options.steps - done);
    std::snprintf(text, sizeof text, ", step %d of %d, %.0f s left", done, problem_.options.steps, left);
    progress_.say(name_ + text);
  }

  const Problem &problem_;
  bool writes_, has_warned_ = false;
  std::string name_;
  common::Progress progress_;
  std::unique_ptr<Output> output_;
  double began_ = MPI_Wtime();
};

/// Density and order parameter of a site are summed in each step: 18 additions, whose partial sums are at most 1.2 of the sum. Then as many
/// distributions change, with errors that are smaller together. Where a fluid is uniform all sites round alike, and the errors add up.
constexpr double kSumRounding = 24 * 1.2 * 1.2e-16;

/// What should be as at the beginning and is not, to rounding; of momentum at most one unit in the last place per site and step, on one side.
std::string not_conserved(const Problem &problem, const Result &result) {
  const Options &o = problem.options;
  const auto sites = static_cast<double>(problem.domain.global_sites());
  const double rounding = 2.3e-16 * sites * (o.steps + 1), sum_rounding = kSumRounding * sites * (o.steps + 1);
  const auto differs = [&](double is, double was, double allowed) { return !(std::abs(is - was) <= allowed); };
  if (!result.unstable.empty()) return "it has become unstable: " + result.unstable;
  if (!result.last.is_number()) return "it has become unstable";
  if (differs(result.last.mass, result.first.mass, sum_rounding)) return "mass is not conserved";
  const double phi = std::max({-result.first.least_phi, result.first.most_phi, -result.last.least_phi, result.last.most_phi});
  if (differs(result.last.order, result.first.order, sum_rounding * phi)) return "the order parameter is not conserved";
  const bool walls = std::count(o.walls.begin(), o.walls.end(), 1) > 0;
  for (std::size_t d = 0; d < kDims && !walls; ++d)
    if (differs(result.last.momentum[d], result.first.momentum[d] + o.force[d] * sites * o.steps, rounding))
      return "momentum is not conserved";
  return "";
}

/// What is wrong with a run, or how right it is.
std::string verdict(const Problem &problem, const Report &report, Result &result) {
  std::string wrong = not_conserved(problem, result);
  const Result &reference = report.variants.empty() ? result : report.variants.front();
  if (wrong.empty() && result.last.fingerprint != reference.last.fingerprint) wrong = "other bits than " + reference.name;
  std::string words;
  char text[160];
  for (const Comparison &one : result.comparisons) {
    std::snprintf(text, sizeof text, "; %s: %.6g, right is %.6g, off by %.2e", one.what.c_str(), one.found, one.right, one.error);
    words += text;
    if (wrong.empty() && !one.is_right()) wrong = "off by more than 1 %";
  }
  result.checked = wrong.empty();
  const auto sites = static_cast<double>(problem.domain.global_sites());
  std::snprintf(text, sizeof text, "mass changed by %.1e, order parameter by %.1e, per site",
                (result.last.mass - result.first.mass) / sites, (result.last.order - result.first.order) / sites);
  return (wrong.empty() ? "right: " : "WRONG: " + wrong + "; ") + text + words;
}

/// Runs the problem in each variant. Returns false if any is wrong, or not the same.
bool compare_variants(const Problem &problem, Fluids &all, Report &report) {
  const Options &o = problem.options;
  bool right = true;
  for (const Kind &kind : wanted_kinds(o)) {
    all.push_back(make_fluid(problem, kind));
    Fluid &fluid = *all.back();
    begin(problem, fluid);
    Result result;
    result.name = kind.name;
    result.bytes_in = common::sum_of(fluid.bytes_in(), MPI_COMM_WORLD);
    result.first = observe(problem.context, fluid);
    Journal journal(problem, report.variants.empty(), kind.name);
    journal.begin(fluid, result.first);
    for (int done = 1; done <= o.steps && result.unstable.empty(); ++done) {
      fluid.step();
      result.unstable = journal.look(fluid, done);
      journal.note(fluid, done);
    }
    result.last = observe(problem.context, fluid);
    journal.end(fluid, result.last, result.unstable.empty());
    if (o.check && result.unstable.empty()) result.comparisons = boltzmann::compare(problem.context, o, fluid);
    fluid.settle();
    const std::string words = verdict(problem, report, result);
    right = right && result.checked;
    report.variants.push_back(result);
    if (problem.speaks()) std::printf("check %-12s %s\n", kind.name, words.c_str());
    std::fflush(stdout);
    if (o.repeats == 0) all.pop_back();
  }
  return right;
}

/// One timed run of a variant from the beginning, with a step before it that brings the arrays into the caches. Collective.
Times timed(const Problem &problem, Fluid &fluid) {
  begin(problem, fluid);
  fluid.step();
  common::meet(MPI_COMM_WORLD);
  fluid.forget_times();
  for (int i = 0; i < problem.options.steps; ++i) fluid.step();
  fluid.settle();
  return fluid.times();
}

/// Each round begins with another variant. The runs that were compared have warmed up.
void time_in_turn(const Problem &problem, Fluids &all, Report &report) {
  const double steps = std::max(problem.options.steps, 1), ranks = problem.context.size();
  for (int round = 0; round < problem.options.repeats; ++round) {
    std::vector<Times> mine(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t turn = (i + static_cast<std::size_t>(round)) % all.size();
      mine[turn] = timed(problem, *all[turn]);
    }
    const double local = mine.back().in_swaps() + mine.back().outer;
    for (std::size_t i = 0; i < all.size(); ++i) {
      double least = mine[i].in_swaps() + mine[i].outer - local;
      MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
      const double total = common::slowest(mine[i].total(), MPI_COMM_WORLD);
      const auto mean = [&](double seconds) {
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        return seconds / (ranks * steps);
      };
      Times means{{}, mean(mine[i].outer), mean(mine[i].inner)};
      std::transform(mine[i].swaps.begin(), mine[i].swaps.end(), means.swaps.begin(), mean);
      report.variants[i].samples.push_back({total / steps, least / steps, means});
    }
  }
}

/// A file that can't be written is named before the first step.
void try_files(const Options &options) {
  for (const auto &[option, path] :
       {std::pair("--output ", options.output), std::pair("--checkpoint ", options.checkpoint), std::pair("--json ", options.json)}) {
    const std::string why = path.empty() ? "" : common::why_not_writable(path);
    if (!why.empty()) throw std::runtime_error(option + path + ": " + why);
  }
}

int run(const Options &options, int argc, char **argv) {
  const halocline::Context context(MPI_COMM_WORLD);
  if (context.rank() == 0) try_files(options);
  common::Skew skew(options.skew, context.rank());
  const Domain domain(context, options);
  if (const std::string why = options.check ? why_no_comparison(options, domain) : ""; !why.empty())
    throw std::runtime_error("--check: " + why);
  Memories memories(context, domain, options);
  const Problem problem{context, options, domain, skew, memories};
  Report report{common::find_environment(context, argc, argv), {}};
  if (problem.speaks()) std::fputs(title_of(options, domain).c_str(), stdout);
  Fluids all;
  if (!compare_variants(problem, all, report)) return 1;
  if (options.repeats > 0) {
    all.push_back(make_fluid(problem, {"local", make_local}));
    timed(problem, *all.back());
    report.variants.emplace_back();
    report.variants.back().name = "local";
    report.variants.back().checked = true;
    time_in_turn(problem, all, report);
  }
  if (!problem.speaks()) return 0;
  if (options.repeats > 0) std::fputs(table_of(options, report).c_str(), stdout);
  if (!options.json.empty()) return common::try_to_write([&] { write_json(options, domain, report); });
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  return common::run_program("boltzmann", [=] {
    Options options;
    if (const auto answer = parse(argc, argv, options)) return common::say(*answer);
    return run(options, argc, argv);
  });
}
