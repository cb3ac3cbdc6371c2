// Events as lines of JSON, in Chrome's trace event format.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "trace/place.hpp"
#include "trace/trace.hpp"

namespace halocline::core::trace {

/// Texts of an event, escaped.
struct Texts {
  const std::string &label, &detail;
};

/// A text as it may stand between quotation marks in JSON.
std::string escaped(const std::string &text);

/// Appends the event, without a comma or a line's end.
void append_event(std::string &lines, const Event &event, int thread, const Texts &texts);

/// What readers have to know of a rank: its name, the number of ranks, its host and its clock.
std::string about_rank(const Place &place, const std::string &host);
std::string about_clock(int rank, const ClockSample &sample);

}  // namespace halocline::core::trace
