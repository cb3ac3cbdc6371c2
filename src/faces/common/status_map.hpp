// Statuses of the engine as the codes of a face. Each face has one table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>

#include "base/status.hpp"

namespace halocline::core {

/// The code of a status.
template <class Code>
struct StatusRow {
  Status status;
  Code code;
};

/// The codes of some statuses, and that of all others. The message of a failure stays with the thread.
template <class Code, std::size_t kRows>
class StatusMap {
 public:
  constexpr StatusMap(const StatusRow<Code> (&rows)[kRows], Code others) : rows_(std::to_array(rows)), others_(others) {}

  constexpr Code of(Status status) const {
    for (const StatusRow<Code> &row : rows_)
      if (row.status == status) return row.code;
    return others_;
  }

 private:
  std::array<StatusRow<Code>, kRows> rows_;
  Code others_;
};

}  // namespace halocline::core
