// SPDX-License-Identifier: BSD-3-Clause
#include "findings.hpp"

#include "machine.hpp"

#include <algorithm>
#include <cmath>

namespace simulate {

namespace {

/// A growth of less than this is none.
constexpr double kGrowth = 0.05;

std::string times(double ratio) { return text_of(ratio) + " times"; }

double least_ratio(const Series &of, const Series &to) {
  double least = HUGE_VAL;
  for (const Point &point : of.points) least = std::min(least, point.y / to.at(point.x));
  return least;
}

/// How much longer p2p takes than the better of PSCW and passive target synchronisation.
double gain_of_rma(const Figure &figure, double x) {
  return figure.simulated("p2p_waitall").at(x) / std::min(figure.simulated("pscw").at(x), figure.simulated("passive").at(x));
}

}  // namespace

namespace {

bool is_over_all(Windows windows) { return windows == Windows::all_ranks; }
std::string fence_of(Windows windows) { return is_over_all(windows) ? "fence" : "fence_neighbours"; }
std::string naive_of(Windows windows) { return is_over_all(windows) ? "passive_naive" : "naive_neighbours"; }
std::string where(Windows windows) { return is_over_all(windows) ? ", windows over all ranks" : ", windows over the neighbours"; }

/// How much longer one takes than another at the first and at the last x, and how much at least and at most.
struct Ratio {
  double few = 0, many = 0, least = HUGE_VAL, most = 0;
  Ratio(const Series &of, const Series &to)
      : few(of.points.front().y / to.at(of.first_x())), many(of.points.back().y / to.at(of.last_x())) {
    for (const Point &point : of.points) least = std::min(least, point.y / to.at(point.x)), most = std::max(most, point.y / to.at(point.x));
  }
  std::string range() const { return text_of(least) + " to " + times(most); }
  std::string ends() const { return times(few) + " on the fewest ranks, " + times(many) + " on the most"; }
};

}  // namespace

Finding fence_falls_behind(const Figure &figure, Windows windows) {
  const Series &fence = figure.simulated(fence_of(windows));
  const Ratio pscw(fence, figure.simulated("pscw")), messages(fence, figure.simulated("p2p_waitall"));
  return {"fence falls behind PSCW as ranks are added, and behind p2p at the most ranks" + where(windows),
          pscw.many > pscw.few * (1 + kGrowth) && messages.many > 1,
          "fence takes " + times(pscw.few) + " pscw at " + text_of(fence.first_x(), 6) + " ranks, " + times(pscw.many) + " at " +
              text_of(fence.last_x(), 6) + "; " + times(messages.many) + " p2p there",
          pscw.many, "fence / pscw, most ranks"};
}

Finding fence_is_competitive_on_few_ranks(const Figure &figure, Windows windows) {
  const Ratio messages(figure.simulated(fence_of(windows)), figure.simulated("p2p_waitall"));
  return {"on the fewest ranks a fence is within 10% of p2p" + where(windows), messages.few < 1.1,
          "fence takes " + times(messages.few) + " p2p", messages.few, "fence / p2p, fewest ranks"};
}

Finding adopted_passive_beats_naive(const Figure &figure, Windows windows) {
  const Ratio naive(figure.simulated(naive_of(windows)), figure.simulated("passive"));
  return {"the adopted passive mode is faster than the naive one at all counts, most at many ranks" + where(windows),
          naive.least > 1 && naive.many > naive.few * (1 + kGrowth),
          "naive takes at least " + times(naive.least) + " as long, " + naive.ends(), naive.many, "naive / passive, most ranks"};
}

Finding naive_loses_to_messages(const Figure &figure, Windows windows) {
  const Ratio naive(figure.simulated(naive_of(windows)), figure.simulated("p2p_waitall"));
  const Ratio adopted(figure.simulated("passive"), figure.simulated("p2p_waitall"));
  return {"naive or adopted decides whether passive is slower or faster than p2p at the most ranks" + where(windows),
          naive.many > 1 && adopted.many < 1, "naive takes " + times(naive.many) + " p2p there, adopted " + times(adopted.many), naive.many,
          "naive / p2p, most ranks"};
}

Finding pscw_is_near_passive(const Figure &figure, Windows windows) {
  const Ratio pscw(figure.simulated("pscw"), figure.simulated("passive")),
      fence(figure.simulated(fence_of(windows)), figure.simulated("passive"));
  return {"PSCW is nearer to passive target synchronisation than fences are at any count" + where(windows), pscw.most < fence.least,
          "PSCW takes at most " + times(pscw.most) + " as long as passive, a fence at least " + times(fence.least), pscw.most,
          "pscw / passive, at most"};
}

Finding passive_beats_messages(const Figure &figure) {
  const Ratio messages(figure.simulated("p2p_waitall"), figure.simulated("passive"));
  return {"passive target synchronisation is faster than p2p at all counts", messages.least > 1,
          "p2p takes " + messages.range() + " as long", messages.least, "p2p / passive, at least"};
}

Finding pscw_beats_messages(const Figure &figure) {
  const Ratio messages(figure.simulated("p2p_waitall"), figure.simulated("pscw"));
  return {"PSCW is faster than p2p at all counts", messages.least > 1, "p2p takes " + messages.range() + " as long", messages.least,
          "p2p / pscw, at least"};
}

Finding early_epochs_pay(const Figure &figure) {
  const Ratio late(figure.simulated("pscw_late"), figure.simulated("pscw"));
  return {"PSCW whose epochs begin early is faster at all counts", late.least > 1, "late epochs take " + late.range() + " as long",
          late.least, "late / early pscw, at least"};
}

Finding hardware_path_pays(const Figure &figure) {
  const Ratio software(figure.simulated("pscw_software"), figure.simulated("pscw"));
  return {"PSCW is faster with the hardware path than without, at all counts", software.least > 1,
          "without it takes " + software.range() + " as long", software.least, "pscw without / with, at least"};
}

Finding software_rma_does_not_beat_messages(const Figure &figure) {
  const Ratio software(figure.simulated("pscw_software"), figure.simulated("p2p_waitall"));
  return {"without the hardware path PSCW is not faster than p2p at any count", software.least >= 1,
          "it takes " + software.range() + " as long", software.least, "pscw without / p2p, at least"};
}

Finding software_rma_loses_on_infiniband(const Figure &figure) {
  const Ratio pscw(figure.simulated("pscw_software"), figure.simulated("p2p_waitall")),
      fence(figure.simulated("fence_software"), figure.simulated("p2p_waitall"));
  return {"p2p is faster than all RMA at all counts, PSCW at best comparable", pscw.least >= 1 && fence.least >= 1,
          "PSCW takes " + pscw.range() + " as long as p2p, a fence " + fence.range(), pscw.least, "pscw / p2p, at least"};
}

Finding messages_catch_up(const Figure &figure) {
  const double few = gain_of_rma(figure, figure.simulated("pscw").first_x()), many = gain_of_rma(figure, figure.simulated("pscw").last_x());
  return {"the gain of RMA shrinks in strong scaling, as messages become shorter", few > 1 && many < few,
          "p2p takes " + times(few) + " the best of pscw and passive on the fewest ranks, " + times(many) + " on the most", many,
          "p2p / best RMA, most ranks"};
}

Finding messages_overtake_in_strong_scaling(const Figure &figure) {
  const Series &pscw = figure.simulated("pscw");
  const double few = gain_of_rma(figure, pscw.first_x());
  double least = HUGE_VAL, at = 0;
  for (const Point &point : pscw.points)
    if (gain_of_rma(figure, point.x) < least) least = gain_of_rma(figure, point.x), at = point.x;
  return {"RMA is faster on few ranks, p2p on some of many, where messages are short", few > 1 && least < 1,
          "p2p takes " + times(few) + " the best of pscw and passive on the fewest ranks, at least " + times(least) + ", at " +
              text_of(at, 6) + " ranks",
          least, "p2p / best RMA, at least"};
}

Finding messages_overtake(const Figure &figure) {
  const double small = gain_of_rma(figure, figure.simulated("pscw").first_x()),
               large = gain_of_rma(figure, figure.simulated("pscw").last_x());
  return {"RMA is faster with long messages, p2p with short ones", large > 1 && small < 1,
          "p2p takes " + times(small) + " the best of pscw and passive with the shortest messages, " + times(large) + " with the longest",
          small, "p2p / best RMA, shortest messages"};
}

Finding pscw_does_not_depend_on_ranks(const Figure &figure) {
  const Series &pscw = figure.simulated("pscw");
  double least = HUGE_VAL, most = 0;
  for (const Point &point : pscw.points) least = std::min(least, point.y), most = std::max(most, point.y);
  return {"PSCW of a ring takes the same time at any number of ranks", most < least * (1 + kGrowth),
          text_of(least) + " to " + text_of(most) + " us"};
}

Finding pscw_costs_the_same_per_neighbour(const Figure &figure) {
  const std::vector<Point> &points = figure.simulated("pscw").points;
  double least = HUGE_VAL, most = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double slope = (points[i].y - points[i - 1].y) / (points[i].x - points[i - 1].x);
    least = std::min(least, slope), most = std::max(most, slope);
  }
  return {"each further neighbour of PSCW costs the same", least > 0 && most < 1.5 * least,
          text_of(least) + " to " + text_of(most) + " us per neighbour"};
}

