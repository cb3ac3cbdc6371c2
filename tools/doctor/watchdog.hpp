// Looks after one rank while it runs a probe: knows the MPI call that the rank is in, and when the probe's time is over or the rank crashes,
// writes down where it was. Nothing here needs MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <stdexcept>
#include <string>

#include "errors.hpp"

namespace doctor {

/// What the watch looks at, and what it does.
struct Watch {
  std::string results;  ///< hangs and crashes are appended to this file, as lines of JSON
  std::string progress;  ///< the file of all ranks' counters
  int rank = 0, ranks = 1;
  std::function<void()> last_words;  ///< a rank that hangs calls this, and ends
};
void watch(Watch watch);
/// A probe begins; once no rank has made a call for this many seconds, this one ends. 0 seconds: the probe has ended.
void watch_probe(const char *probe, double limit_s);
/// What the probe is doing, in a few words that are printed if it hangs.
void watch_phase(const std::string &phase);
/// The call that is being made. Calls that are made again and again until something is there (`counts` is false) are no progress.
void watch_call(const char *call, bool counts = true);
const char *watched_phase();

/// An MPI function returned an error for a call that the standard allows.
class Refused : public std::runtime_error {
 public:
  Refused(const char *call, int code);
  /// True if the error says that this MPI does not do such a thing, false if it says that something went wrong.
  bool is_lack() const { return is_lack_; }

 private:
  bool is_lack_ = false;
};

/// This MPI, or its mpi.h, does not have what a probe is about.
class Lacks : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void check_call(const char *call, int code) {
  if (const int error = error_of(code); error != MPI_SUCCESS) throw Refused(call, error);
}

}  // namespace doctor

/// Calls an MPI function under the eyes of the watchdog; throws Refused if it returns an error.
#define CALL(function, ...) (::doctor::watch_call(#function), ::doctor::check_call(#function, function(__VA_ARGS__)))
/// The same for a call that asks whether something is there, and is made again until it is.
#define POLL(function, ...) (::doctor::watch_call(#function, false), ::doctor::check_call(#function, function(__VA_ARGS__)))
