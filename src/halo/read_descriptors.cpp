// Exchanging the descriptors of fields that are read in place.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/read_descriptors.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/communicator/collective.hpp"

namespace halocline::core {

Status ReadDescriptors::swap(const Plan &plan, Bindings *bindings, Views *views) {
  const std::size_t n = tables_.fields.size();
  std::unique_ptr<Descriptors> descriptors;
  HLC_TRY(prepare(communicator_, plan.comm, [&] {
    descriptors = list();
    return Status::ok;
  }));
  for (std::size_t e = 0; e < tables_.paths.size(); ++e)
    if (is_read(plan.edges[e])) HLC_TRY(start(plan, e, *descriptors));
  HLC_TRY(await(communicator_, descriptors));
  return alone(communicator_, [&] {
    for (std::size_t e = 0; e < tables_.paths.size(); ++e)
      for (std::size_t f = 0; is_read(plan.edges[e]) && f < n; ++f) {
        const Descriptor &theirs = descriptors->theirs[e * n + f];
        if (views) views->note_strides(e, f, theirs.strides);
        if (bindings) bindings->note_reach(e, f, {theirs.halo, theirs.edge});
        HLC_TRY(take(e, f, theirs, plan.edges[e].member));
      }
    if (bindings && std::any_of(plan.edges.begin(), plan.edges.end(), is_read)) bindings->note_readers();
    return Status::ok;
  });
}

std::unique_ptr<ReadDescriptors::Descriptors> ReadDescriptors::list() const {
  auto descriptors = std::make_unique<Descriptors>();
  for (const HaloPath &path : tables_.paths)
    for (std::size_t f = 0; f < tables_.fields.size(); ++f) descriptors->mine.push_back(describe(path, f));
  descriptors->theirs.resize(descriptors->mine.size());
  descriptors->requests.resize(2 * tables_.paths.size(), MPI_REQUEST_NULL);
  return descriptors;
}

ReadDescriptors::Descriptor ReadDescriptors::describe(const HaloPath &path, std::size_t f) const {
  const HaloField &field = tables_.fields[f];
  return {field.place.serial,
          field.place.offset,
          box_offset(path.moves[f].halo_box, field.strides),
          box_offset(path.moves[f].edge_box, field.strides),
          field.strides,
          field.exposed};
}

Status ReadDescriptors::start(const Plan &plan, std::size_t e, Descriptors &descriptors) const {
  const Edge &edge = plan.edges[e];
  const std::size_t n = tables_.fields.size();
  const auto bytes = static_cast<int>(n * sizeof(Descriptor));
  HLC_TRY(check_mpi(MPI_Irecv(&descriptors.theirs[e * n], bytes, MPI_BYTE, edge.rank, kReadDescriptorTag + static_cast<int>(e), plan.comm,
                              &descriptors.requests[2 * e]),
                    "MPI_Irecv"));
  return check_mpi(MPI_Isend(&descriptors.mine[e * n], bytes, MPI_BYTE, edge.rank, kReadDescriptorTag + edge.peer_edge, plan.comm,
                             &descriptors.requests[2 * e + 1]),
                   "MPI_Isend");
}

Status ReadDescriptors::take(std::size_t e, std::size_t f, const Descriptor &descriptor, Member member) {
  const HaloField &field = tables_.fields[f];
  HaloPath &path = tables_.paths[e];
  HaloMove &move = path.moves[f];
  const char *part = is_on_device(field) ? device_->find(e, f) : memory_.find(descriptor.serial, descriptor.exposed, member);
  if (!part && descriptor.serial == kExposedSerial)
    return fail(Status::unsupported,
                "hlc_halo_init: rank %d cannot attach fields[%zu] '%s' of rank %d, which XPMEM exposes: %s (set HALOCLINE_XPMEM=none to "
                "avoid XPMEM)",
                communicator_.rank(), f, field.name.c_str(), path.direction.rank, std::strerror(errno));
  if (!part)
    return fail(Status::state, "hlc_halo_init: fields[%zu] '%s' of rank %d is in an hlc_field_alloc block that rank %d has freed", f,
                field.name.c_str(), path.direction.rank, communicator_.rank());
  const char *const array = part + descriptor.offset;
  move.peer_strides = descriptor.strides;
  aim_at_peer(field, path.direction, move, array + descriptor.halo, array + descriptor.edge);
  if (move.halo_bytes > 0) move.pull_halo = plan_copy(move.halo_box.count, field.strides, descriptor.strides, field.element, field.order);
  if (move.edge_bytes > 0) move.pull_edge = plan_copy(move.edge_box.count, field.strides, descriptor.strides, field.element, field.order);
  return Status::ok;
}

}  // namespace halocline::core
