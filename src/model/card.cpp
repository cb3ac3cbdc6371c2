// SPDX-License-Identifier: BSD-3-Clause
#include "model/card.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "model/default_card.hpp"
#include "model/json.hpp"

namespace halocline::core {
namespace {

constexpr const char *kSchema = "halocline-card/1";

const char *name_or_none(const char *name) { return name ? name : ""; }

bool is_unusable(const hlc_model_term &term) {
  return term.quantity == HLC_MODEL_QUANTITY_COUNT_ || term.us < 0 || term.from < 0 || term.to < 0 || (term.to > 0 && term.to <= term.from);
}

std::optional<hlc_model_term> term_of(const JsonValue &json) {
  const hlc_model_term term{quantity_of_name(json.text_at("quantity", "")), json.number_at("from", 0), json.number_at("to", 0),
                            json.number_at("us", -1)};
  return is_unusable(term) ? std::nullopt : std::optional(term);
}

constexpr double kNotTested = -1;

/// An error is known where points were left out of a fit. What a fit misses of its own points says nothing: two points are always met.
bool is_tested(const JsonValue &curve) {
  const JsonValue *const half = curve.find("predicted_half");
  return half && half->number_at("points", 0) > 0;
}

Curve described_by(const JsonValue &json) {
  Curve curve;
  curve.operation = json.text_at("operation", "");
  curve.by = json.text_at("by", "");
  curve.nodes = static_cast<int>(std::clamp(json.number_at("nodes", 1), 1.0, 2.0));
  curve.points = static_cast<int>(std::clamp(json.number_at("points", 0), 0.0, 1e9));
  curve.least_bytes = json.number_at("least_bytes", 0);
  curve.most_bytes = json.number_at("most_bytes", 0);
  curve.least_ranks = json.number_at("least_ranks", 0);
  curve.most_ranks = json.number_at("most_ranks", 0);
  curve.least_us = std::max(json.number_at("least_us", 0), 0.0);
  if (is_tested(json)) curve.typical_error = json.number_at("typical_error", kNotTested);
  return curve;
}

std::optional<Curve> curve_of(const JsonValue &json, std::string &fault) {
  Curve curve = described_by(json);
  const JsonValue *const terms = json.find("terms");
  if (curve.operation.empty() || curve.by.empty() || !terms || terms->members.empty()) {
    fault = "a curve lacks its operation, by or terms";
    return std::nullopt;
  }
  for (const JsonMember &member : terms->members) {
    const auto term = term_of(member.value);
    if (!term) {
      fault = "the curve of " + curve.operation + " by " + curve.by + " has an unknown term";
      return std::nullopt;
    }
    curve.terms.push_back(*term);
  }
  return curve;
}

/// FNV-1a, 64 bits.
std::uint64_t hash_of(const std::string &text) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return hash;
}

std::string cache_folder() {
  const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (cache && *cache) return std::string(cache) + "/halocline";
  return home && *home ? std::string(home) + "/.cache/halocline" : "";
}

/// The file of this kind for this host and an MPI; "" where there is no folder for it.
std::string kept_file(const char *kind, const std::string &mpi_version) {
  const std::string folder = cache_folder();
  if (folder.empty()) return "";
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::array<char, 48> name{};
  std::snprintf(name.data(), name.size(), "/%s-%016" PRIx64 ".json", kind, hash_of(mpi_version + "\n" + host.data()));
  return folder + name.data();
}

bool is_measured(const Curve &curve, const hlc_model_case &which) {
  const double ranks = which.ranks > 0 ? which.ranks : 2;
  return which.bytes >= curve.least_bytes && which.bytes <= curve.most_bytes && ranks >= curve.least_ranks && ranks <= curve.most_ranks;
}

}  // namespace

std::optional<Card> Card::parse(const std::string &text, const std::string &source, std::string &fault) {
  const auto json = read_json(text, fault);
  if (!json) return std::nullopt;
  const std::string schema = json->text_at("schema", "");
  if (schema != kSchema) {
    fault = "its schema is '" + schema + "', not '" + kSchema + "'";
    return std::nullopt;
  }
  Card card;
  card.source_ = source;
  const JsonValue *const curves = json->find("curves");
  for (std::size_t i = 0; curves && i < curves->members.size(); ++i) {
    auto curve = curve_of(curves->members[i].value, fault);
    if (!curve) return std::nullopt;
    card.curves_.push_back(std::move(*curve));
  }
  if (!card.curves_.empty()) return card;
  fault = "it has no curves";
  return std::nullopt;
}

std::optional<Card> Card::read(const std::string &path, std::string &fault) {
  const auto text = text_of(path);
  if (text) return parse(*text, path, fault);
  fault = "it cannot be read";
  return std::nullopt;
}

Card Card::standard(const std::string &why) {
  std::string fault;
  auto card = parse(kDefaultCard, "default card: " + why, fault);
  return card ? std::move(*card) : Card();  // a test reads the default card
}

Card Card::find(const std::string &kept, bool reports) {
  const std::string asked = environment("CARD");
  if (asked == "default") return standard("HALOCLINE_CARD asks for it");
  const std::string path = asked.empty() ? kept : asked;
  if (path.empty() || (asked.empty() && access(path.c_str(), F_OK) != 0))
    return standard("no machine card of this host and MPI; halocline-bench model measures one");
  std::string fault;
  if (auto card = read(path, fault)) return std::move(*card);
  if (reports)
    report_once("card", "unusable", "the machine card %s cannot be used: %s. The default card is used", path.c_str(), fault.c_str());
  return standard(path + " cannot be used: " + fault);
}

const Curve *Card::find_curve(const hlc_model_case &which) const {
  const std::string operation = name_or_none(which.operation), by = name_or_none(which.by);
  const int nodes = which.nodes > 1 ? 2 : 1;
  const auto curve = std::find_if(curves_.begin(), curves_.end(),
                                  [&](const Curve &one) { return one.operation == operation && one.by == by && one.nodes == nodes; });
  return curve == curves_.end() ? nullptr : &*curve;
}

Status Card::predict(const hlc_model_case &which, hlc_prediction &prediction) const {
  const Curve *curve = find_curve(which);
  if (!curve)
    return fail(Status::unsupported, "the machine card has no curve of '%s' by '%s' on %s (%s)", name_or_none(which.operation),
                name_or_none(which.by), which.nodes > 1 ? "several nodes" : "one node", source_.c_str());
  // A sum without a constant goes to 0 with the bytes, and no swap takes less than the shortest one that was measured.
  prediction = {std::max(cost_of(curve->terms, which), curve->least_us), curve->typical_error, is_measured(*curve, which) ? 0 : 1};
  return Status::ok;
}

std::string kept_card(const std::string &mpi_version) { return kept_file("card", mpi_version); }
std::string kept_report(const std::string &mpi_version) { return kept_file("doctor", mpi_version); }

}  // namespace halocline::core
