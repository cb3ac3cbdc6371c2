// What the inline functions of programs read (halocline/shmem/near.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::core::shmem {

/// Lets inline functions reach what `near` has, unless a profiling tool has replaced a function of which there is an inline form: then
/// they call it.
void open_inline_forms();
/// From now on they call the library.
void close_inline_forms();

}  // namespace halocline::core::shmem
