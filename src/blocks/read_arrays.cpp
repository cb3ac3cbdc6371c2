// Exchanging the descriptors of arrays that are read in place.
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/read_arrays.hpp"

#include <algorithm>

#include "blocks/links.hpp"
#include "engine/communicator/collective.hpp"

namespace halocline::core {
namespace {

/// The position of a number in an ascending list that contains it.
std::size_t place_of(const std::vector<int> &numbers, int number) {
  return static_cast<std::size_t>(std::lower_bound(numbers.begin(), numbers.end(), number) - numbers.begin());
}

}  // namespace

Status ReadArrays::swap(const Plan &plan) {
  std::unique_ptr<Descriptors> descriptors;
  HLC_TRY(prepare(communicator_, plan.comm, [&] {
    descriptors = list();
    return Status::ok;
  }));
  for (std::size_t i = 0; i < tables_.links.size(); ++i)
    if (is_read(plan.edges[i])) HLC_TRY(start(plan, i, *descriptors));
  HLC_TRY(await(communicator_, descriptors));
  return alone(communicator_, [&] {
    for (std::size_t i = 0; i < tables_.links.size(); ++i) {
      if (!is_read(plan.edges[i])) continue;
      BlockLink &link = tables_.links[i];
      for (PieceList *list : {&link.in, &link.out}) HLC_TRY(take(*list, i, descriptors->theirs[i], plan.edges[i].member));
    }
    return Status::ok;
  });
}

std::unique_ptr<ReadArrays::Descriptors> ReadArrays::list() const {
  const std::size_t n = tables_.fields.size();
  auto descriptors = std::make_unique<Descriptors>();
  descriptors->requests.resize(2 * tables_.links.size(), MPI_REQUEST_NULL);
  for (const BlockLink &link : tables_.links) {
    descriptors->mine.emplace_back();
    descriptors->theirs.emplace_back(link.peer_blocks.size() * n);
    for (const int b : link.my_blocks)
      for (std::size_t f = 0; f < n; ++f) {
        const BlockArray &array = tables_.array(b, f);
        descriptors->mine.back().push_back({array.place.serial, array.place.offset, array.strides});
      }
  }
  return descriptors;
}

Status ReadArrays::start(const Plan &plan, std::size_t i, Descriptors &descriptors) {
  const Edge &edge = plan.edges[i];
  const auto bytes = [](const std::vector<Descriptor> &list) { return static_cast<int>(list.size() * sizeof(Descriptor)); };
  HLC_TRY(check_mpi(MPI_Irecv(descriptors.theirs[i].data(), bytes(descriptors.theirs[i]), MPI_BYTE, edge.rank,
                              kReadDescriptorTag + static_cast<int>(i), plan.comm, &descriptors.requests[2 * i]),
                    "MPI_Irecv"));
  return check_mpi(MPI_Isend(descriptors.mine[i].data(), bytes(descriptors.mine[i]), MPI_BYTE, edge.rank,
                             kReadDescriptorTag + edge.peer_edge, plan.comm, &descriptors.requests[2 * i + 1]),
                   "MPI_Isend");
}

Status ReadArrays::take(PieceList &list, std::size_t e, const std::vector<Descriptor> &descriptors, Member member) {
  const BlockLink &link = tables_.links[e];
  for (Piece &piece : list.pieces) {
    const FieldGroup &group = tables_.groups[static_cast<std::size_t>(piece.group)];
    for (std::size_t i = 0; i < piece.moves.size(); ++i) {
      const auto f = static_cast<std::size_t>(group.fields[i]);
      const std::size_t number = place_of(link.peer_blocks, piece.peer_block) * tables_.fields.size() + f;
      const Descriptor &descriptor = descriptors[number];
      piece.moves[i].their_strides = descriptor.strides;
      if (tables_.array(piece.block, f).device >= 0) {
        piece.moves[i].on_their_device = device_->find(e, number);
        continue;
      }
      char *part = held_.part(descriptor.serial, member);
      if (!part)
        return fail(Status::state, "hlc_blocks_init: field '%s' of rank %d is in an hlc_field_alloc block that rank %d has freed",
                    tables_.fields[f].name.c_str(), link.rank, communicator_.rank());
      piece.moves[i].their_array = part + descriptor.offset;
    }
    plan_copies(tables_, piece);
  }
  return Status::ok;
}

}  // namespace halocline::core
