// The terms of a cost curve: which quantity of a case each multiplies, and their sum. Source: Gerstenberger et al., section 3.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/model.h>

#include <string>
#include <vector>

namespace halocline::core {

/// The name of a quantity in a card, NULL for an invalid value.
const char *name_of_quantity(hlc_model_quantity quantity);
/// The quantity of that name; HLC_MODEL_QUANTITY_COUNT_ if there is none.
hlc_model_quantity quantity_of_name(const std::string &name);

/// How much of the term's quantity a case has.
double quantity_of(const hlc_model_term &term, const hlc_model_case &which);
/// Microseconds: the sum of all terms.
double cost_of(const std::vector<hlc_model_term> &terms, const hlc_model_case &which);

}  // namespace halocline::core
