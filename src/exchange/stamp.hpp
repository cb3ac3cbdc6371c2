// Check mode's stamps: every message carries its source, edge, round and length, and a checksum of its bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "exchange/findings.hpp"
#include "exchange/packer.hpp"

namespace halocline::core {

/// Bytes in front of each message; they keep what follows aligned to 64.
inline constexpr std::int64_t kStampBytes = 64;

/// The bytes of an edge or part without the stamp.
inline std::int64_t payload_bytes(std::int64_t bytes) { return bytes > 0 ? bytes - kStampBytes : 0; }
/// Makes room for the stamps of a round.
void add_stamps(std::vector<Part> &parts);
/// The same in the edges' bytes and buffers.
void add_stamps(std::vector<Edge> &edges);

/// Packs and unpacks a message with its stamp. Edges that are read directly have no message: only the descriptors cover them.
class StampedPacker final : public Packer {
 public:
  StampedPacker(const Plan &plan, Packer &inner, Findings &findings) : plan_(plan), inner_(inner), findings_(findings) {}

  void pack(int edge, void *buffer, bool past_caches) override;
  void unpack(int edge, const void *buffer) override;
  Status found(int edge, std::span<const FieldPlace> places) override { return inner_.found(edge, places); }
  void pull(Edges edges) override { inner_.pull(edges); }

 private:
  const Plan &plan_;
  Packer &inner_;
  Findings &findings_;
};

}  // namespace halocline::core
