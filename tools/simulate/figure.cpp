// SPDX-License-Identifier: BSD-3-Clause
#include "figure.hpp"

#include "machine.hpp"

#include <cmath>
#include <cstdio>
#include <iomanip>
#include <set>
#include <sstream>

namespace simulate {

namespace {

bool is_at(const Point &point, double x) { return std::fabs(point.x - x) <= 1e-9 * std::fabs(x); }

const char *name_of(Origin origin) {
  switch (origin) {
    case Origin::simulated: return "simulated";
    case Origin::modelled: return "modelled";
    case Origin::published: return "published";
    case Origin::measured: return "measured";
  }
  return "";
}

std::string label_of(const Series &series) {
  return series.origin == Origin::simulated ? series.name : series.name + " (" + name_of(series.origin) + ")";
}

std::string cell_of(const Series &series, double x) {
  for (const Point &point : series.points)
    if (is_at(point, x)) return text_of(point.y, 4);
  return "-";
}

}  // namespace

double Series::at(double x) const {
  for (const Point &point : points)
    if (is_at(point, x)) return point.y;
  throw Refusal(name + " has no point at " + text_of(x));
}

const Series &Figure::simulated(const std::string &wanted) const {
  for (const Series &one : series)
    if (one.name == wanted && one.origin == Origin::simulated) return one;
  throw Refusal(name + " has no series " + wanted);
}

std::string text_of(double value, int digits) {
  char text[64];
  const bool is_whole = std::fabs(value) >= std::pow(10, digits);
  std::snprintf(text, sizeof text, is_whole ? "%.*f" : "%.*g", is_whole ? 0 : digits, value);
  return text;
}

common::Json json_of(const Figure &figure) {
  common::Json json{{"name", figure.name}, {"title", figure.title}, {"after", figure.after}, {"x", figure.x}, {"y", figure.y}};
  for (const Series &series : figure.series) {
    common::Json points = common::Json::array();
    for (const Point &point : series.points) points.push_back({point.x, point.y});
    json["series"].push_back({{"name", series.name}, {"origin", name_of(series.origin)}, {"points", points}});
  }
  if (!figure.note.empty()) json["note"] = figure.note;
  if (!figure.network.is_null()) json["network"] = figure.network;
  json["findings"] = common::Json::array();
  for (const Finding &finding : figure.findings)
    json["findings"].push_back({{"statement", finding.statement}, {"holds", finding.holds}, {"because", finding.because}});
  return json;
}

std::string table_of(const Figure &figure) {
  std::ostringstream text;
  text << figure.title << " (" << figure.after << "), " << figure.y << "\n" << std::setw(10) << figure.x;
  std::set<double> places;
  for (const Series &series : figure.series) {
    text << "  " << label_of(series);
    for (const Point &point : series.points) places.insert(point.x);
  }
  for (const double x : places) {
    text << "\n" << std::setw(10) << text_of(x);
    for (const Series &series : figure.series) text << "  " << std::setw(static_cast<int>(label_of(series).size())) << cell_of(series, x);
  }
  text << "\n";
  if (!figure.note.empty()) text << "  " << figure.note << "\n";
  for (const Finding &finding : figure.findings)
    text << (finding.holds ? "  holds: " : "  DOES NOT HOLD: ") << finding.statement << " (" << finding.because << ")\n";
  return text.str();
}

}  // namespace simulate
