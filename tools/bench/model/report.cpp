// The curves of `halocline-bench model` as formulas for people, as JSON, and as a machine card.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/model/model.hpp"

#include <common/replace_file.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace bench {

namespace {

constexpr const char *kCardSchema = "halocline-card/1";

// ---- words

/// Bandwidths are said as nanoseconds per byte, as in the paper.
std::string words_of(const hlc_model_term &term) {
  const std::string us = significant(term.us), ns = significant(term.us * 1e3);
  switch (term.quantity) {
    case HLC_MODEL_LATENCY: return us + " us";
    case HLC_MODEL_BYTES:
      return ns + " ns s" + (term.from > 0 ? " above " + bytes(term.from) : "") + (term.to > 0 ? " up to " + bytes(term.to) : "");
    case HLC_MODEL_SWITCH: return us + " us from " + bytes(term.from) + " on";
    case HLC_MODEL_LOG_RANKS: return us + " us log2 p";
    case HLC_MODEL_RANKS: return us + " us (p - 1)";
    case HLC_MODEL_SHARING: return us + " us if cores are shared";
    case HLC_MODEL_CROWDING: return us + " us c";
    case HLC_MODEL_CROWDING_LOG: return us + " us c log2 p";
    case HLC_MODEL_CROWDING_BYTES: return ns + " ns c s";
    case HLC_MODEL_NEIGHBOURS: return us + " us k";
    case HLC_MODEL_BLOCKS: return ns + " ns b";
    case HLC_MODEL_LOCAL_BYTES: return ns + " ns l";
    case HLC_MODEL_RANKS_BYTES: return ns + " ns (p - 1) s";
    case HLC_MODEL_MESSAGES: return us + " us m";
    case HLC_MODEL_FAR_BYTES: return ns + " ns f";
    case HLC_MODEL_FAR_MESSAGES: return us + " us n";
    case HLC_MODEL_CROWDING_LOCAL_BYTES: return ns + " ns c l";
    case HLC_MODEL_CROWDING_MESSAGES: return us + " us c m";
    case HLC_MODEL_QUANTITY_COUNT_: break;
  }
  return "";
}

std::string formula_of(const Fit &fit) {
  std::string text;
  for (const FittedTerm &one : fit.terms) text += (text.empty() ? "" : " + ") + words_of(one.term);
  return text;
}

std::string percent(double part) { return number(100 * part, 1, " %"); }

// ---- JSON

/// Without points there are no errors, which are not 0.
Json json_of(const Errors &errors) {
  if (errors.points == 0) return {{"median", nullptr}, {"worst", nullptr}, {"points", 0}};
  return {{"median", errors.median}, {"worst", errors.worst}, {"points", errors.points}};
}

Json json_of(const FittedTerm &one) {
  Json json = {
      {"quantity", hlc_model_quantity_name(one.term.quantity)}, {"us", one.term.us}, {"low_us", one.low_us}, {"high_us", one.high_us}};
  if (one.term.from > 0) json["from"] = one.term.from;
  if (one.term.to > 0) json["to"] = one.term.to;
  return json;
}

template <class Of>
std::pair<double, double> range_of(const CostPoints &points, Of of) {
  std::pair<double, double> range{of(points.front()), of(points.front())};
  for (const CostPoint &point : points) range = {std::min(range.first, of(point)), std::max(range.second, of(point))};
  return range;
}

Json json_of(const ModelCurve &curve) {
  const auto [least_bytes, most_bytes] = range_of(curve.points, [](const CostPoint &point) { return point.which.bytes; });
  const auto [least_ranks, most_ranks] = range_of(curve.points, [](const CostPoint &point) { return point.which.ranks; });
  const double least_us = range_of(curve.points, [](const CostPoint &point) { return point.us; }).first;
  Json json = {{"operation", curve.operation},
               {"by", curve.by},
               {"nodes", curve.nodes},
               {"formula", formula_of(curve.fit)},
               {"points", curve.points.size()},
               {"least_bytes", least_bytes},
               {"most_bytes", most_bytes},
               {"least_ranks", least_ranks},
               {"most_ranks", most_ranks},
               {"least_us", least_us},
               {"typical_error", curve.predicted ? Json(curve.predicted->median) : Json(nullptr)},
               {"residuals", json_of(curve.residuals)}};
  if (curve.predicted) json["predicted_half"] = json_of(*curve.predicted);
  for (const FittedTerm &one : curve.fit.terms) json["terms"].push_back(json_of(one));
  return json;
}

/// With each point and what the curve says about it, for pictures.
Json with_points(const ModelCurve &curve) {
  Json json = json_of(curve);
  json["fit"] = Json::array();
  for (const CostPoint &point : curve.points)
    json["fit"].push_back({{"bytes", point.which.bytes},
                           {"ranks", point.which.ranks},
                           {"size", point.size},
                           {"us", point.us},
                           {"fitted_us", curve.fit.predict(point.which)}});
  return json;
}

std::string check_in_words(const Errors &predicted) {
  if (predicted.points == 0) return "not tested: no curve has enough points to leave half of them out of a fit\n";
  return "Fitted to every other size and number of ranks, the curves predict " + std::to_string(predicted.points) +
         " other points: median error " + percent(predicted.median) + ", worst " + percent(predicted.worst) + "\n";
}

/// As asked for, else where it is kept; empty: there is no place.
std::string path_of_card(const ModelOptions &options) { return options.card.empty() ? hlc_model_path() : options.card; }

/// How the samples became rows.
std::string rule_of(const ModelReport &report) {
  if (report.passes == 0) return "the rows are those of a file (--from), whose rules hold";
  if (report.passes == 1) return "everything was measured once; " + kOutliers;
  return "everything was measured in " + std::to_string(report.passes) +
         " passes; each shape and each group of operations has the rows of the pass in which it took the least, the others are left out; " +
         "of this pass, " + kOutliers;
}

/// Curves of a card that was there, of numbers of nodes that this report has not.
std::vector<Json> curves_kept(const std::string &path, const ModelReport &report) {
  std::ifstream file(path);
  const Json old = Json::parse(file, nullptr, false);
  std::vector<Json> kept;
  if (!old.is_object() || old.value("schema", "") != kCardSchema) return kept;
  for (const Json &curve : old.value("curves", Json::array())) {
    const int nodes = curve.value("nodes", 1);
    if (std::none_of(report.curves.begin(), report.curves.end(), [&](const ModelCurve &one) { return one.nodes == nodes; }))
      kept.push_back(curve);
  }
  return kept;
}

}  // namespace

