// Experiments with the costs of the default machine card, so that results are the same everywhere.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <experiments.hpp>

#include <memory>

namespace simulate {

struct CloseCard {
  void operator()(hlc_model *card) const { hlc_model_close(&card); }
};

inline const hlc_model *default_card() {
  static const std::unique_ptr<hlc_model, CloseCard> card([] {
    hlc_model *model = nullptr;
    if (hlc_model_open(DEFAULT_CARD, &model) != HLC_OK) throw Refusal("there is no default card");
    return model;
  }());
  return card.get();
}

/// Experiments of at most so many ranks.
inline Settings small_settings(int most_ranks) {
  Settings settings;
  settings.card = default_card();
  settings.most_ranks = most_ranks;
  return settings;
}

}  // namespace simulate
