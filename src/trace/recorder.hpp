// The file of a process' trace: when it is opened, what it says about clocks, and when it is written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "base/status.hpp"
#include "trace/place.hpp"
#include "trace/trace.hpp"

namespace halocline::core::trace {

/// What HALOCLINE_TRACE and HALOCLINE_SUMMARY ask for; `folder` gets the former's value.
unsigned wanted(std::string *folder);

/// A number for the clock that this process reads.
std::uint64_t clock_of_process();

/// Opens this process' file, once, and writes which rank it is; adds the rank if the file is open. Fails if it cannot be written. `again` if
/// its trace has ended early, which was reported: the file stays as it is.
Status open(const std::string &folder, const Place &place);
/// From now on is_on() is true.
void begin(unsigned uses);
/// Adds a sample of the clock to the file.
void add_clock(int rank, const ClockSample &sample);
/// Writes what has been recorded. The file is complete then.
void flush();

/// A line of the table at the end.
void add_line(const std::string &line);
/// Prints the table, if it has lines, and forgets them. A child of the process prints nothing.
void print_lines();

}  // namespace halocline::core::trace
