// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/collective/init.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "faces/mpi/interpose/fallback_report.hpp"

namespace halocline::core::mpi {
namespace {

/// What has gaps would be packed in any case: a larger slot saves the kernel's copy.
std::int64_t slot_bytes_for(const Block &block, std::size_t edges) {
  constexpr std::int64_t kMostPlain = 16384, kMostWithGaps = std::int64_t{1} << 20, kMostOfPart = std::int64_t{8} << 20;
  const std::int64_t most = block.layout->contiguous() ? kMostPlain : kMostWithGaps;
  const auto share = kMostOfPart / static_cast<std::int64_t>(kSlots) / static_cast<std::int64_t>(std::max<std::size_t>(edges, 1));
  return block.bytes() <= std::min(most, share) ? block.bytes() : 0;
}

/// The first rank that has refused its arguments, and the class of its error, are known to all. Collective. Its own error stays that of a rank.
int refuse_on_all(MPI_Comm comm, int mine) {
  constexpr std::int64_t kRank = std::int64_t{1} << 32;
  int rank = 0, found = MPI_SUCCESS, length = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Error_class(mine, &found);
  std::int64_t first = mine == MPI_SUCCESS ? std::numeric_limits<std::int64_t>::max() : rank * kRank + found;
  const int code = PMPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MIN, comm);
  if (mine != MPI_SUCCESS) return mine;
  if (code != MPI_SUCCESS) return code;
  char words[MPI_MAX_ERROR_STRING] = "";
  PMPI_Error_string(static_cast<int>(first % kRank), words, &length);
  return refuse(MPI_ERR_OTHER, "rank %d has refused its arguments (%s), so no rank gets a request", static_cast<int>(first / kRank), words);
}

}  // namespace

void Described::note(int code) {
  if (code == MPI_SUCCESS) return;
  if (is_of_arguments(code))
    refused = code;
  else
    ready = fail(Status::memory, "this rank cannot describe its blocks; most likely it is out of memory");
}

std::unique_ptr<OwnRequest> make_persistent(MPI_Comm comm, Described described, int *code) {
  constexpr const char *kWhat = "persistent collective";
  Pattern &pattern = described.pattern;
  BlockLists &blocks = described.blocks;
  MeetingForLinks meeting(comm, kWhat);
  std::shared_ptr<Links> links;
  LinksMeeting met;
  const auto offer = [&] {
    HLC_TRY(described.ready);
    met.refused = described.refused != MPI_SUCCESS ? 1 : 0;
    if (met.refused > 0) return Status::ok;
    for (std::size_t i = 0; i < pattern.out.size(); ++i) pattern.out[i].slot_bytes = slot_bytes_for(blocks.out[i], pattern.out.size());
    links = std::make_shared<Links>();
    met = Links::offer(pattern, meeting);
    return Status::ok;
  };
  const std::shared_ptr<LinkContext> context = meeting.meet(before_meeting(offer), &met);
  if (met.refused == 0 && described.refused != MPI_SUCCESS) return *code = described.refused, nullptr;  // the meeting has failed
  if (met.refused > 0) return *code = refuse_on_all(comm, described.refused), nullptr;
  if (!context) return nullptr;
  std::unique_ptr<ExchangeRequest> request;
  const auto keep = [&] {
    request = std::make_unique<ExchangeRequest>(OwnRequest::Kind::persistent, links);
    request->exchange().out = std::move(blocks.out);
    request->exchange().in = std::move(blocks.in);
    HLC_TRY(check_mpi(request->keep_types(), "MPI_Type_contiguous"));
    if (described.copies_first) request->copy_first();
    return check_mpi(give_handle(*request), "MPI_Recv_init");
  };
  if (failed(links->open(context, pattern, met, keep))) {
    inform("the host MPI carries the %s of a communicator: %s", kWhat, error_message());
    return nullptr;
  }
  request->comm = comm;
  return request;
}

}  // namespace halocline::core::mpi
