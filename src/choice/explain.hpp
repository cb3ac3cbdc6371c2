// What mode auto has chosen, and why, in words and as JSON.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "choice/predictions.hpp"
#include "choice/trial.hpp"

namespace halocline::core {

/// What there is to explain of a plan.
struct Explained {
  hlc_mode asked = HLC_MODE_DEFAULT, now = HLC_MODE_DEFAULT;  // asked for by the caller or the environment; of the last swap
  const Predictions *predictions = nullptr;
  const Trial *trial = nullptr;  // NULL: nothing was tried
  const char *untried = "";      // why
  std::vector<std::string> on_device;  // fields in a device's memory
  int device = 0;
  std::string device_name = {};  // "CUDA device 0"
  std::int64_t pinned_bytes = 0;  // of the host's memory through which they pass, where they are not read in place
  int read = 0, staged = 0;  // links to neighbours over which they are read in place, or staged
  std::string why_staged = {};  // may be empty
};

std::string explain_in_words(const Explained &plan);
std::string explain_in_json(const Explained &plan);

/// Copies a text to a caller's buffer as far as it goes, with a zero at the end. *length receives the whole length, without the zero.
Status give_text(const char *call, const std::string &text, char *buffer, std::size_t size, std::size_t *length);

}  // namespace halocline::core
