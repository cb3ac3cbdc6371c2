// pic: particles in cells. Steps one case in one or several variants of communication, checks what has to be conserved, and says where the
// time went.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnostics.hpp"
#include "output.hpp"
#include "report.hpp"

#include <common/comm.hpp>
#include <common/json.hpp>
#include <common/progress.hpp>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

namespace {

using namespace pic;

/// The file of --history: a line per so many steps.
class History {
 public:
  History(const Options &options, bool writes) : path_(options.history) {
    if (options.history.empty() || !writes) return;
    file_ = std::fopen(options.history.c_str(), "w");
    if (!file_) throw std::runtime_error("--history " + options.history + ": " + common::why_not_writable(options.history));
    std::fputs("step,time,electric,magnetic", file_);
    for (const std::string &name : options.species) std::fprintf(file_, ",kinetic_%s", name.c_str());
    std::fputs(
        ",energy,momentum_x,momentum_y,momentum_z,cos_ex,cos_ey,cos_ez,sin_ex,sin_ey,sin_ez,gauss_error,field_iterations,charge_"
        "iterations\n",
        file_);
  }
  History(const History &) = delete;
  History &operator=(const History &) = delete;
  ~History() {
    if (file_) std::fclose(file_);
  }
  /// Throws if not all is in the file.
  void close() {
    if (!file_) return;
    errno = 0;
    const bool has_failed = std::ferror(file_) != 0;
    const bool is_closed = std::fclose(std::exchange(file_, nullptr)) == 0;
    if (has_failed || !is_closed) throw std::runtime_error("--history " + path_ + ": " + std::strerror(errno != 0 ? errno : EIO));
  }
  void add(const Model &model, const Diagnosis &d) {
    if (!file_) return;
    std::fprintf(file_, "%" PRId64 ",%.10g,%.17g,%.17g", model.state().step, model.time(), d.electric, d.magnetic);
    for (const double kinetic : d.kinetic) std::fprintf(file_, ",%.17g", kinetic);
    std::fprintf(file_, ",%.17g", d.energy());
    for (const double *three : {d.momentum, d.cosine, d.sine})
      for (int c = 0; c < 3; ++c) std::fprintf(file_, ",%.17g", three[c]);
    std::fprintf(file_, ",%.6g,%d,%d\n", model.last().gauss_error, model.last().field_iterations, model.last().charge_iterations);
  }

 private:
  std::string path_;
  std::FILE *file_ = nullptr;
};

/// What must stay as it was.
class Checks {
 public:
  Checks(const Options &options, Diagnosis first) : options_(options), first_(std::move(first)) {}

  /// After each step.
  void look(const Model &model) {
    grow(gauss_, model.last().gauss_error);
    grow(residual_, model.last().field_residual);
    left_open_ += model.last().energy_left_open;
    ++steps_;
  }
  void look(const Diagnosis &now) {
    const double change = std::fabs(now.energy() - first_.energy());
    grow(drift_, change == 0 ? 0 : change / first_.energy());
    is_conserved_ = is_conserved_ && now.charge == first_.charge && now.particles == first_.particles;
  }
  /// Prints the lines "check WHAT right" or "WRONG". The scheme conserves energy but for what the field solver leaves open, and rounding.
  bool say(bool speaks) const {
    const bool exact = options_.theta == 0.5;
    const double open = left_open_ == 0 ? 0 : left_open_ / first_.energy();
    // Each of the two energies is a sum over particles: n terms of one sign are summed to n / 2 units of the last place.
    const double of_sums = std::numeric_limits<double>::epsilon() * static_cast<double>(first_.particles);
    const double allowed = open + of_sums + kRounding * (100 + static_cast<double>(steps_));
    const bool energy_right = !exact || drift_ <= allowed;
    const bool solved = residual_ <= options_.tolerance;
    if (speaks) {
      std::printf("check energy %s: differs by %.2e of itself", words(energy_right), drift_);
      if (exact)
        std::printf("; the scheme allows %.2e\n", allowed);
      else
        std::printf(", theta damps waves\n");
      std::printf("check solver %s: residual %.2e\n", words(solved), residual_);
      if (!first_.charge.empty())
        std::printf("check charge %s: of each species, to the last bit; %" PRId64 " particles\n", words(is_conserved_), first_.particles);
      if (!first_.charge.empty()) std::printf("Gauss's law: charge off by up to %.2e of the mean (rms over the cells)\n", gauss_);
    }
    return energy_right && solved && is_conserved_;
  }

 private:
  /// What is no number (NaN) counts as larger than all, so that no check holds with it.
  static void grow(double &largest, double value) {
    if (!(value <= largest)) largest = value;
  }
  static const char *words(bool right) { return right ? "right" : "WRONG"; }

