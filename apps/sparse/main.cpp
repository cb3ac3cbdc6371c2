// sparse: dynamic sparse data exchange in several protocols. Checks every byte, and times the protocols in turn.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "protocol.hpp"
#include "report.hpp"

#include <common/comm.hpp>
#include <common/progress.hpp>
#include <common/skew.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

using namespace sparse;

struct Contestant {
  const char *name;
  std::unique_ptr<Protocol> protocol;
  int passes = 1;  ///< through all exchanges, per sample
};

std::vector<Contestant> make_protocols(const Setup &setup) {
  std::vector<Contestant> some;
  for (const Kind &kind : kinds()) {
    const auto is_this = [&](const std::string &name) { return name == "all" || name == kind.name; };
    const std::vector<std::string> &wanted = setup.options.protocols;
    if (std::any_of(wanted.begin(), wanted.end(), is_this)) some.push_back({kind.name, kind.make(setup), 1});
  }
  return some;
}

std::string of(int done, int all) { return std::to_string(done) + " of " + std::to_string(all); }

/// What is wrong first, on any rank; empty if nothing is. Collective.
std::string check(const Contestant &one, const Traffic &traffic, const Options &options, common::Progress &progress) {
  const int rank = common::rank_of(MPI_COMM_WORLD);
  common::Skew skew(options.skew, rank);
  std::string wrong;
  for (int exchange = 0; exchange < options.exchanges; ++exchange) {
    skew.delay();
    const std::vector<Message> received = one.protocol->exchange(traffic.from(rank, exchange));
    progress.say(std::string("check ") + one.name + ": " + of(exchange + 1, options.exchanges) + " exchanges");
    if (wrong.empty()) wrong = traffic.wrong_with(received, rank, exchange);
  }
  return common::first_said(wrong.empty() ? std::nullopt : std::optional(wrong), MPI_COMM_WORLD).value_or("");
}

bool check_all(std::vector<Contestant> &some, const Traffic &traffic, const Options &options, Report &report) {
  bool right = true;
  common::Progress progress("sparse", report.environment.context.rank == 0);
  for (std::size_t i = 0; i < some.size(); ++i) {
    const std::string wrong = check(some[i], traffic, options, progress);
    report.protocols[i].checked = wrong.empty();
    right = right && wrong.empty();
    if (report.environment.context.rank == 0)
      std::printf("check %-16s %s\n", some[i].name, wrong.empty() ? "every byte as sent" : wrong.c_str());
    std::fflush(stdout);
  }
  return right;
}

/// A sample is of so many seconds at least, as ranks that share cores do not all begin at the same time.
constexpr double kLeast_s = 0.02;

/// Of one exchange, the mean of all these, again and again.
double seconds_of(Contestant &one, const std::vector<std::vector<Message>> &messages) {
  common::meet(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int pass = 0; pass < one.passes; ++pass)
    for (const std::vector<Message> &some : messages) one.protocol->exchange(some);
  return common::slowest(MPI_Wtime() - begin, MPI_COMM_WORLD) / static_cast<double>(messages.size()) / one.passes;
}

/// Each round has other neighbours, and begins with another protocol. The first one, number 0, warms up, and shows how long a sample takes.
void time_in_turn(std::vector<Contestant> &some, const Traffic &traffic, const Options &options, Report &report) {
  const int rank = report.environment.context.rank;
  common::Progress progress("sparse", rank == 0);
  for (int round = 0; round <= options.repeats && options.repeats > 0; ++round) {
    std::vector<std::vector<Message>> messages;
    for (int i = 0; i < options.exchanges; ++i) messages.push_back(traffic.from(rank, std::int64_t{round} * options.exchanges + i));
    for (std::size_t i = 0; i < some.size(); ++i) {
      const std::size_t turn = (i + static_cast<std::size_t>(round)) % some.size();
      const double sample = seconds_of(some[turn], messages);
      if (round > 0) report.protocols[turn].samples.push_back(sample);
      if (round == 0) some[turn].passes = static_cast<int>(std::clamp(std::ceil(kLeast_s / (sample * options.exchanges)), 1.0, 1e4));
    }
    progress.say(of(round, options.repeats) + " repeats");
  }
}

int run(const Options &options, int argc, char **argv) {
  const halocline::Context context(MPI_COMM_WORLD);
  const Traffic traffic(options, context.size());
  std::vector<Contestant> some = make_protocols({context, options});
  Report report{common::find_environment(context, argc, argv), traffic.targets(), {}};
  for (const Contestant &one : some) report.protocols.push_back({one.name, false, {}});
  const bool speaks = context.rank() == 0;
  if (speaks)
    std::printf("%d ranks, each sends %s%lld bytes to %d random ranks%s\n", context.size(), options.vary ? "up to " : "",
                static_cast<long long>(options.bytes), traffic.targets(),
                traffic.targets() < options.neighbours ? ", all there are: fewer than --neighbours" : "");
  if (options.check && !check_all(some, traffic, options, report)) return 1;
  time_in_turn(some, traffic, options, report);
  if (!speaks) return 0;
  std::fputs(table_of(report, options).c_str(), stdout);
  if (!options.json.empty()) return common::try_to_write([&] { write_json(report, options); });
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  return common::run_program("sparse", [=] {
    Options options;
    if (const auto answer = parse(argc, argv, options)) return common::say(*answer);
    return run(options, argc, argv);
  });
}
