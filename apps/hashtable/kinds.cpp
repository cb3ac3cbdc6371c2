// SPDX-License-Identifier: BSD-3-Clause
#include "variant.hpp"

namespace hashtable {

const std::vector<Kind> &kinds() {
  static const std::vector<Kind> all{
      {"messages_one", make_messages_one}, {"messages", make_messages}, {"rma", make_rma},
      {"rma_batched", make_rma_batched},   {"engine", make_engine},     {"engine_batched", make_engine_batched},
      {"instructions", make_instructions}};
  return all;
}

}  // namespace hashtable
