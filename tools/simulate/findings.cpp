// SPDX-License-Identifier: BSD-3-Clause
#include "findings.hpp"

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

Finding fence_falls_behind(const Figure &figure) {
  const Series &fence = figure.simulated("fence"), &pscw = figure.simulated("pscw"), &p2p = figure.simulated("p2p_waitall");
  const double few = fence.first_x(), many = fence.last_x();
  const double before = fence.at(few) / pscw.at(few), after = fence.at(many) / pscw.at(many), messages = fence.at(many) / p2p.at(many);
  return {"fence falls behind PSCW as ranks are added, and behind p2p at the most ranks", after > before * (1 + kGrowth) && messages > 1,
          "fence takes " + times(before) + " pscw at " + text_of(few, 6) + " ranks, " + times(after) + " at " + text_of(many, 6) + "; " +
              times(messages) + " p2p there"};
}

Finding adopted_passive_beats_naive(const Figure &figure) {
  const Series &passive = figure.simulated("passive"), &naive = figure.simulated("passive_naive");
  double least = HUGE_VAL;
  for (const Point &point : passive.points) least = std::min(least, naive.at(point.x) / point.y);
  const double few = naive.at(passive.first_x()) / passive.at(passive.first_x()),
               many = naive.at(passive.last_x()) / passive.at(passive.last_x());
  return {"the adopted passive target synchronisation is faster than the naive one at all counts, most at many ranks",
          least > 1 && many > few * (1 + kGrowth),
          "naive takes at least " + times(least) + " as long, " + times(few) + " at the fewest ranks, " + times(many) + " at the most"};
}

Finding passive_beats_messages(const Figure &figure) {
  const double least = least_ratio(figure.simulated("p2p_waitall"), figure.simulated("passive"));
  return {"passive target synchronisation is faster than p2p at all counts", least > 1, "p2p takes at least " + times(least) + " as long"};
}

Finding pscw_beats_messages(const Figure &figure) {
  const double least = least_ratio(figure.simulated("p2p_waitall"), figure.simulated("pscw"));
  return {"PSCW is faster than p2p at all counts", least > 1, "p2p takes at least " + times(least) + " as long"};
}

Finding pscw_is_near_passive(const Figure &figure) {
  const Series &pscw = figure.simulated("pscw"), &passive = figure.simulated("passive"), &fence = figure.simulated("fence");
  double pscw_most = 0, fence_least = HUGE_VAL;
  for (const Point &point : passive.points) {
    pscw_most = std::max(pscw_most, pscw.at(point.x) / point.y);
    fence_least = std::min(fence_least, fence.at(point.x) / point.y);
  }
  return {"PSCW is nearer to passive target synchronisation than fences are at any count", pscw_most < fence_least,
          "PSCW takes at most " + times(pscw_most) + " as long as passive, a fence at least " + times(fence_least)};
}

Finding messages_catch_up(const Figure &figure) {
  const double few = gain_of_rma(figure, figure.simulated("pscw").first_x()), many = gain_of_rma(figure, figure.simulated("pscw").last_x());
  return {"the gain of RMA shrinks in strong scaling, as messages become shorter", few > 1 && many < few,
          "p2p takes " + times(few) + " the best of pscw and passive at the fewest ranks, " + times(many) + " at the most"};
}

Finding messages_overtake_in_strong_scaling(const Figure &figure) {
  const double few = gain_of_rma(figure, figure.simulated("pscw").first_x()), many = gain_of_rma(figure, figure.simulated("pscw").last_x());
  return {"RMA is faster on few ranks, p2p on the most, where messages are short", few > 1 && many < 1,
          "p2p takes " + times(few) + " the best of pscw and passive at the fewest ranks, " + times(many) + " at the most"};
}

