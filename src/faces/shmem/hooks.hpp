// What other parts of the face do when the job begins and ends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/status.hpp"

namespace halocline::core::shmem {

class Job;

/// Teams: collective, after the segment is there, and before it ends.
Status open_teams(Job &job);
void close_teams(Job &job);

}  // namespace halocline::core::shmem