Finding fence_grows_with_log_ranks(const Figure &figure) {
  const std::vector<Point> &points = figure.simulated("fence").points;
  const auto per_doubling = [&](std::size_t i, std::size_t j) {
    return (points[j].y - points[i].y) / std::log2(points[j].x / points[i].x);
  };
  const std::size_t middle = points.size() / 2, last = points.size() - 1;
  const double first_half = per_doubling(0, middle), second_half = per_doubling(middle, last);
  return {"a fence takes longer by the same time whenever the ranks double",
          first_half > 0 && second_half > 0.5 * first_half && second_half < 2 * first_half,
          text_of(first_half) + " us per doubling up to " + text_of(points[middle].x, 6) + " ranks, " + text_of(second_half) + " beyond"};
}

namespace {

/// Where two series cross, between the points around it; 0 if nowhere.
double crossing_of(const Series &rising, const Series &other) {
  for (std::size_t i = 1; i < rising.points.size(); ++i) {
    const Point &a = rising.points[i - 1], &b = rising.points[i];
    const double before = a.y - other.at(a.x), after = b.y - other.at(b.x);
    if (before <= 0 && after > 0) return a.x + (b.x - a.x) * before / (before - after);
  }
  return 0;
}

const Series &published_of(const Figure &figure, const std::string &name) {
  for (const Series &one : figure.series)
    if (one.name == name && one.origin == Origin::published) return one;
  throw Refusal(figure.name + " has no published function of " + name);
}

}  // namespace

