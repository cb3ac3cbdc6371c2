// The handle of a context.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "api/calls.hpp"
#include "base/leaked_on_failure.hpp"
#include "engine/context/context.hpp"
#include "model/lazy_machine.hpp"

struct hlc_context : halocline::core::LeakedOnFailure {
  hlc_context();
  ~hlc_context() override;

  halocline::core::Context inner;
  halocline::core::LazyMachine machine;  // for plans that choose by it
  std::unique_ptr<hlc_segment> freed_segments;
  int freed_count = 0;
};