  const Options &options_;
  Diagnosis first_;
  static constexpr double kRounding = 1e-14;  ///< of the energy, per step: some dozens of roundings, all on one side
  double drift_ = 0, gauss_ = 0, residual_ = 0, left_open_ = 0;
  std::int64_t steps_ = 0;
  bool is_conserved_ = true;
};

/// A step of one model, with its times. Collective.
Sample timed_step(Model &model) {
  double before[kSites], mine[kSites];
  for (int site = 0; site < kSites; ++site) before[site] = model.clock().seconds(static_cast<Site>(site));
  common::meet(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  model.step();
  Sample sample;
  sample.total = common::slowest(MPI_Wtime() - begin, MPI_COMM_WORLD);
  for (int site = 0; site < kSites; ++site) mine[site] = model.clock().seconds(static_cast<Site>(site)) - before[site];
  MPI_Allreduce(mine, sample.site, kSites, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (double &seconds : sample.site) seconds /= common::size_of(MPI_COMM_WORLD);
  return sample;
}

class Run {
 public:
  Run(const halocline::Context &context, const Options &options)
      : options_(options), speaks_(context.rank() == 0), progress_("pic", speaks_) {
    for (const std::string &name : options.variants) {
      models_.push_back(std::make_unique<Model>(context, options, variant_of(name)));
      results_.push_back({});
      results_.back().name = name;
    }
    for (const auto &model : models_)
      if (!options.restart.empty()) read_state(options.restart, *model);
    first_step_ = models_[0]->state().step;
  }

  int go(const common::Environment &environment) {
    Model &model = *models_[0];
    try_files();
    std::unique_ptr<Output> output;
    if (!options_.output.empty()) output = std::make_unique<Output>(options_.output, model);
    History history(options_, speaks_);
    Diagnosis now = diagnose(model);
    Checks checks(options_, now);
    history.add(model, now);
    if (output) output->write_record(model);
    begin_ = MPI_Wtime();
    for (std::int64_t done = 1; done <= options_.steps; ++done) {
      step_all();
      checks.look(model);
      if (done % options_.history_every == 0 || done == options_.steps) {
        now = diagnose(model);
        checks.look(now);
        history.add(model, now);
      }
      if (output && options_.output_every > 0 && done % options_.output_every == 0) output->write_record(model);
      if (is_checkpoint_due(done)) write_checkpoint(options_.checkpoint, model);
      say_progress(done);
    }
    if (output) finish(*output, model);
    history.close();
    return conclude(checks, environment);
  }

 private:
  /// A file that can't be written is named before the first step.
  void try_files() const {
    if (!speaks_) return;
    for (const auto &[option, path] :
         {std::pair("--output ", options_.output), std::pair("--checkpoint ", options_.checkpoint), std::pair("--json ", options_.json)}) {
      const std::string why = path.empty() ? "" : common::why_not_writable(path);
      if (!why.empty()) throw std::runtime_error(option + path + ": " + why);
    }
  }
  /// At intervals, and at the end.
  bool is_checkpoint_due(std::int64_t done) const {
    if (options_.checkpoint.empty()) return false;
    return done == options_.steps || (options_.checkpoint_every > 0 && done % options_.checkpoint_every == 0);
  }
  /// Each step begins with another variant.
  void step_all() {
    const auto first = static_cast<std::size_t>(models_[0]->state().step);
    for (std::size_t i = 0; i < models_.size(); ++i) {
      const std::size_t turn = (i + first) % models_.size();
      Model &model = *models_[turn];
      results_[turn].samples.push_back(timed_step(model));
      results_[turn].field_iterations += model.last().field_iterations;
      results_[turn].charge_iterations += model.last().charge_iterations;
    }
  }
  void say_progress(std::int64_t done) {
    const double remaining = (MPI_Wtime() - begin_) / static_cast<double>(done) * static_cast<double>(options_.steps - done);
    const double end = static_cast<double>(first_step_ + options_.steps) * options_.time_step;
    char text[120];
    std::snprintf(text, sizeof text, "time %.4g of %.4g, step %" PRId64 ", %d iterations, about %.0f s remain", models_[0]->time(), end,
                  models_[0]->state().step, models_[0]->last().field_iterations, remaining);
    progress_.say(text);
  }
  void finish(Output &output, const Model &model) const {
    if (options_.output_every == 0 || options_.steps % options_.output_every != 0) output.write_record(model);
    output.write_state(model);
    output.close();
  }
  int conclude(const Checks &checks, const common::Environment &environment) {
    bool right = checks.say(speaks_);
    const std::uint64_t bits = fingerprint(*models_[0]);
    if (speaks_) std::printf("fingerprint %016" PRIx64 "\n", bits);
    for (std::size_t i = 1; i < models_.size(); ++i) {
      results_[i].same = fingerprint(*models_[i]) == bits;
      right = right && results_[i].same;
      if (speaks_) std::printf("check %s %s\n", results_[i].name.c_str(), results_[i].same ? "right: the same bits" : "WRONG: other bits");
    }
    if (speaks_ && options_.steps > 0) std::fputs(table_of(results_).c_str(), stdout);
    const int status = right ? 0 : 1;
    if (!speaks_ || options_.json.empty()) return status;
    return std::max(status, common::try_to_write([&] { write_json(options_, environment, results_); }));
  }

  const Options &options_;
  bool speaks_;
  common::Progress progress_;
  std::vector<std::unique_ptr<Model>> models_;
  std::vector<Result> results_;
  std::int64_t first_step_ = 0;
  double begin_ = 0;
};

int run(const Options &options, int argc, char **argv) {
  const halocline::Context context(MPI_COMM_WORLD);
  const common::Environment environment = common::find_environment(context, argc, argv);
  if (context.rank() == 0) {
    std::fputs(common::title_of("pic, " + options.title, environment).c_str(), stdout);
    if (!options.source.empty()) std::printf("source: %s\n", options.source.c_str());
  }
  Run all(context, options);
  return all.go(environment);
}

}  // namespace

int main(int argc, char **argv) {
  return common::run_program("pic", [=] {
    Options options;
    if (const auto answer = parse(argc, argv, options)) return common::say(*answer);
    return run(options, argc, argv);
  });
}
