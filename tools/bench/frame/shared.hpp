// What the bench shares with the mini-apps (apps/common).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <common/comm.hpp>
#include <common/environment.hpp>
#include <common/statistics.hpp>
#include <common/table.hpp>

namespace bench {

using namespace common;

}  // namespace bench