Finding fence_overtakes_pscw(const Figure &figure) {
  const Series &pscw = figure.simulated("pscw"), &fence = figure.simulated("fence");
  const double few = pscw.points.front().y / fence.points.front().y, many = pscw.points.back().y / fence.points.back().y;
  return {"PSCW is faster for few neighbours, a fence for many", few < 1 && many > 1,
          "PSCW takes " + times(few) + " a fence with " + text_of(pscw.first_x()) + " neighbours, " + times(many) + " with " +
              text_of(pscw.last_x()) + ", the same with " + text_of(crossing_of(pscw, fence))};
}

Finding lock_overtakes_network(const Figure &figure) {
  const Series &network = figure.simulated("sum by the network"), &lock = figure.simulated("get and put under a lock");
  const double small = lock.at(network.first_x()) / network.at(network.first_x()),
               large = lock.at(network.last_x()) / network.at(network.last_x()), crossing = crossing_of(network, lock);
  return {"atomic operations of the network are faster for few elements, a lock with get and put for many", small > 1 && large < 1,
          "the lock takes " + times(small) + " as long for 1 element, " + times(large) + " for the most, the same at " + text_of(crossing) +
              " bytes"};
}

Finding is_near_published(const Figure &figure, const std::string &name, double ratio) {
  const Series &simulated = figure.simulated(name), &published = published_of(figure, name);
  double least = HUGE_VAL, most = 0;
  for (const Point &point : simulated.points)
    least = std::min(least, point.y / published.at(point.x)), most = std::max(most, point.y / published.at(point.x));
  return {name + ": within " + times(ratio) + " the published function", least > 1 / ratio && most < ratio,
          text_of(least) + " to " + times(most) + " of it"};
}

Finding nbx_beats_alltoall(const Figure &figure) {
  const Series &nbx = figure.simulated("nbx"), &all = figure.simulated("alltoall");
  const double few = all.at(nbx.first_x()) / nbx.at(nbx.first_x()), many = all.at(nbx.last_x()) / nbx.at(nbx.last_x());
  return {"NBX is faster than alltoall at many ranks, increasingly so with their number", many > 1 && many > 2 * few,
          "alltoall takes " + times(few) + " NBX at " + text_of(nbx.first_x(), 6) + " ranks, " + times(many) + " at " +
              text_of(nbx.last_x(), 6),
          many, "alltoall / nbx, most ranks"};
}

Finding inserts_scale(const Figure &figure) {
  const Series &atomics = figure.simulated("atomics");
  const double gain = atomics.at(atomics.last_x()) / atomics.at(atomics.first_x()), ideal = atomics.last_x() / atomics.first_x();
  return {"inserts by atomic operations keep more than half of the ideal speed-up", gain > ideal / 2,
          text_of(gain) + " times the rate of " + text_of(ideal) + " times fewer ranks", gain / ideal, "share of the ideal speed-up"};
}

