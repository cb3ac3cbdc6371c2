// Descriptors of fields and lists, swapped between neighbours that read each other's arrays.
// SPDX-License-Identifier: BSD-3-Clause
#include "index_halo/read_lists.hpp"

#include <memory>

#include "engine/communicator/collective.hpp"
#include "engine/memory/fields.hpp"
#include "exchange/mpi_bytes.hpp"

namespace halocline::core {
namespace {

/// Numbers that a rank sends of each of its fields: serial, offset, and the two strides.
constexpr std::size_t kNumbersPerField = 4;

}  // namespace

struct ReadLists::Descriptors : Job {
  std::vector<std::vector<std::int64_t>> mine, theirs;  // per edge that is read
  std::vector<ByteCount> bytes;  // of both
};

Status ReadLists::make(const std::vector<int> &read, Descriptors &descriptors) const {
  descriptors.requests.resize(2 * read.size(), MPI_REQUEST_NULL);
  descriptors.bytes.resize(read.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    descriptors.mine.push_back(descriptor_of(tables_.links[static_cast<std::size_t>(read[i])]));
    descriptors.theirs.emplace_back(descriptors.mine.back().size());  // as long: its out list is as long as my in list
    HLC_TRY(ByteCount::create(static_cast<std::int64_t>(descriptors.mine[i].size() * sizeof(std::int64_t)), descriptors.bytes[i]));
  }
  return Status::ok;
}

Status ReadLists::start(const Plan &plan, const std::vector<int> &read, Descriptors &descriptors) {
  for (std::size_t i = 0; i < read.size(); ++i) {
    const Edge &edge = plan.edges[static_cast<std::size_t>(read[i])];
    const ByteCount &bytes = descriptors.bytes[i];
    HLC_TRY(check_mpi(MPI_Irecv(descriptors.theirs[i].data(), bytes.count(), bytes.type(), edge.rank, kReadDescriptorTag + read[i],
                                plan.comm, &descriptors.requests[2 * i]),
                      "MPI_Irecv"));
    HLC_TRY(check_mpi(MPI_Isend(descriptors.mine[i].data(), bytes.count(), bytes.type(), edge.rank, kReadDescriptorTag + edge.peer_edge,
                                plan.comm, &descriptors.requests[2 * i + 1]),
                      "MPI_Isend"));
  }
  return Status::ok;
}

Status ReadLists::fetch(const Plan &plan, const std::vector<int> &read) {
  std::unique_ptr<Descriptors> descriptors;
  HLC_TRY(prepare(communicator_, plan.comm, [&] {
    descriptors = std::make_unique<Descriptors>();
    return make(read, *descriptors);
  }));
  HLC_TRY(start(plan, read, *descriptors));
  HLC_TRY(await(communicator_, descriptors));
  return alone(communicator_, [&] {
    for (std::size_t i = 0; i < read.size(); ++i) {
      const auto e = static_cast<std::size_t>(read[i]);
      HLC_TRY(take(e, descriptors->theirs[i], plan.edges[e].member));
    }
    return Status::ok;
  });
}

std::vector<std::int64_t> ReadLists::descriptor_of(const IndexLink &link) const {
  std::vector<std::int64_t> descriptor;
  descriptor.reserve(tables_.fields.size() * kNumbersPerField + link.out.size() + link.in.size());
  for (const IndexField &field : tables_.fields)
    descriptor.insert(descriptor.end(), {field.place.serial, field.place.offset, field.layout.entry, field.layout.component});
  descriptor.insert(descriptor.end(), link.out.begin(), link.out.end());
  descriptor.insert(descriptor.end(), link.in.begin(), link.in.end());
  return descriptor;
}

Status ReadLists::take(std::size_t e, const std::vector<std::int64_t> &descriptor, Member member) {
  IndexLink &link = tables_.links[e];
  link.fields.resize(tables_.fields.size());
  auto next = descriptor.begin();
  for (std::size_t f = 0; f < tables_.fields.size(); ++f, next += kNumbersPerField) {
    IndexPeerField &peer = link.fields[f];
    peer.serial = next[0];
    peer.offset = next[1];
    peer.layout.entry = next[2];
    peer.layout.component = next[3];
    HLC_TRY(find_field(e, f, member, peer));
  }
  const auto their_in = next + static_cast<std::ptrdiff_t>(link.in.size());
  const Indices out(next, their_in), in(their_in, descriptor.end());
  link.in_map = map_entries(link.in, out);
  link.out_map = map_entries(link.out, in);
  if (kept_.views) link.shown = out;
  if (!kept_.device) return Status::ok;
  link.pulled = find_runs(link.in, out);
  link.peer_ghosts = find_runs(in);
  link.added = map_to_buffer(link.out);
  return Status::ok;
}

Status ReadLists::find_field(std::size_t e, std::size_t f, Member member, IndexPeerField &peer) {
  if (tables_.fields[f].device >= 0) {
    peer.layout.data = kept_.device->find(e, f);
    return Status::ok;
  }
  char *part = held_.part(peer.serial, member);
  if (!part)
    return fail(Status::state, "hlc_index_halo_init: fields[%zu] '%s' of rank %d is in an hlc_field_alloc block that rank %d has freed", f,
                tables_.fields[f].name.c_str(), tables_.links[e].rank, communicator_.rank());
  peer.layout.data = part + peer.offset;
  return Status::ok;
}

}  // namespace halocline::core
