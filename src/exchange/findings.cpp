// Names of rounds, and the broken rules found in them.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/findings.hpp"

#include <utility>

#include "base/log.hpp"

namespace halocline::core {

void Findings::number(std::int64_t serial, std::int64_t plan) {
  serial_ = serial;
  if (const auto mark = label_.find('#'); mark != std::string::npos) label_.replace(mark, 1, std::to_string(plan));
}

std::string Findings::where() const { return "rank " + std::to_string(rank_) + ", " + label_ + ", swap " + std::to_string(round_); }

void Findings::found(const std::string &kind, const std::string &text) {
  report_rule(kind, text);
  if (first_.empty()) first_ = text;
}

Status Findings::result() {
  const std::string text = std::exchange(first_, {});
  return text.empty() ? Status::ok : fail(Status::rule, "%s", text.c_str());
}

}  // namespace halocline::core
