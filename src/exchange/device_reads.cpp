// Handles of arrays in a device's memory, to neighbours and from them.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/device_reads.hpp"

#include <utility>

#include "exchange/handshake.hpp"

namespace halocline::core {

/// All that is needed until the end of the meeting is allocated here, where all ranks agree on the result.
void DeviceReads::give(std::span<const Array> arrays, std::span<const Link> links) {
  std::vector<device::Given> given(arrays.size());
  const Status entered = staging_.in_context({call_, communicator_.rank()}, [&] {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (!arrays[i].data) continue;
      const std::string why = device::give(arrays[i].data, arrays[i].bytes, given[i]);
      if (why.empty())
        *arrays[i].place = {kDeviceSerial, 0};
      else
        refuse(arrays[i].name + " of rank " + std::to_string(communicator_.rank()) + ": " + why);
    }
    return Status::ok;
  });
  if (failed(entered)) refuse(error_message());
  meeting_ = std::make_unique<Meeting>();
  for (const Link &link : links) {
    meeting_->mine.emplace_back();
    for (const int array : link.mine) meeting_->mine.back().push_back(given[static_cast<std::size_t>(array)]);
    meeting_->theirs.emplace_back(link.theirs);
    found_.emplace_back(link.theirs);
  }
  meeting_->declined.resize(links.size());
  meeting_->opened.resize(links.size());
  meeting_->opened_there.resize(links.size());
  meeting_->requests.resize(2 * links.size(), MPI_REQUEST_NULL);
  edges_.reserve(links.size());
}

void DeviceReads::refuse(const std::string &why) {
  if (why_.empty()) why_ = why;
}

Status DeviceReads::meet(Plan &plan) {
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    const Edge &edge = plan.edges[e];
    if (edge.member == kNotOnNode) continue;
    if (!meeting_->declined[e].empty()) refuse(meeting_->declined[e]);
    if (edge.readable == 0 || edge.readable == kReadByProcessor) continue;
    if (is_read(edge))
      edges_.push_back(e);
    else
      refuse("rank " + std::to_string(edge.rank) +
             " has other fields on a device, or they cannot be read there, or its entries are in many short runs");
  }
  HLC_TRY(exchange(plan));
  for (const std::size_t e : edges_) meeting_->opened[e] = open(plan.edges[e].rank, e);
  HLC_TRY(compare(plan));
  for (const std::size_t e : edges_) {
    const bool both = meeting_->opened[e] && meeting_->opened_there[e];
    if (!both) plan.edges[e].readable = 0;
    if (!meeting_->opened_there[e]) refuse("rank " + std::to_string(plan.edges[e].rank) + " cannot open the memory of this rank");
    count_ += both ? 1 : 0;
  }
  meeting_.reset();
  return Status::ok;
}

Status DeviceReads::exchange(const Plan &plan) {
  for (const std::size_t e : edges_)
    HLC_TRY(start_descriptor_swap(plan, static_cast<int>(e), std::as_bytes(std::span(meeting_->mine[e])),
                                  std::as_writable_bytes(std::span(meeting_->theirs[e])), &meeting_->requests[2 * e]));
  return await(communicator_, meeting_);
}

Status DeviceReads::compare(const Plan &plan) {
  for (const std::size_t e : edges_)
    HLC_TRY(start_descriptor_swap(plan, static_cast<int>(e), std::as_bytes(std::span(&meeting_->opened[e], 1)),
                                  std::as_writable_bytes(std::span(&meeting_->opened_there[e], 1)), &meeting_->requests[2 * e]));
  return await(communicator_, meeting_);
}

/// A failure is no error: the edge is staged, and the peer learns it from what it is told next.
bool DeviceReads::open(int rank, std::size_t e) {
  std::string why;
  const Status entered = alone(communicator_, [&] {
    return staging_.in_context({call_, communicator_.rank()}, [&] {
      const std::vector<device::Given> &theirs = meeting_->theirs[e];
      for (std::size_t i = 0; i < theirs.size() && why.empty(); ++i)
        if (theirs[i].is_given) why = opened_.open(staging_.context(), theirs[i], &found_[e][i]);
      return Status::ok;
    });
  });
  if (!failed(entered) && why.empty()) return true;
  refuse("memory of rank " + std::to_string(rank) + ": " + (failed(entered) ? error_message() : why.c_str()));
  return false;
}

void DeviceReads::describe(DeviceFields &fields) const {
  fields.read = count_;
  fields.staged -= count_;
  fields.why = why_;
}

void DeviceReads::close() {
  if (staging_.is_open() && count_ > 0) static_cast<void>(staging_.wait({call_, communicator_.rank()}));
  opened_.close();
  count_ = 0;
}

}  // namespace halocline::core
