// Carries out packed queries, whose strips may be anywhere in a memory. Their values are copied there or back, or are operands of an operation
// on its elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/network/message.hpp"
#include "engine/network/served.hpp"

namespace halocline::core {

/// True for the queries of this file.
inline bool is_packed(const Message &query) { return query.kind >= Message::Kind::scatter && query.kind <= Message::Kind::swap; }

/// Carries out such a query, whose operands follow it, and writes the values of its reply. All strips are checked before the first is
/// touched. One thread at a time.
Outcome carry_out_packed(const Served &memory, const Message &query, Operands operands, Reply *reply);

}  // namespace halocline::core