Finding atomics_beat_messages(const Figure &figure) {
  const double least = least_ratio(figure.simulated("atomics"), figure.simulated("messages"));
  return {"inserts by atomic operations are faster than by messages at all counts", least > 1, "at least " + times(least) + " the rate",
          least, "rate of atomics / messages, at least"};
}

Finding overlap_pays(const Figure &figure) {
  const double least = least_ratio(figure.simulated("puts, overlapped"), figure.simulated("messages"));
  return {"puts that overlap with the computation are faster than messages at all counts", least > 1,
          "at least " + text_of(least) + " times", least, "overlapped / messages, at least"};
}

namespace {

/// How many times as fast one variant of the ghost sweep is as another, with so many cells.
double speed_ratio(const Figure &figure, const std::string &of, const std::string &to, double cells) {
  return figure.simulated(of).at(cells) / figure.simulated(to).at(cells);
}
double peak_cells() { return kPeakSide * kPeakSide * kPeakSide; }
double first_cells(const Figure &figure) { return figure.series.front().first_x(); }
double last_cells(const Figure &figure) { return figure.series.front().last_x(); }

}  // namespace

Finding notified_beats_flat(const Figure &figure) {
  double least = HUGE_VAL;
  for (const Point &point : figure.simulated("mpi_only").points)
    if (point.x <= peak_cells()) least = std::min(least, speed_ratio(figure, "notified_1copy", "mpi_only", point.x));
  return {"notified writes with shared windows are faster than flat MPI up to the port's peak", least > 1,
          times(speed_ratio(figure, "notified_1copy", "mpi_only", first_cells(figure))) + " as fast at the smallest block, at least " +
              times(least) + " up to 38^3 cells",
          least, "notified 1-copy / flat, at least"};
}

Finding notified_beats_messages(const Figure &figure) {
  const double ratio = speed_ratio(figure, "notified_1copy_nobarrier", "mpi_shared_1copy", first_cells(figure));
  return {"with few cells per rank notified writes without a barrier are faster than messages between nodes", ratio > 1 + kGrowth,
          times(ratio) + " as fast at the smallest block", ratio, "notified 1-copy / shared MPI, smallest block"};
}

Finding shared_one_copy_is_as_flat(const Figure &figure) {
  const double ratio = speed_ratio(figure, "mpi_shared_1copy", "mpi_only", peak_cells());
  return {"shared MPI with one copy is as fast as flat MPI", ratio > 0.9 && ratio < 1.1, times(ratio) + " as fast with 38^3 cells", ratio,
          "shared MPI 1-copy / flat, 38^3"};
}

Finding zero_copy_is_twice_as_fast(const Figure &figure, const std::string &variant) {
  const double ratio = speed_ratio(figure, variant, "mpi_only", peak_cells());
  return {"the 0-copy exchange (" + variant + ") is about twice as fast as flat MPI", ratio > 1.6 && ratio < 2.6,
          times(ratio) + " with 38^3 cells", ratio, variant + " / flat, 38^3"};
}

Finding one_copies_are_alike_at_the_peak(const Figure &figure) {
  double least = HUGE_VAL, most = 0;
  for (const char *name : {"mpi_shared_1copy", "mpi_shared_1copy_blocking", "notified_1copy", "notified_1copy_nobarrier"}) {
    const double ratio = speed_ratio(figure, name, "mpi_only", peak_cells());
    least = std::min(least, ratio), most = std::max(most, ratio);
  }
  return {"all but the 0-copy exchanges are alike where the port reaches its peak", least > 0.9 && most < 1.1,
          text_of(least) + " to " + times(most) + " as fast as flat MPI with 38^3 cells", most, "fastest 1-copy / flat, 38^3"};
}

Finding large_blocks_are_alike(const Figure &figure) {
  const double few = speed_ratio(figure, "notified_1copy_nobarrier", "mpi_shared_1copy", first_cells(figure)),
               many = speed_ratio(figure, "notified_1copy_nobarrier", "mpi_shared_1copy", last_cells(figure));
  return {"the gain of notified writes shrinks with the size of the blocks", few > 1 && many - 1 < (few - 1) / 2,
          times(few) + " as fast at the smallest block, " + times(many) + " at the largest", many,
          "notified 1-copy / shared MPI, largest block"};
}

}  // namespace simulate
