// Handles of fields in a device's memory, to neighbours and from them.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/device_reads.hpp"

#include "exchange/handshake.hpp"

namespace halocline::core {

namespace {
constexpr const char *kCall = "hlc_halo_init";
}

/// All that is needed until the end of the meeting is allocated here, where all ranks agree on the result.
void DeviceReads::give() {
  const std::size_t edges = tables_.paths.size(), fields = tables_.fields.size();
  meeting_ = std::make_unique<Meeting>();
  meeting_->mine.resize(fields);
  meeting_->theirs.resize(edges * fields);
  meeting_->opened.resize(edges);
  meeting_->opened_there.resize(edges);
  meeting_->requests.resize(2 * edges, MPI_REQUEST_NULL);
  edges_.reserve(edges);
  found_.resize(edges * fields);
  const Status entered = staging_.in_context({kCall, communicator_.rank()}, [this] {
    for (std::size_t f = 0; f < tables_.fields.size(); ++f)
      if (is_on_device(tables_.fields[f])) give_one(tables_.fields[f], meeting_->mine[f]);
    return Status::ok;
  });
  if (failed(entered)) refuse(error_message());
}

void DeviceReads::give_one(HaloField &field, device::Given &given) {
  const std::string why = device::give(field.data, field.extent, given);
  if (why.empty())
    field.place = {kDeviceSerial, 0};
  else
    refuse("field '" + field.name + "' of rank " + std::to_string(communicator_.rank()) + ": " + why);
}

void DeviceReads::refuse(const std::string &why) {
  if (why_.empty()) why_ = why;
}

Status DeviceReads::meet(Plan &plan) {
  for (std::size_t e = 0; e < plan.edges.size(); ++e)
    if (is_read(plan.edges[e])) edges_.push_back(static_cast<int>(e));
  HLC_TRY(exchange(plan, edges_));
  for (const int e : edges_)
    meeting_->opened[static_cast<std::size_t>(e)] = open(plan.edges[static_cast<std::size_t>(e)].rank, static_cast<std::size_t>(e));
  HLC_TRY(compare(plan, edges_));
  for (const int e : edges_) {
    const auto i = static_cast<std::size_t>(e);
    const bool both = meeting_->opened[i] && meeting_->opened_there[i];
    if (!both) plan.edges[i].readable = 0;
    if (!meeting_->opened_there[i]) refuse("rank " + std::to_string(plan.edges[i].rank) + " cannot open the memory of this rank");
    count_ += both ? 1 : 0;
  }
  meeting_.reset();
  return Status::ok;
}

Status DeviceReads::exchange(const Plan &plan, const std::vector<int> &edges) {
  const std::size_t n = tables_.fields.size();
  for (const int e : edges) {
    const auto i = static_cast<std::size_t>(e);
    HLC_TRY(start_descriptor_swap(plan, e, {meeting_->mine.data(), &meeting_->theirs[i * n]}, n * sizeof(device::Given),
                                  &meeting_->requests[2 * i]));
  }
  return await(communicator_, meeting_);
}

Status DeviceReads::compare(const Plan &plan, const std::vector<int> &edges) {
  for (const int e : edges) {
    const auto i = static_cast<std::size_t>(e);
    HLC_TRY(start_descriptor_swap(plan, e, {&meeting_->opened[i], &meeting_->opened_there[i]}, sizeof(int), &meeting_->requests[2 * i]));
  }
  return await(communicator_, meeting_);
}

/// A failure is no error: the edge is staged, and the peer learns it from what it is told next.
bool DeviceReads::open(int rank, std::size_t e) {
  const std::size_t n = tables_.fields.size();
  std::string why;
  const Status entered = alone(communicator_, [&] {
    return staging_.in_context({kCall, communicator_.rank()}, [&] {
      for (std::size_t f = 0; f < n && why.empty(); ++f)
        if (is_on_device(tables_.fields[f])) why = opened_.open(staging_.context(), meeting_->theirs[e * n + f], &found_[e * n + f]);
      return Status::ok;
    });
  });
  if (!failed(entered) && why.empty()) return true;
  refuse("memory of rank " + std::to_string(rank) + ": " + (failed(entered) ? error_message() : why.c_str()));
  return false;
}

void DeviceReads::close() {
  if (staging_.is_open() && count_ > 0) static_cast<void>(staging_.wait({"hlc_halo_finalise", communicator_.rank()}));
  opened_.close();
  count_ = 0;
}

}  // namespace halocline::core
