// What counting_libfabric.cpp counts, and its readers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::test {

/// Of one process, since it began. announcements: tagged messages, which bring immediate data where writes carry none.
struct NetworkCounts {
  std::uint64_t writes = 0, writes_with_immediate = 0, reads = 0, messages = 0, announcements = 0, registrations = 0, completions = 0,
                bytes = 0;
};

}  // namespace halocline::test
