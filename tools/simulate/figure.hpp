// What an experiment yields: series of points, and findings about them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <common/json.hpp>

#include <string>
#include <vector>

namespace simulate {

struct Point {
  double x = 0, y = 0;
};

/// Where points are from.
enum class Origin {
  simulated,  ///< the event model
  modelled,   ///< a function fitted to simulated points, beyond what was simulated
  published,  ///< a function or a point of the paper
  measured,   ///< on the machine itself
};

struct Series {
  std::string name;
  Origin origin = Origin::simulated;
  std::vector<Point> points;

  /// The y of the point at x; Refusal if there is none.
  double at(double x) const;
  double first_x() const { return points.front().x; }
  double last_x() const { return points.back().x; }
};

/// A statement of a paper, decided by the points.
struct Finding {
  std::string statement;
  bool holds = false;
  std::string because;  ///< the numbers that decide
  double value = 0;     ///< the one of them that a spread shows; 0: none
  std::string measure{};  ///< what that is
};

struct Figure {
  std::string name, title, x, y, after;  ///< `after`: the figure of the paper that it follows
  std::vector<Series> series{};
  std::vector<Finding> findings{};
  std::string note{};         ///< how well its functions predict
  common::Json network{};     ///< that is simulated, where it is the same for all points and series
  std::string measured_as{};  ///< the problem of a rank, as the check names it, where it can be measured

  /// The simulated series of that name; Refusal if there is none.
  const Series &simulated(const std::string &name) const;
};

/// Numbers as text, for `because`.
std::string text_of(double value, int digits = 3);

common::Json json_of(const Figure &figure);
/// A table: a row for each x, a column for each series, in parts of 100 columns at most; then the findings.
std::string table_of(const Figure &figure);

}  // namespace simulate
