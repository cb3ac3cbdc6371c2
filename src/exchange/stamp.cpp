// Writes stamps and checks them.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/stamp.hpp"

#include <cstring>
#include <string>

namespace halocline::core {
namespace {

constexpr std::uint64_t kMagic = 0x504d4154534f4c41;  // "ALOSTAMP"

struct alignas(kStampBytes) Stamp {
  std::uint64_t magic;
  std::int64_t plan;
  std::uint64_t round;
  std::int64_t bytes;
  std::uint64_t sum;
  int source, edge;  // the edge is the receiver's
};
static_assert(sizeof(Stamp) == kStampBytes);

/// A checksum that depends on the order of the bytes.
std::uint64_t sum_of(const char *bytes, std::int64_t count) {
  std::uint64_t sum = 0x9e3779b97f4a7c15u;
  for (std::int64_t done = 0; done < count; done += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + done, static_cast<std::size_t>(count - done < 8 ? count - done : 8));
    sum = (sum ^ word) * 0xff51afd7ed558ccdu;
    sum ^= sum >> 32;
  }
  return sum;
}

/// What is wrong with a message, "" if nothing is.
std::string fault_in(const Stamp &stamp, const Stamp &expected, const char *payload) {
  if (stamp.magic != kMagic) return "has no stamp: its beginning was overwritten, or it never arrived";
  if (stamp.plan != expected.plan) return "is misplaced: it belongs to plan " + std::to_string(stamp.plan);
  if (stamp.source != expected.source || stamp.edge != expected.edge)
    return "is misplaced: rank " + std::to_string(stamp.source) + " sent it for edge " + std::to_string(stamp.edge);
  if (stamp.round != expected.round) return "is stale: it was sent in swap " + std::to_string(stamp.round);
  if (stamp.bytes != expected.bytes)
    return "is " + std::to_string(stamp.bytes) + " bytes long instead of " + std::to_string(expected.bytes);
  if (stamp.sum != sum_of(payload, expected.bytes))
    return "is torn: its " + std::to_string(expected.bytes) + " bytes are not those that were sent";
  return "";
}

void add_stamp(std::int64_t &bytes) { bytes += bytes > 0 ? kStampBytes : 0; }

}  // namespace

void add_stamps(std::vector<Part> &parts) {
  for (Part &part : parts)
    for (std::int64_t *bytes : {&part.out, &part.in}) add_stamp(*bytes);
}

void add_stamps(std::vector<Edge> &edges) {
  for (Edge &edge : edges)
    for (std::int64_t *bytes : {&edge.out, &edge.in, &edge.space_out, &edge.space_in}) add_stamp(*bytes);
}

void StampedPacker::pack(int e, void *buffer, bool past_caches) {
  const auto i = static_cast<std::size_t>(e);
  auto *payload = static_cast<char *>(buffer) + kStampBytes;
  inner_.pack(e, payload, past_caches);
  Stamp stamp{};
  stamp.magic = kMagic;
  stamp.plan = findings_.serial();
  stamp.round = findings_.round();
  stamp.bytes = payload_bytes(plan_.parts[i].out);
  stamp.sum = sum_of(payload, stamp.bytes);
  stamp.source = plan_.topology->rank();
  stamp.edge = plan_.edges[i].peer_edge;
  std::memcpy(buffer, &stamp, sizeof stamp);
}

void StampedPacker::unpack(int e, const void *buffer) {
  const auto i = static_cast<std::size_t>(e);
  const auto *payload = static_cast<const char *>(buffer) + kStampBytes;
  Stamp stamp, expected{};
  std::memcpy(&stamp, buffer, sizeof stamp);
  expected.plan = findings_.serial();
  expected.round = findings_.round();
  expected.bytes = payload_bytes(plan_.parts[i].in);
  expected.source = plan_.edges[i].rank;
  expected.edge = e;
  if (const std::string fault = fault_in(stamp, expected, payload); !fault.empty())
    findings_.found("wrong messages", findings_.where() + ": the message from rank " + std::to_string(expected.source) + " for edge " +
                                          std::to_string(e) + " " + fault +
                                          ". The MPI library or Halocline is at fault, or a program that writes where it must not");
  inner_.unpack(e, payload);
}

}  // namespace halocline::core
