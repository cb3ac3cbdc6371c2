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

/// Columns of a terminal, or of a page, which a table has at most.
constexpr std::size_t kColumns = 100, kFirstColumn = 10, kBetween = 2;

/// Words in lines of so many columns at most, the second and further ones indented.
std::string wrapped(const std::string &text, std::size_t indent) {
  std::istringstream words(text);
  std::string lines, line = text.substr(0, text.find_first_not_of(' '));
  bool is_first = true;
  for (std::string word; words >> word; is_first = false) {
    if (!is_first && line.size() + 1 + word.size() > kColumns)
      lines += line + "\n", line = std::string(indent, ' ') + word;
    else
      line += (is_first ? "" : " ") + word;
  }
  return lines + line + "\n";
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

namespace {

using Columns = std::vector<const Series *>;

/// The series side by side, in as many parts as the width needs.
std::vector<Columns> parts_of(const Figure &figure) {
  std::vector<Columns> parts;
  std::size_t width = kColumns;
  for (const Series &series : figure.series) {
    const std::size_t column = kBetween + label_of(series).size();
    if (width + column > kColumns) parts.emplace_back(), width = kFirstColumn;
    parts.back().push_back(&series);
    width += column;
  }
  return parts;
}

std::string part_in_words(const Figure &figure, const Columns &columns) {
  std::ostringstream text;
  std::set<double> places;
  text << std::setw(kFirstColumn) << figure.x;
  for (const Series *series : columns) {
    text << "  " << label_of(*series);
    for (const Point &point : series->points) places.insert(point.x);
  }
  for (const double x : places) {
    text << "\n" << std::setw(kFirstColumn) << text_of(x);
    for (const Series *series : columns) text << "  " << std::setw(static_cast<int>(label_of(*series).size())) << cell_of(*series, x);
  }
  return text.str() + "\n";
}

}  // namespace

std::string table_of(const Figure &figure) {
  std::string text = wrapped(figure.title + " (" + figure.after + "), " + figure.y, 2);
  for (const Columns &columns : parts_of(figure)) text += part_in_words(figure, columns);
  if (!figure.note.empty()) text += wrapped("  " + figure.note, 2);
  for (const Finding &finding : figure.findings)
    text += wrapped((finding.holds ? "  holds: " : "  DOES NOT HOLD: ") + finding.statement + " (" + finding.because + ")", 4);
  return text;
}

}  // namespace simulate
