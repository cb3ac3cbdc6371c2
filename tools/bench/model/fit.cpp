// SPDX-License-Identifier: BSD-3-Clause
#include "bench/model/fit.hpp"

#include "bench/model/nonnegative_fit.hpp"

#include <common/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace bench {

namespace {

using Terms = std::vector<hlc_model_term>;

/// An error of this size is noise: no term is added to make it smaller.
constexpr double kNoise = 0.005;
/// Terms that do not depend on bytes alone, in the order in which they are tried.
constexpr hlc_model_quantity kPlain[] = {HLC_MODEL_LOG_RANKS,        HLC_MODEL_RANKS,
                                         HLC_MODEL_SHARING,          HLC_MODEL_CROWDING,
                                         HLC_MODEL_CROWDING_LOG,     HLC_MODEL_CROWDING_BYTES,
                                         HLC_MODEL_NEIGHBOURS,       HLC_MODEL_BLOCKS,
                                         HLC_MODEL_LOCAL_BYTES,      HLC_MODEL_RANKS_BYTES,
                                         HLC_MODEL_MESSAGES,         HLC_MODEL_FAR_BYTES,
                                         HLC_MODEL_FAR_MESSAGES,     HLC_MODEL_CROWDING_LOCAL_BYTES,
                                         HLC_MODEL_CROWDING_MESSAGES};

Table table_of(const CostPoints &points, const Terms &terms) {
  Table table;
  for (const CostPoint &point : points) {
    table.emplace_back();
    for (const hlc_model_term &term : terms) table.back().push_back(hlc_model_quantity_of(&term, &point.which) / point.us);
  }
  return table;
}

/// A set of terms, its coefficients, and what it is worth: the less the better.
struct Choice {
  Terms terms;
  std::vector<double> us;
  double price = 0;
};

/// What a term costs, in that of Schwarz's criterion: there are few points.
constexpr double kPrice = 1.5;

/// The logarithm of the error, and a price for each term.
Choice priced(const CostPoints &points, Terms terms) {
  const Table table = table_of(points, terms);
  Choice choice{std::move(terms), nonnegative_fit(table, 15), 0};
  const auto n = static_cast<double>(points.size());
  choice.price =
      n * std::log(std::max(mean_error(table, choice.us), kNoise)) + kPrice * static_cast<double>(choice.terms.size()) * std::log(n);
  return choice;
}

/// Whether some points have more of the quantity than others.
bool varies(const CostPoints &points, const hlc_model_term &term) {
  const double first = hlc_model_quantity_of(&term, &points.front().which);
  return std::any_of(points.begin(), points.end(), [&](const CostPoint &point) {
    return std::fabs(hlc_model_quantity_of(&term, &point.which) - first) > 1e-9 * std::fabs(first);
  });
}

/// With fewer sizes no switch point is looked for.
constexpr std::size_t kLeastSizes = 5;

/// Where a protocol may change: sizes with two others below and one above.
std::vector<double> switch_points(const CostPoints &points) {
  std::set<double> bytes;
  for (const CostPoint &point : points) bytes.insert(point.which.bytes);
  if (bytes.size() < kLeastSizes) return {};
  return {std::next(bytes.begin(), 2), std::prev(bytes.end())};
}

bool has(const Terms &terms, const hlc_model_term &wanted) {
  return std::any_of(terms.begin(), terms.end(), [&](const hlc_model_term &term) {
    return term.quantity == wanted.quantity && !(term.from < wanted.from) && !(wanted.from < term.from);
  });
}

/// The cost per byte changes at `at`: the term that holds it becomes two.
Terms split(Terms terms, double at) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    hlc_model_term &term = terms[i];
    if (term.quantity != HLC_MODEL_BYTES || term.from >= at || (term.to > 0 && term.to <= at)) continue;
    const hlc_model_term above{HLC_MODEL_BYTES, at, term.to, 0};
    term.to = at;
    terms.push_back(above);
    break;
  }
  return terms;
}

Terms with(Terms terms, const hlc_model_term &term) {
  terms.push_back(term);
  return terms;
}

/// All sets with one term more.
std::vector<Terms> larger(const CostPoints &points, const Terms &terms) {
  std::vector<Terms> sets;
  const auto add = [&](const hlc_model_term &term) {
    if (!has(terms, term) && varies(points, term)) sets.push_back(with(terms, term));
  };
  for (const hlc_model_quantity quantity : kPlain) add({quantity, 0, 0, 0});
  for (const double at : switch_points(points)) {
    add({HLC_MODEL_SWITCH, at, 0, 0});
    Terms halves = split(terms, at);
    if (halves.size() > terms.size()) sets.push_back(std::move(halves));
  }
  return sets;
}