Finding messages_overtake(const Figure &figure) {
  const double small = gain_of_rma(figure, figure.simulated("pscw").first_x()),
               large = gain_of_rma(figure, figure.simulated("pscw").last_x());
  return {"RMA is faster with long messages, p2p with short ones", large > 1 && small < 1,
          "p2p takes " + times(small) + " the best of pscw and passive with the shortest messages, " + times(large) + " with the longest"};
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

Finding lock_overtakes_network(const Figure &figure) {
  const Series &network = figure.simulated("sum by the network"), &lock = figure.simulated("get and put under a lock");
  const double small = lock.at(network.first_x()) / network.at(network.first_x()),
               large = lock.at(network.last_x()) / network.at(network.last_x());
  return {"atomic operations of the network are faster for few elements, a lock with get and put for many", small > 1 && large < 1,
          "the lock takes " + text_of(small) + " times as long for 1 element, " + text_of(large) + " times for the most"};
}

Finding nbx_beats_alltoall(const Figure &figure) {
  const Series &nbx = figure.simulated("nbx"), &all = figure.simulated("alltoall");
  const double few = all.at(nbx.first_x()) / nbx.at(nbx.first_x()), many = all.at(nbx.last_x()) / nbx.at(nbx.last_x());
  return {"NBX is faster than alltoall at many ranks, increasingly so with their number", many > 1 && many > 2 * few,
          "alltoall takes " + times(few) + " NBX at " + text_of(nbx.first_x(), 6) + " ranks, " + times(many) + " at " +
              text_of(nbx.last_x(), 6)};
}

Finding inserts_scale(const Figure &figure) {
  const Series &atomics = figure.simulated("atomics");
  const double gain = atomics.at(atomics.last_x()) / atomics.at(atomics.first_x()), ideal = atomics.last_x() / atomics.first_x();
  return {"inserts by atomic operations keep more than half of the ideal speed-up", gain > ideal / 2,
          text_of(gain) + " times the rate of " + text_of(ideal) + " times fewer ranks"};
}

Finding atomics_beat_messages(const Figure &figure) {
  const double least = least_ratio(figure.simulated("atomics"), figure.simulated("messages"));
  return {"inserts by atomic operations are faster than by messages at all counts", least > 1, "at least " + times(least) + " the rate"};
}

Finding overlap_pays(const Figure &figure) {
  const double least = least_ratio(figure.simulated("puts, overlapped"), figure.simulated("messages"));
  return {"puts that overlap with the computation are faster than messages at all counts", least > 1,
          "at least " + text_of(least) + " times"};
}

Finding zero_copy_is_twice_as_fast(const Figure &figure) {
  const Series &zero = figure.simulated("notified_0copy"), &flat = figure.simulated("mpi_only");
  const double ratio = zero.at(zero.last_x()) / flat.at(zero.last_x());
  return {"the 0-copy exchange of the largest blocks is about twice as fast as messages alone", ratio > 1.6 && ratio < 2.6, times(ratio)};
}

Finding notified_beats_messages(const Figure &figure) {
  const Series &notified = figure.simulated("notified_1copy_nobarrier"), &shared = figure.simulated("mpi_shared_1copy");
  const double ratio = notified.at(notified.first_x()) / shared.at(notified.first_x());
  return {"with few cells per rank notified writes without a barrier are faster than messages between nodes", ratio > 1 + kGrowth,
          times(ratio) + " as fast at the smallest block"};
}

Finding large_blocks_are_alike(const Figure &figure) {
  const Series &notified = figure.simulated("notified_1copy_nobarrier"), &shared = figure.simulated("mpi_shared_1copy");
  const double few = notified.at(notified.first_x()) / shared.at(notified.first_x());
  const double many = notified.at(notified.last_x()) / shared.at(notified.last_x());
  return {"the gain of notified writes shrinks with the size of the blocks", few > 1 && many - 1 < (few - 1) / 2,
          times(few) + " as fast at the smallest block, " + times(many) + " at the largest"};
}

}  // namespace simulate
