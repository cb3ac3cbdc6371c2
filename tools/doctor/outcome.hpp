// What a probe can come to, and what is told about it. The words are those of the table and of the JSON.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace doctor {

/// Worse outcomes stand later: of several the last one holds. `untested` says that the doctor was stopped before it came to the probe.
enum class Outcome { right, fact, lacks, untested, wrong, crashes, hangs };

inline constexpr std::array kOutcomeNames{"right", "fact", "lacks", "untested", "wrong", "crashes", "hangs"};

inline const char *name_of(Outcome outcome) { return kOutcomeNames[static_cast<std::size_t>(outcome)]; }
/// The outcome of a name; `untested` for a word that is none.
inline Outcome outcome_of(const std::string &name) {
  const auto found = std::find(kOutcomeNames.begin(), kOutcomeNames.end(), name);
  return found == kOutcomeNames.end() ? Outcome::untested : static_cast<Outcome>(found - kOutcomeNames.begin());
}
inline Outcome worse(Outcome a, Outcome b) { return std::max(a, b); }
/// True for what nobody should use: wrong answers, crashes and hangs. A missing feature is no fault.
inline bool is_fault(Outcome outcome) { return outcome >= Outcome::wrong; }

/// One thing that one rank has found. `operation` is put, get or accumulate where a probe tries several, else empty.
struct Finding {
  Outcome outcome = Outcome::right;
  int rank = 0;
  std::string operation, text;
};

/// What is known of a probe after all ranks have told what they found.
struct Result {
  std::string probe;
  Outcome outcome = Outcome::untested;
  double seconds = 0;
  std::vector<Finding> findings;
};

}  // namespace doctor
