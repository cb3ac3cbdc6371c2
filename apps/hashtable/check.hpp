// Whether a table does what a serial one does: which keys are there, which rank stored them, and that none is there twice.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "digest.hpp"
#include "keys.hpp"
#include "variant.hpp"

#include <functional>
#include <string>

namespace hashtable {

/// `begins` is called with the name of each step.
struct CheckSetup {
  const Shape &shape;
  const Keys &keys;
  int rank;
  std::function<void(const std::string &step)> begins;
  Digest *content;  ///< gets what the table holds after the first inserts
};

/// Inserts all keys, finds them, erases some, inserts some again, and lets all ranks insert and erase a few keys at the same time. Returns
/// what was wrong first, empty if nothing was. The variant's table is empty before and after. Collective, and equal on all ranks.
std::string check(Variant &variant, const CheckSetup &setup);

}  // namespace hashtable
