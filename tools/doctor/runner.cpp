// SPDX-License-Identifier: BSD-3-Clause
#include "runner.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "interrupt.hpp"
#include "probe.hpp"
#include "progress.hpp"
#include "scratch.hpp"
#include "worker.hpp"

namespace doctor {
namespace {

constexpr double kStartLimit_s = 60, kGrace_s = 3;

/// How many processes want each core: on a machine that is busy otherwise every step takes as many times longer.
double crowd() {
  constexpr double most = 8;
  double load = 0;
  if (getloadavg(&load, 1) != 1) return 1;
  return std::clamp(load / std::max(1u, std::thread::hardware_concurrency()), 1.0, most);
}

/// What has been written by the ranks of one launch, read as it comes.
class Record {
 public:
  explicit Record(const std::string &path) : file_(path) {}

  /// Reads new lines; true if there were some.
  bool read() {
    bool any = false;
    file_.clear();
    for (std::string part; std::getline(file_, part);) {
      rest_ += part;
      if (file_.eof()) break;  // the line is not whole yet
      take(nlohmann::json::parse(rest_, nullptr, false));
      rest_.clear();
      any = true;
    }
    return any;
  }

  int started = 0;
  bool finished = false;
  std::string running, last;  ///< the probe that has begun and not ended; the last that has ended
  std::vector<Result> results;

  Result &result(const std::string &probe) {
    const auto found = std::find_if(results.begin(), results.end(), [&](const Result &r) { return r.probe == probe; });
    if (found != results.end()) return *found;
    results.push_back({probe, Outcome::right, 0, {}});
    return results.back();
  }

 private:
  void take(const nlohmann::json &line) {
    if (!line.is_object()) return;
    if (line.contains(kStarted)) {
      started = line[kStarted];
    } else if (line.contains(kFinished)) {
      finished = true;
    } else if (line.contains(kBegin)) {
      running = line[kBegin];
      result(running);
    } else if (line.contains(kEnd)) {
      last = std::exchange(running, "");
      result(last).seconds = line["seconds"];
    } else {
      note(line.value("probe", ""),
           {outcome_of(line.value("outcome", "")), line.value("rank", 0), line.value("operation", ""), line.value("text", "")});
    }
  }

 public:
  void note(const std::string &probe, const Finding &finding) {
    Result &r = result(probe);
    r.outcome = worse(r.outcome, finding.outcome);
    r.findings.push_back(finding);
  }

 private:
  std::ifstream file_;
  std::string rest_;
};

/// The last lines that a launch has printed, in one.
std::string last_words(const std::string &path) {
  std::ifstream file(path);
  std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (all.size() > 400) all = "..." + all.substr(all.size() - 400);
  std::replace_if(all.begin(), all.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return all;
}

/// An entry for every probe that was asked for, whether it came to run or not.
std::vector<Result> complete(const Options &options, const std::vector<Result> &found) {
  std::vector<Result> all;
  for (const Probe &probe : all_probes()) {
    if (!options.runs(probe)) continue;
    const auto known = std::find_if(found.begin(), found.end(), [&](const Result &r) { return r.probe == probe.name; });
    all.push_back(known == found.end() ? Result{probe.name, Outcome::untested, 0, {}} : *known);
  }
  for (const Result &result : found)
    if (result.probe == "properties/finalize") all.push_back(result);
  return all;
}

/// What the drop-in says at the end of its windows on rank 0; empty without a drop-in.
std::string windows_in(const std::string &output) {
  constexpr const char *begin = "halocline: rank 0: windows carried: ";
  std::ifstream file(output);
  for (std::string line; std::getline(file, line);)
    if (const std::size_t at = line.find(begin); at != std::string::npos) return line.substr(line.find("windows", at));
  return "";
}

class Runner {
 public:
  Runner(const Options &options, const LaunchCommand &launch, int ranks) : options_(options), launch_(launch), ranks_(ranks) {
    options_.limit_s *= crowd();
  }

  Ran run() {
    std::size_t first = 0;
    while (first < all_probes().size()) first = run_batch(first);
    return {complete(options_, results_), windows_};
  }

 private:
  /// Runs the probes from the first on, in one launch; returns the one to go on with.
  std::size_t run_batch(std::size_t first) {
    const std::string &folder = scratch_.folder(), output = Scratch::output(folder);
    scratch_.clear(ranks_);
    Record record(Scratch::results(folder));
    Job job(launch_, options_.for_worker(folder, first), output);
    const bool late = !follow(job, record);
    job.stop();
    throw_if_interrupted();
    record.read();
    windows_ = windows_in(output);
    if (record.started != ranks_)
      throw LaunchFailed(std::to_string(record.started) + " of " + std::to_string(ranks_) + " ranks began. " + last_words(output));
    const bool whole = record.finished && !late && job.how_it_ended().empty();
    if (!whole) blame(record, late, job.how_it_ended() + ": " + last_words(output));
    keep(record);
    return record.finished ? all_probes().size() : behind(record);
  }

  /// Reads results until the launch has ended; false if nothing moved for too long, though the ranks should have ended themselves.
  bool follow(Job &job, Record &record) {
    const Progress progress(Scratch::progress(scratch_.folder()), ranks_);
    Patience patience;
    patience.begin(kStartLimit_s, 0);
    while (job.running()) {
      throw_if_interrupted();
      if (record.read()) patience.begin(record.started ? options_.limit_s + kGrace_s : kStartLimit_s, progress.sum());
      if (patience.is_over(progress.sum())) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
  }

  /// Says what is wrong with the probe that was running when the launch ended, unless its ranks have said so themselves.
  void blame(Record &record, bool late, const std::string &end) {
    std::string probe = record.running;
    if (probe.empty()) probe = "properties/finalize";
    if (record.result(probe).outcome >= Outcome::crashes) return;
    if (late)
      record.note(probe, {Outcome::hangs, 0, "",
                          "no rank made progress for " + std::to_string(static_cast<int>(options_.limit_s + kGrace_s)) + " s"});
    else
      record.note(probe, {Outcome::crashes, 0, "", end});
  }

  void keep(const Record &record) { results_.insert(results_.end(), record.results.begin(), record.results.end()); }

  static std::size_t behind(const Record &record) {
    const std::string &probe = record.running.empty() ? record.last : record.running;
    const auto &all = all_probes();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Probe &p) { return p.name == probe; });
    return found == all.end() ? all.size() : static_cast<std::size_t>(found - all.begin()) + 1;
  }

  Options options_;
  const LaunchCommand &launch_;
  int ranks_;
  Scratch scratch_;
  Sweeper sweeper_{scratch_.folder()};
  std::vector<Result> results_;
  std::string windows_;
};

}  // namespace

Ran run_batches(const Options &options, const LaunchCommand &launch, int ranks) { return Runner(options, launch, ranks).run(); }

std::vector<Result> read_results(const Options &options, const std::string &file, const Finding &unfinished) {
  Record record(file);
  record.read();
  if (!record.running.empty() && record.result(record.running).outcome < Outcome::crashes) record.note(record.running, unfinished);
  return complete(options, record.results);
}

}  // namespace doctor
