// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/collective/init.hpp"

#include <algorithm>
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

}  // namespace

std::unique_ptr<OwnRequest> make_persistent(MPI_Comm comm, Pattern pattern, BlockLists blocks, bool copies_first) {
  constexpr const char *kWhat = "persistent collective";
  for (std::size_t i = 0; i < pattern.out.size(); ++i) pattern.out[i].slot_bytes = slot_bytes_for(blocks.out[i], pattern.out.size());
  LinksMeeting met;
  const auto offer = [&](int rank, const LinkContext *known) { return Links::offer(pattern, rank, known); };
  const std::shared_ptr<LinkContext> context = meet_for_links(comm, kWhat, offer, &met);
  if (!context) return nullptr;
  const auto links = std::make_shared<Links>(context);
  std::unique_ptr<ExchangeRequest> request;
  const auto keep = [&] {
    request = std::make_unique<ExchangeRequest>(OwnRequest::Kind::persistent, links);
    request->exchange().out = std::move(blocks.out);
    request->exchange().in = std::move(blocks.in);
    return check_mpi(request->keep_types(), "MPI_Type_contiguous");
  };
  if (failed(links->open(pattern, met, keep))) {
    inform("the host MPI carries the %s of a communicator: %s", kWhat, error_message());
    return nullptr;
  }
  if (copies_first) request->copy_first();
  request->comm = comm;
  return request;
}

}  // namespace halocline::core::mpi
