// hashtable: a distributed hash table with several kinds of communication. Checks them against a serial table, and times them in turn.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"
#include "limit.hpp"
#include "report.hpp"

#include <common/comm.hpp>
#include <common/progress.hpp>

#include <algorithm>
#include <cstdio>

namespace {

using namespace hashtable;

struct Contestant {
  const char *name;
  std::unique_ptr<Variant> variant;
};

bool is_chosen(const Options &options, const std::string &name) {
  return std::any_of(options.variants.begin(), options.variants.end(), [&](const std::string &one) { return one == "all" || one == name; });
}

std::vector<Contestant> make_variants(const Options &options, const Setup &setup) {
  std::vector<Contestant> some;
  for (const Kind &kind : kinds()) {
    if (!is_chosen(options, kind.name)) continue;
    if (auto made = kind.make(setup)) some.push_back({kind.name, std::move(made)});
  }
  return some;
}

/// The heap of a rank may get all keys of all ranks, and cells that ranks have taken and do not use.
Shape shape_of(const Options &options, int ranks) {
  const std::int64_t all = options.inserts * ranks;
  return {ranks, options.buckets > 0 ? options.buckets : options.inserts,
          options.heap > 0 ? options.heap : all + ranks * kTaken * (options.at_once + 8)};
}

/// Returns false if any variant is wrong.
bool check_all(std::vector<Contestant> &some, const Setup &setup, const Keys &keys, Report &report) {
  bool right = true;
  const int rank = setup.context.rank();
  common::Progress progress("hashtable", rank == 0);
  for (std::size_t i = 0; i < some.size(); ++i) {
    const auto begins = [&](const std::string &step) { progress.say(std::string("check ") + some[i].name + ": " + step); };
    const std::string wrong = check(*some[i].variant, {setup.shape, keys, rank, begins, &report.variants[i].content});
    report.variants[i].checked = wrong.empty();
    right = right && wrong.empty();
    if (rank == 0) std::printf("check %-16s %s\n", some[i].name, wrong.empty() ? "equal to the serial table" : wrong.c_str());
    std::fflush(stdout);
  }
  return right;
}

double seconds_of(Variant &variant, std::span<Request> requests) {
  common::meet(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  variant.run(requests);
  return common::slowest(MPI_Wtime() - begin, MPI_COMM_WORLD);
}

/// content: gets what the table holds in the end.
Sample time_one(Variant &variant, std::vector<Request> requests, const Shape &shape, Digest &content) {
  Sample sample;
  sample.insert_s = seconds_of(variant, requests);
  for (Request &request : requests) request.what = Request::What::find;
  sample.find_s = seconds_of(variant, requests);
  content = digest_of_all(variant.part(), shape);
  variant.clear();
  return sample;
}

/// Each round has other keys, and begins with another variant. The first one, number 0, warms up.
void time_in_turn(std::vector<Contestant> &some, const Setup &setup, const Keys &keys, const Options &options, Report &report) {
  const int rank = setup.context.rank();
  std::optional<Limit> limit;
  if (setup.context.info().nodes == 1 && options.repeats > 0) limit.emplace(setup);
  common::Progress progress("hashtable", rank == 0);
  for (int round = 0; round <= options.repeats && options.repeats > 0; ++round) {
    std::vector<Request> requests;
    const std::vector<Word> mine = keys.of(rank, round);
    for (const Word key : mine) requests.push_back({Request::What::insert, key, value_of(rank, requests.size()), false});
    for (std::size_t i = 0; i < some.size(); ++i) {
      const std::size_t turn = (i + static_cast<std::size_t>(round)) % some.size();
      progress.say("repeat " + std::to_string(round) + " of " + std::to_string(options.repeats) + ", " + some[turn].name);
      Digest content;
      const Sample sample = time_one(*some[turn].variant, requests, setup.shape, content);
      if (round == 0) report.variants[turn].content = content;
      if (round > 0) report.variants[turn].samples.push_back(sample);
    }
    if (limit) {
      const Limit::Sample sample = limit->measure(mine);
      if (round > 0) report.limits.push_back(sample);
    }
  }
}

int run(const Options &options, int argc, char **argv) {
  const halocline::Context context(MPI_COMM_WORLD);
  common::Skew skew(options.skew, context.rank());
  const Setup setup{context, shape_of(options, context.size()), static_cast<std::size_t>(options.at_once), skew};
  const Keys keys(options, context.size());
  std::vector<Contestant> some = make_variants(options, setup);
  Report report{common::find_environment(context, argc, argv), setup.shape, {}, {}};
  for (const Contestant &one : some) report.variants.push_back({one.name, false, {}, {}});
  const bool speaks = context.rank() == 0;
  if (speaks)
    std::printf("%lld inserts of each of %d ranks, keys %s; %lld buckets and %lld heap cells per rank\n",
                static_cast<long long>(options.inserts), setup.shape.ranks, options.keys.c_str(),
                static_cast<long long>(setup.shape.buckets), static_cast<long long>(setup.shape.heap));
  if (options.check && !check_all(some, setup, keys, report)) return 1;
  time_in_turn(some, setup, keys, options, report);
  const int status = have_equal_content(report) ? 0 : 1;
  if (!speaks) return status;
  std::fputs((table_of(report, options) + limit_of(report) + content_of(report)).c_str(), stdout);
  if (!options.json.empty()) return std::max(status, common::try_to_write([&] { write_json(report, options); }));
  return status;
}

}  // namespace

int main(int argc, char **argv) {
  return common::run_program("hashtable", [=] {
    Options options;
    if (const auto answer = parse(argc, argv, options)) return common::say(*answer);
    return run(options, argc, argv);
  });
}
