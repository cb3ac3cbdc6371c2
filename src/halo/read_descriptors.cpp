// Neighbours whose fields are read in place: the descriptors that the two exchange, and the copies that this rank plans from them.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "exchange/modes/modes.hpp"
#include "halo/stage.hpp"

namespace halocline::core {

Stage::ReadDescriptor Stage::read_descriptor(const HaloPath &path, std::size_t f) const {
  const HaloField &field = tables_.fields[f];
  return {field.place.serial,
          field.place.offset,
          box_offset(path.direction.halo, field.strides),
          box_offset(path.direction.edge, field.strides),
          field.strides,
          field.exposed};
}

Status Stage::take_read_descriptor(HaloPath &path, std::size_t f, const ReadDescriptor &descriptor, Member member) {
  const HaloField &field = tables_.fields[f];
  HaloMove &move = path.moves[f];
  const auto e = static_cast<std::size_t>(&path - tables_.paths.data());
  if (views_) views_->note_strides(e, f, descriptor.strides);
  if (bindings_) bindings_->reach[e * tables_.fields.size() + f] = {descriptor.halo, descriptor.edge};
  const char *part = find_part(descriptor, member);
  if (!part && descriptor.serial == kExposedSerial)
    return fail(
        Status::unsupported,
        "hlc_halo_init: rank %d cannot attach fields[%zu] '%s' of rank %d, which XPMEM exposes: %s (HALOCLINE_XPMEM=none does without)",
        communicator_.rank(), f, field.name.c_str(), path.direction.rank, std::strerror(errno));
  if (!part)
    return fail(Status::state, "hlc_halo_init: fields[%zu] '%s' of rank %d lies in memory from an hlc_field_alloc that rank %d has freed",
                f, field.name.c_str(), path.direction.rank, communicator_.rank());
  move.peer_halo = part + descriptor.offset + descriptor.halo;
  move.peer_edge = part + descriptor.offset + descriptor.edge;
  if (move.halo_bytes > 0)
    move.pull_halo = plan_copy(path.direction.halo.count, field.strides, descriptor.strides, field.element, field.order);
  if (move.edge_bytes > 0)
    move.pull_edge = plan_copy(path.direction.edge.count, field.strides, descriptor.strides, field.element, field.order);
  return Status::ok;
}

char *Stage::find_part(const ReadDescriptor &descriptor, Member member) {
  return descriptor.serial == kExposedSerial ? exposures_.find(descriptor.exposed) : held_.part(descriptor.serial, member);
}

Status Stage::joined(const Plan &plan) {
  if (!find_mode(plan.options.mode)->reads_fields) return alone(communicator_, [this] { return make_tables(); });
  if (bindings_) bindings_->is_read = std::any_of(plan.edges.begin(), plan.edges.end(), is_read);
  const std::size_t n = tables_.fields.size();
  std::unique_ptr<ReadDescriptors> descriptors;
  HLC_TRY(prepare(communicator_, plan.comm, [&] {
    HLC_TRY(make_tables());
    descriptors = std::make_unique<ReadDescriptors>();
    descriptors->mine.resize(tables_.paths.size() * n);
    descriptors->theirs.resize(tables_.paths.size() * n);
    descriptors->requests.resize(2 * tables_.paths.size(), MPI_REQUEST_NULL);
    for (std::size_t e = 0; e < tables_.paths.size(); ++e)
      for (std::size_t f = 0; f < n; ++f) descriptors->mine[e * n + f] = read_descriptor(tables_.paths[e], f);
    return Status::ok;
  }));
  for (std::size_t e = 0; e < tables_.paths.size(); ++e)
    if (is_read(plan.edges[e])) HLC_TRY(swap_read_descriptors(plan, e, *descriptors));
  HLC_TRY(await(communicator_, descriptors));
  return alone(communicator_, [&] {
    for (std::size_t e = 0; e < tables_.paths.size(); ++e)
      for (std::size_t f = 0; is_read(plan.edges[e]) && f < n; ++f)
        HLC_TRY(take_read_descriptor(tables_.paths[e], f, descriptors->theirs[e * n + f], plan.edges[e].member));
    return Status::ok;
  });
}

Status Stage::make_tables() {
  copies_.make_room([this](int edge) { return exchange_.packs(edge); });
  return Status::ok;
}

Status Stage::swap_read_descriptors(const Plan &plan, std::size_t e, ReadDescriptors &descriptors) const {
  const Edge &edge = plan.edges[e];
  const std::size_t n = tables_.fields.size();
  const auto bytes = static_cast<int>(n * sizeof(ReadDescriptor));
  HLC_TRY(check_mpi(MPI_Irecv(&descriptors.theirs[e * n], bytes, MPI_BYTE, edge.rank, kReadDescriptorTag + static_cast<int>(e), plan.comm,
                              &descriptors.requests[2 * e]),
                    "MPI_Irecv"));
  return check_mpi(MPI_Isend(&descriptors.mine[e * n], bytes, MPI_BYTE, edge.rank, kReadDescriptorTag + edge.peer_edge, plan.comm,
                             &descriptors.requests[2 * e + 1]),
                   "MPI_Isend");
}

}  // namespace halocline::core