std::string table_of(const ModelReport &report) {
  std::vector<Cells> rows{{"operation", "nodes", "by", "points", "residual", "worst", "half predicted", "worst", "cost"}};
  for (const ModelCurve &curve : report.curves)
    rows.push_back({curve.operation, std::to_string(curve.nodes), curve.by, std::to_string(curve.points.size()),
                    percent(curve.residuals.median), percent(curve.residuals.worst),
                    curve.predicted ? percent(curve.predicted->median) : "-", curve.predicted ? percent(curve.predicted->worst) : "-",
                    formula_of(curve.fit)});
  std::string text = title_of("Cost models", report.results.environment) + drawn(rows) +
                     "s: bytes, l: bytes of the rank itself, p: ranks, k: neighbours, m: messages, b: blocks, c: ranks per core - 1\n"
                     "f: bytes from other nodes, n: messages from other nodes\n";
  if (report.left_out > 0) text += std::to_string(report.left_out) + " measurements were left out: the time was over (--seconds)\n";
  text += check_in_words(report.predicted);
  text += "measured in " + number(report.measuring_s, 1) + " s, fitted in " + number(report.fitting_s, 1) + " s\n";
  return text + (report.card.empty() ? "" : "machine card: " + report.card + "\n");
}

Document document_of(const ModelReport &report) {
  Json curves = Json::array();
  for (const ModelCurve &curve : report.curves) curves.push_back(with_points(curve));
  return {report.results,
          {{"curves", curves},
           {"predicted_half", json_of(report.predicted)},
           {"left_out", report.left_out},
           {"passes", report.passes},
           {"measuring_s", report.measuring_s},
           {"fitting_s", report.fitting_s}},
          rule_of(report)};
}

Json card_of(const ModelReport &report) {
  const Environment &environment = report.results.environment;
  Json card = {{"schema", kCardSchema},        {"host", environment.host},
               {"cpu", environment.cpu},       {"cores", environment.context.cores},
               {"mpi", environment.mpi_short}, {"halocline", environment.version},
               {"date", environment.date},     {"predicted_half", json_of(report.predicted)}};
  card["curves"] = Json::array();
  for (const ModelCurve &curve : report.curves) card["curves"].push_back(json_of(curve));
  return card;
}

std::string why_no_card(const ModelOptions &options) {
  if (options.card == "none") return "";
  const std::string path = path_of_card(options);
  if (path.empty()) return "no folder for the machine card; set XDG_CACHE_HOME to one, --card to a file, or give --card none";
  std::error_code error;
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  const std::string why = error ? error.message() : why_not_writable(first_written(path));
  if (why.empty()) return "";
  return "can't write the machine card " + path + ": " + why + "; give --card another file" +
         (options.card.empty() ? ", set XDG_CACHE_HOME to another folder" : "") + ", or give --card none";
}

std::string write_card(const ModelReport &report, const ModelOptions &options) {
  if (options.card == "none" || report.curves.empty()) return "";
  const std::string path = path_of_card(options);
  Json card = card_of(report);
  for (Json &curve : options.add ? curves_kept(path, report) : std::vector<Json>()) card["curves"].push_back(std::move(curve));
  replace_file(path, [&](const std::string &name) { write_file(card, name); });
  return path;
}

}  // namespace bench
