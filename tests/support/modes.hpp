// The methods of moving data that every conformance test uses: all modes, the late epochs of fence and pscw, and the fence that gets.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <halocline/halocline.h>

namespace halocline::test {

struct ModeChoice {
  const char *name;
  hlc_mode mode;
  hlc_epoch epoch = HLC_EPOCH_DEFAULT;
  hlc_drive drive = HLC_DRIVE_DEFAULT;

  /// Whether the library moves the data itself, by one of its own routes to each neighbour, and not MPI.
  /// In mode auto some neighbours may be reached by MPI, but not by its one-sided functions, which halocline-doctor has not examined.
  bool is_own() const { return mode >= HLC_MODE_NOTIFY; }
  /// Whether neighbours of the node are read directly, where the fields allow it.
  bool reads_directly() const { return mode >= HLC_MODE_DIRECT; }
  /// Whether hlc_halo_test can see that all data have arrived.
  bool sees_arrival() const { return mode != HLC_MODE_FENCE && mode != HLC_MODE_PASSIVE_NAIVE; }
  /// Whether one neighbour's data can arrive, and be unpacked, before another neighbour has started.
  bool unpacks_by_arrival() const {
    return mode == HLC_MODE_P2P || mode == HLC_MODE_PASSIVE || (is_own() && mode != HLC_MODE_NOTIFY_NODE && mode != HLC_MODE_AUTO);
  }
};

inline constexpr ModeChoice all_modes[] = {
    {"p2p", HLC_MODE_P2P},
    {"neighbor", HLC_MODE_NEIGHBOR},
    {"fence", HLC_MODE_FENCE, HLC_EPOCH_EARLY},
    {"fence_late", HLC_MODE_FENCE, HLC_EPOCH_LATE},
    {"fence_get", HLC_MODE_FENCE, HLC_EPOCH_DEFAULT, HLC_DRIVE_GET},
    {"pscw", HLC_MODE_PSCW, HLC_EPOCH_EARLY},
    {"pscw_late", HLC_MODE_PSCW, HLC_EPOCH_LATE},
    {"passive", HLC_MODE_PASSIVE},
    {"passive_naive", HLC_MODE_PASSIVE_NAIVE},
    {"notify", HLC_MODE_NOTIFY},
    {"direct", HLC_MODE_DIRECT},
    {"view", HLC_MODE_VIEW},
    {"notify_node", HLC_MODE_NOTIFY_NODE},
    {"auto", HLC_MODE_AUTO},
};

/// The modes that a conformance program runs: all, or on emulated nodes (HALOCLINE_FAKE_NODES) those whose routes they change.
inline std::vector<ModeChoice> modes_here() {
  const bool pretended = std::getenv("HALOCLINE_FAKE_NODES") != nullptr;
  std::vector<ModeChoice> modes;
  for (const ModeChoice &choice : all_modes)
    if (!pretended || choice.is_own()) modes.push_back(choice);
  return modes;
}

inline void PrintTo(const ModeChoice &choice, std::ostream *out) { *out << choice.name; }

inline std::string mode_name(const testing::TestParamInfo<ModeChoice> &info) { return info.param.name; }

}  // namespace halocline::test

/// Runs a suite of TEST_P once per mode.
#define FOR_ALL_MODES(Suite) \
  INSTANTIATE_TEST_SUITE_P(Modes, Suite, testing::ValuesIn(halocline::test::modes_here()), halocline::test::mode_name)