/// Whether the largest size is twice the smallest or more.
bool has_sizes(const CostPoints &points) {
  const auto [least, most] = std::minmax_element(points.begin(), points.end(),
                                                 [](const CostPoint &a, const CostPoint &b) { return a.which.bytes < b.which.bytes; });
  return most->which.bytes >= 2 * least->which.bytes && most->which.bytes > 0;
}

/// Latency, and bytes over bandwidth where sizes differ: what every curve has. Sizes that differ by little tell nothing of a bandwidth.
Terms first_terms(const CostPoints &points) {
  const hlc_model_term latency{HLC_MODEL_LATENCY, 0, 0, 0}, all_bytes{HLC_MODEL_BYTES, 0, 0, 0};
  return has_sizes(points) ? Terms{latency, all_bytes} : Terms{latency};
}

/// Adds terms as long as one pays.
Choice choose(const CostPoints &points) {
  Choice best = priced(points, first_terms(points));
  while (2 * best.terms.size() < points.size()) {
    Choice next = best;
    for (Terms &terms : larger(points, best.terms))
      if (Choice tried = priced(points, std::move(terms)); tried.price < next.price) next = std::move(tried);
    if (next.terms.size() == best.terms.size()) break;
    best = std::move(next);
  }
  return best;
}

/// The coefficients of the terms in fits to points that are drawn again, one list per term.
std::vector<std::vector<double>> drawn_again(const CostPoints &points, const Terms &terms, const FitOptions &options) {
  std::vector<std::vector<double>> found(terms.size());
  std::mt19937_64 random(options.seed);
  std::uniform_int_distribution<std::size_t> any(0, points.size() - 1);
  const Table table = table_of(points, terms);
  for (int draw = 0; draw < options.draws; ++draw) {
    Table some;
    for (std::size_t i = 0; i < table.size(); ++i) some.push_back(table[any(random)]);
    const std::vector<double> us = nonnegative_fit(some, 10);
    for (std::size_t j = 0; j < us.size(); ++j) found[j].push_back(us[j]);
  }
  return found;
}

/// The sizes, or numbers of ranks, that are in the fitted half: the first, the third, and so on.
template <class Value, class Of>
std::set<Value> every_other(const CostPoints &points, Of of) {
  std::set<Value> all, half;
  for (const CostPoint &point : points) all.insert(of(point));
  bool in = true;
  for (const Value &value : all) {
    if (in) half.insert(value);
    in = !in;
  }
  return half;
}

}  // namespace

double Fit::predict(const hlc_model_case &which) const {
  double us = 0;
  for (const FittedTerm &one : terms) us += one.term.us * hlc_model_quantity_of(&one.term, &which);
  return us;
}

Fit fit_curve(const CostPoints &points, const FitOptions &options) {
  Choice choice = choose(points);
  choice.us = nonnegative_fit(table_of(points, choice.terms));
  const auto draws = drawn_again(points, choice.terms, options);
  Fit fit;
  for (std::size_t j = 0; j < choice.terms.size(); ++j) {
    choice.terms[j].us = choice.us[j];
    if (choice.us[j] > 0) fit.terms.push_back({choice.terms[j], common::quantile(draws[j], 0.05), common::quantile(draws[j], 0.95)});
  }
  for (const CostPoint &point : points) fit.residuals.push_back(fit.predict(point.which) / point.us - 1);
  return fit;
}

Halves halves_of(const CostPoints &points) {
  const auto sizes = every_other<int>(points, [](const CostPoint &point) { return point.size; });
  const auto ranks = every_other<double>(points, [](const CostPoint &point) { return point.which.ranks; });
  Halves halves;
  for (const CostPoint &point : points)
    (sizes.count(point.size) && ranks.count(point.which.ranks) ? halves.fitted : halves.predicted).push_back(point);
  return halves;
}

Errors errors_of(const std::vector<double> &relative) {
  std::vector<double> sizes;
  for (const double one : relative) sizes.push_back(std::fabs(one));
  return {common::quantile(sizes, 0.5), common::quantile(sizes, 1), static_cast<int>(sizes.size())};
}

Errors errors_of(const Fit &fit, const CostPoints &points) {
  std::vector<double> relative;
  for (const CostPoint &point : points) relative.push_back(fit.predict(point.which) / point.us - 1);
  return errors_of(relative);
}

}  // namespace bench
