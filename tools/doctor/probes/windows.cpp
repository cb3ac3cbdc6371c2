// Put, get, accumulate (replace) and get_accumulate (no_op) through every kind of window and every synchronisation: windows of few bytes at
// bases that are multiples of 8 only, and large ones with pieces of all sizes, alignments and datatypes, from me, from the ranks before
// and behind me, and from all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "../watchdog.hpp"
#include "traffic.hpp"

namespace doctor {
namespace {

constexpr int kMaxRanksForAll = 32;

/// Datatypes live as long as MPI does, so the schemes are never destroyed.
struct Schemes {
  Scheme full = make_full_scheme(false), bytes = make_full_scheme(true), big = make_big_scheme(), slot = make_whole_scheme(8);
  Scheme whole[3] = {make_whole_scheme(8), make_whole_scheme(24), make_whole_scheme(40)}, split = make_split_scheme(24);
};
const Schemes &schemes() {
  static const Schemes &made = *new Schemes;
  return made;
}

Plan one_region(const Bench &bench, Operation operation, const Scheme &scheme) {
  Plan plan(bench.rank(), bench.size());
  plan.add(operation, 1, scheme);
  return plan;
}

/// Windows of 8, 24 and 40 bytes, filled by one transfer; also piece by piece, and with a displacement unit that is not 1.
void probe_small(Bench &bench, Kind kind, const Sync &sync) {
  for (const Scheme &scheme : schemes().whole) {
    const std::size_t bytes = scheme.region_bytes;
    const int unit = bytes == 40 && kind != Kind::dynamic ? 8 : 1;
    Window window(kind, bench.comm(), {bytes, bytes, unit});
    for (const Operation operation : kOperations) Traffic(bench, kind, window, one_region(bench, operation, scheme)).run(sync);
    if (bytes == 24) Traffic(bench, kind, window, one_region(bench, Operation::put, schemes().split)).run(sync);
    window.free();
  }
}

/// All operations side by side in one epoch, with all neighbours.
Plan full_plan(const Bench &bench) {
  Plan plan(bench.rank(), bench.size());
  const int next = 1, previous = bench.size() - 1;
  for (const Operation operation : kOperations) plan.add(operation, next, schemes().full);
  plan.add(Operation::put, 0, schemes().full);
  plan.add(Operation::put, previous, schemes().full);
  plan.add(Operation::get, previous, schemes().full);
  plan.add(Operation::put, next, schemes().big);
  plan.add(Operation::get, previous, schemes().big);
  for (int distance = 0; distance < std::min(bench.size(), kMaxRanksForAll); ++distance) plan.add(Operation::put, distance, schemes().slot);
  return plan;
}

/// Every rank has another size, so that bases are of all alignments where ranks share a block of memory.
void probe_large(Bench &bench, Kind kind, const Sync &sync) {
  const Plan plan = full_plan(bench);
  Window window(kind, bench.comm(), {plan.window_bytes() + 8 * static_cast<std::size_t>(bench.rank() % 3 + 1), 0, 1});
  Traffic(bench, kind, window, plan).run(sync);
  window.free();
}

/// Memory that begins at an odd address.
void probe_odd(Bench &bench, Kind kind, const Sync &sync) {
  Plan plan(bench.rank(), bench.size());
  for (const Operation operation : kOperations) plan.add(operation, 1, schemes().bytes);
  Window window(kind, bench.comm(), {plan.window_bytes(), 3, 1});
  Traffic(bench, kind, window, plan).run(sync);
  window.free();
}

void probe_window(Bench &bench, Kind kind, const Sync &sync) {
  probe_small(bench, kind, sync);
  probe_large(bench, kind, sync);
  if (kind == Kind::create || kind == Kind::dynamic) probe_odd(bench, kind, sync);
}

}  // namespace

std::vector<Probe> window_probes() {
  std::vector<Probe> probes;
  for (const Kind kind : kKinds)
    for (const Sync &sync : sync_table())
      probes.push_back({std::string(name_of(kind)) + "/" + sync.name, std::string(maker_of(kind)) + "; " + sync.calls,
                        [kind, &sync](Bench &bench) { probe_window(bench, kind, sync); }});
  return probes;
}

}  // namespace doctor
