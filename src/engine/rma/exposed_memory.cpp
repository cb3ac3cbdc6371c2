// Registering memory and serving it, here or by the helper process.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/exposed_memory.hpp"

#include "engine/communicator/communicator.hpp"
#include "engine/communicator/topology.hpp"
#include "engine/network/helper.hpp"
#include "engine/network/network.hpp"
#include "engine/network/request_engine.hpp"
#include "engine/network/served.hpp"

namespace halocline::core {

ExposedMemory::ExposedMemory(Network &network, std::uint32_t number, bool is_user_memory)
    : requests_(*network.requests()),
      endpoint_(*network.endpoint()),
      helper_(network.helper()),
      rank_(network.communicator().rank()),
      number_(number),
      dummy_target_(is_user_memory ? 0 : kDummyTarget) {}

ExposedMemory::~ExposedMemory() {
  if (is_open_ && helper_) helper_->stop_serving(number_);
  if (is_open_ && !helper_) requests_.served().stop_serving(number_);
  if (words_id_ != 0) endpoint_.release_words(words_id_);
}

Status RegisteredMemory::open(Network &network, char *data, std::int64_t bytes, RemoteDescriptor *descriptor) {
  if (network.helper())
    return fail(Status::unsupported, "rank %d: a helper process (HALOCLINE_PROGRESS=helper) cannot access user-provided memory",
                network.communicator().rank());
  HLC_TRY(registration_.cover(*network.endpoint(), data, bytes));
  *descriptor = {bytes, registration_.remote(), 0, 0, 0, 0};
  return Status::ok;
}

Status ExposedMemory::open(const Served &mine, const SharedMemory &object, Member member, RemoteDescriptor *descriptor) {
  if (!helper_) return open_here(mine, descriptor);
  if (dummy_target_ == 0)
    return fail(Status::unsupported, "rank %d: a helper process (HALOCLINE_PROGRESS=helper) cannot access user-provided memory", rank_);
  HelperReply reply;
  HLC_TRY(helper_->serve(number_, object, member, mine, &reply));
  is_open_ = true;
  *descriptor = described(mine, reply.part, reply.words_id);
  return Status::ok;
}

Status ExposedMemory::open_here(const Served &mine, RemoteDescriptor *descriptor) {
  requests_.served().serve(number_, mine);
  is_open_ = true;
  HLC_TRY(registration_.cover(endpoint_, mine.data - dummy_target_, mine.bytes + dummy_target_));
  if (endpoint_.carries_values() && mine.words.ids() > 0) HLC_TRY(endpoint_.register_words(mine.words, &words_id_));
  *descriptor = described(mine, registration_.remote(), words_id_);
  return Status::ok;
}

RemoteDescriptor ExposedMemory::described(const Served &mine, const transport::RemoteKey &part, std::uint64_t words_id) const {
  const bool takes_signals = words_id != 0 && mine.words.numbers.count > 0;
  return {mine.bytes, part, words_id, number_, static_cast<std::uint16_t>(dummy_target_), static_cast<std::uint16_t>(takes_signals)};
}

}  // namespace halocline::core
