// SPDX-License-Identifier: BSD-3-Clause
#include "choice/explain.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/printed.hpp"
#include "exchange/modes/modes.hpp"

namespace halocline::core {
namespace {

double us(std::int64_t ns) { return static_cast<double>(ns) / 1e3; }

const char *name_of(hlc_mode mode) {
  const ModeRow *row = find_mode(mode);
  return row ? row->name : "none";
}

const Prediction *candidate(const Explained &plan, int number) {
  for (const Prediction &one : plan.predictions->all())
    if (one.candidate == number) return &one;
  return nullptr;
}

/// The times of a mode in the trial; NULL if it was not tried.
const std::vector<std::int64_t> *times_of(const Explained &plan, const Prediction &one) {
  if (!plan.trial || one.candidate < 0 || plan.trial->times(one.candidate).empty()) return nullptr;
  return &plan.trial->times(one.candidate);
}

bool is_leader(const Explained &plan, const Prediction &one) {
  return one.candidate >= 0 && one.candidate == (plan.trial ? plan.trial->leader() : 0);
}

const char *word_of(Eligibility standing) {
  switch (standing) {
    case Eligibility::predicted: return "predicted";
    case Eligibility::unpredicted: return "no prediction";
    case Eligibility::slow: return "slow";
    case Eligibility::same: return "same";
    case Eligibility::unexamined: return "not examined";
    case Eligibility::untestable: return "not testable";
    case Eligibility::wrong: return "wrong";
    case Eligibility::forbidden: return "not listed";
    case Eligibility::failed: return "failed";
  }
  return "unknown";
}

std::string why_left_out(const Prediction &one) {
  const std::string reason = one.of_others ? "reported by another rank" : one.reason;
  switch (one.standing) {
    case Eligibility::predicted:
    case Eligibility::unpredicted: return one.reason.empty() ? "others are more promising" : one.reason;
    case Eligibility::slow: return "predicted to be much slower than the best";
    case Eligibility::same:
      return one.of_others ? "on another rank it moves data exactly as another mode" : "here it moves data exactly as " + reason;
    case Eligibility::unexamined: return "it calls MPI RMA, and halocline-doctor has not examined this MPI: mpiexec -n 2 halocline-doctor";
    case Eligibility::untestable: return "a test cannot detect when its data have arrived; HALOCLINE_AUTO_MODES can list it";
    case Eligibility::wrong: return "halocline-doctor found that it cannot be used (" + reason + ")";
    case Eligibility::forbidden: return "HALOCLINE_AUTO_MODES does not list it";
    case Eligibility::failed: return "its plan could not be created: " + reason;
  }
  return "";
}

const char *state_word(const Explained &plan, const Prediction &one) {
  if (is_leader(plan, one)) return plan.trial && plan.trial->is_trying() ? "leads" : "chosen";
  return one.candidate >= 0 ? "tried" : "left out";
}

std::string state_of(const Explained &plan, const Prediction &one) {
  const std::string word = state_word(plan, one);
  return one.candidate >= 0 ? word : word + ": " + why_left_out(one);
}

/// The best of the other candidates' times, after the trial.
std::string comparison(const Explained &plan, std::int64_t best_ns) {
  const int second = plan.trial->runner_up();
  const Prediction *other = second >= 0 ? candidate(plan, second) : nullptr;
  if (!other || best_ns <= 0) return "";
  const std::int64_t ns = median_ns(plan.trial->times(second));
  return printed("; %s took %.3g us, %.2f times as long", name_of(other->mode), us(ns),
                 static_cast<double>(ns) / static_cast<double>(best_ns));
}

std::string reason_of(const Explained &plan) {
  if (!plan.predictions) return printed("mode %s was asked for", name_of(plan.asked));
  if (!plan.trial) return plan.untried;
  const Trial &trial = *plan.trial;
  if (trial.is_trying()) return printed("the trial is not over: %d swaps so far", trial.report().swaps);
  if (trial.report().won_by_views) return "the program finishes its swaps by views, which copy nothing inside a node";
  if (trial.report().given_up) return "no kind of swap was frequent enough to compare modes: the prediction decides";
  const std::int64_t ns = median_ns(trial.times(trial.leader()));
  return printed("in the trial a swap took it %.3g us, the mean of the ranks", us(ns)) + comparison(plan, ns);
}

/// Predictions for neighbours on other nodes make the column wider.
int predicted_width(const Explained &plan) {
  const std::vector<Prediction> &all = plan.predictions->all();
  return std::any_of(all.begin(), all.end(), [](const Prediction &one) { return one.far_ns > 0; }) ? 36 : 14;
}

std::string row_of(const Explained &plan, const Prediction &one) {
  std::string predicted = one.cost_ns > 0 ? printed("%.3g us%s", us(one.cost_ns), one.beyond_measured ? " (?)" : "") : "-";
  if (one.far_ns > 0) predicted += printed(", %.3g for other nodes", us(one.far_ns));
  std::string measured = "-";
  if (const auto *times = times_of(plan, one)) {
    const auto [least, most] = std::minmax_element(times->begin(), times->end());
    measured = printed("%.3g us (%.3g to %.3g, %zu swaps)", us(median_ns(*times)), us(*least), us(*most),
                       times->size() * MeasurementRound::kTogether);
  }
  return printed("  %-14s %-*s %-40s ", name_of(one.mode), predicted_width(plan), predicted.c_str(), measured.c_str()) +
         state_of(plan, one) + "\n";
}

std::string trial_in_words(const Trial &trial) {
  std::string text = printed("trials: %d, with %d swaps together; ", trial.report().trials, trial.report().swaps);
  if (trial.period() == 0) return text + "no further trial follows\n";
  text += printed("the time of a swap is checked every %lld swaps", static_cast<long long>(trial.period()));
  if (trial.drift().first_ns() > 0)
    text += printed(": %.3g us at first, %.3g us last", us(trial.drift().first_ns()), us(trial.drift().last_ns()));
  return text + "\n";
}

/// A text between quotation marks.
std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += printed("\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      out += c;
  }
  return out + "\"";
}

std::string json_of(const Explained &plan, const Prediction &one) {
  std::string text = "{\"mode\": " + quoted(name_of(one.mode)) + ", \"state\": ";
  text += quoted(state_word(plan, one));
  text += ", \"standing\": " + quoted(word_of(one.standing));
  if (one.candidate < 0) text += ", \"reason\": " + quoted(why_left_out(one));
  if (one.cost_ns > 0)
    text += printed(", \"predicted_us\": %.6g, \"typical_error\": ", us(one.cost_ns)) +
            (one.typical_error < 0 ? "null" : printed("%.3g", one.typical_error)) +
            printed(", \"beyond_measured\": %s", one.beyond_measured ? "true" : "false");
  if (one.far_ns > 0) text += printed(", \"predicted_for_other_nodes_us\": %.6g", us(one.far_ns));
  if (const auto *times = times_of(plan, one)) {
    const auto [least, most] = std::minmax_element(times->begin(), times->end());
    text += printed(", \"measured_us\": %.6g, \"least_us\": %.6g, \"most_us\": %.6g, \"swaps\": %zu", us(median_ns(*times)), us(*least),
                    us(*most), times->size() * MeasurementRound::kTogether);
  }
  return text + "}";
}

std::string json_of(const Trial &trial) {
  return printed("{\"under_way\": %s, \"trials\": %d, \"swaps\": %d, \"period\": %lld, \"baseline_us\": %.6g, \"last_us\": %.6g}",
                 trial.is_trying() ? "true" : "false", trial.report().trials, trial.report().swaps, static_cast<long long>(trial.period()),
                 us(trial.drift().first_ns()), us(trial.drift().last_ns()));
}

/// Of fields in a device's memory: how they are swapped.
std::string device_in_words(const Explained &plan) {
  std::string names;
  for (const std::string &name : plan.on_device) names += (names.empty() ? "'" : ", '") + name + "'";
  if (names.empty()) return "";
  std::string text = "on " + plan.device_name + ", ";
  if (plan.read > 0) text += printed("read in place over %d of %d links, else ", plan.read, plan.read + plan.staged);
  text += printed("staged through %lld bytes of pinned memory: ", static_cast<long long>(plan.pinned_bytes)) + names + "\n";
  return plan.why_staged.empty() ? text : text + "  not read in place: " + plan.why_staged + "\n";
}

std::string device_in_json(const Explained &plan) {
  std::string names;
  for (const std::string &name : plan.on_device) names += (names.empty() ? "" : ", ") + quoted(name);
  if (names.empty()) return "";
  std::string text = printed(", \"staged\": {\"device\": %d, \"pinned_bytes\": %lld, \"read_links\": %d, \"staged_links\": %d, ",
                             plan.device, static_cast<long long>(plan.pinned_bytes), plan.read, plan.staged);
  if (!plan.why_staged.empty()) text += "\"why\": " + quoted(plan.why_staged) + ", ";
  return text + "\"fields\": [" + names + "]}";
}

}  // namespace

std::string explain_in_words(const Explained &plan) {
  if (!plan.predictions) return printed("mode %s: ", name_of(plan.now)) + reason_of(plan) + "\n" + device_in_words(plan);
  std::string text = printed("mode auto uses %s: ", name_of(plan.now)) + reason_of(plan) + "\n";
  if (plan.trial) text += trial_in_words(*plan.trial);
  text += device_in_words(plan);
  text += "predictions: " + plan.predictions->card_source() + "\n";
  text += "doctor's report on this MPI: " + plan.predictions->doctor_source() + "\n";
  text += printed("  %-14s %-*s %-40s\n", "mode", predicted_width(plan), "predicted", "measured (spread)");
  for (const Prediction &one : plan.predictions->all()) text += row_of(plan, one);
  return text;
}

std::string explain_in_json(const Explained &plan) {
  std::string text = "{\"asked\": " + quoted(name_of(plan.asked)) + ", \"chosen\": " + quoted(name_of(plan.now)) +
                     ", \"reason\": " + quoted(reason_of(plan));
  if (plan.trial) text += ", \"trial\": " + json_of(*plan.trial);
  text += device_in_json(plan);
  if (plan.predictions) {
    text += ", \"card\": " + quoted(plan.predictions->card_source()) + ", \"doctor\": " + quoted(plan.predictions->doctor_source());
    text += ", \"modes\": [";
    for (const Prediction &one : plan.predictions->all()) text += (&one == plan.predictions->all().data() ? "" : ", ") + json_of(plan, one);
    text += "]";
  }
  return text + "}\n";
}

Status give_text(const char *call, const std::string &text, char *buffer, std::size_t size, std::size_t *length) {
  if (!buffer && size > 0) return fail(Status::argument, "%s: buffer is NULL", call);
  if (length) *length = text.size();
  if (size == 0) return Status::ok;
  const std::size_t count = std::min(size - 1, text.size());
  std::memcpy(buffer, text.data(), count);
  buffer[count] = '\0';
  return Status::ok;
}

}  // namespace halocline::core
