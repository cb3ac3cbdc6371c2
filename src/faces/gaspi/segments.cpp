// GASPI 17.1, section 7: segments.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "faces/gaspi/posting.hpp"

using namespace halocline::gaspi;
using halocline::PartSpec;
using halocline::Status;

namespace {

gaspi_return_t check(const Job &job, gaspi_segment_id_t id, gaspi_size_t size) {
  if (id >= job.config.segment_max) return GASPI_ERR_INV_SEG;
  return size >= 1 && size <= kMostBytes ? GASPI_SUCCESS : GASPI_ERR_INV_SEGSIZE;
}

PartSpec spec_of(const Job &job, gaspi_size_t size, gaspi_pointer_t memory) {
  return {static_cast<std::int64_t>(size), static_cast<int>(job.config.notification_num), 0, static_cast<char *>(memory)};
}

gaspi_return_t make(Job &job, gaspi_segment_id_t id, gaspi_size_t size, gaspi_pointer_t memory) {
  if (const gaspi_return_t wrong = check(job, id, size); wrong != GASPI_SUCCESS) return wrong;
  return job.parts.add(id, spec_of(job, size, memory));
}

/// The lower of two codes wins, and only GASPI_SUCCESS is not below it.
Status worse(const void *, void *value, const void *other) {
  int mine = 0, theirs = 0;
  std::memcpy(&mine, value, sizeof mine);
  std::memcpy(&theirs, other, sizeof theirs);
  const int worst = mine < theirs ? mine : theirs;
  std::memcpy(value, &worst, sizeof worst);
  return Status::ok;
}

/// Makes this rank's segment, unless an earlier call has.
gaspi_return_t begin(Job &job, gaspi_segment_id_t id, gaspi_size_t size, gaspi_pointer_t memory) {
  Making &making = job.makings[id];
  if (making.begun) return GASPI_SUCCESS;
  making.mine = make(job, id, size, memory);
  if (making.mine != GASPI_SUCCESS && making.mine != GASPI_ERR_MEMALLOC && making.mine != GASPI_ERROR) return making.mine;
  job.parts.forget(id);
  if (making.mine == GASPI_SUCCESS) job.parts.publish(id);
  making.begun = true;
  return GASPI_SUCCESS;
}

/// All have made theirs, or none keeps it.
gaspi_return_t make_together(Job &job, gaspi_segment_id_t id, gaspi_group_t handle, gaspi_timeout_t timeout_ms) {
  Group &group = job.groups[handle];
  Making &making = job.makings[id];
  const int mine = making.mine == GASPI_SUCCESS ? 0 : -1;
  int worst = 0;
  const Reduction agree{&mine, &worst, sizeof mine, worse, nullptr};
  const gaspi_return_t agreed = until(job, "gaspi_segment_create", timeout_ms, [&] { return group.reduce(job, agree); });
  if (agreed == GASPI_TIMEOUT) return agreed;
  const gaspi_return_t own = making.mine;
  making = Making();
  if (agreed == GASPI_SUCCESS && worst == 0) return GASPI_SUCCESS;
  if (own == GASPI_SUCCESS) job.parts.remove(id);
  if (own == GASPI_SUCCESS && agreed == GASPI_SUCCESS)
    static_cast<void>(halocline::fail(Status::memory, "gaspi_segment_create: another rank has no memory for its segment"));
  return own == GASPI_SUCCESS ? GASPI_ERROR : own;
}

gaspi_return_t create(gaspi_segment_id_t id, gaspi_size_t size, gaspi_pointer_t memory, gaspi_group_t handle, gaspi_timeout_t timeout_ms) {
  return enter([&](Job &job) {
    if (handle >= job.config.group_max || job.groups[handle].stage() != Group::Stage::committed) return GASPI_ERR_INV_GROUP;
    if (job.groups[handle].is_busy(Group::Call::reduction)) return GASPI_ERR_ACTIVE_COLL;
    if (const gaspi_return_t wrong = check(job, id, size); wrong != GASPI_SUCCESS) return wrong;
    if (const gaspi_return_t begun = begin(job, id, size, memory); begun != GASPI_SUCCESS) return begun;
    return make_together(job, id, handle, timeout_ms);
  });
}

}  // namespace

extern "C" {

gaspi_return_t gaspi_segment_alloc(gaspi_segment_id_t segment_id, gaspi_size_t size, gaspi_alloc_t) {
  return enter([&](Job &job) { return make(job, segment_id, size, nullptr); });
}

gaspi_return_t gaspi_segment_bind(gaspi_segment_id_t segment_id, gaspi_pointer_t pointer, gaspi_size_t size, gaspi_memory_description_t) {
  return enter([&](Job &job) { return pointer ? make(job, segment_id, size, pointer) : GASPI_ERR_NULLPTR; });
}

gaspi_return_t gaspi_segment_register(gaspi_segment_id_t segment_id, gaspi_rank_t rank, gaspi_timeout_t) {
  return enter([&](Job &job) {
    if (rank >= job.size()) return GASPI_ERR_INV_RANK;
    const gaspi_return_t there = job.parts.with_own(segment_id, [](halocline::OwnPart &) { return GASPI_SUCCESS; });
    return there == GASPI_SUCCESS ? answer(job.parts.register_with(rank, segment_id)) : there;
  });
}

gaspi_return_t gaspi_segment_create(gaspi_segment_id_t segment_id, gaspi_size_t size, gaspi_group_t group, gaspi_timeout_t timeout_ms,
                                    gaspi_alloc_t) {
  return create(segment_id, size, nullptr, group, timeout_ms);
}

gaspi_return_t gaspi_segment_use(gaspi_segment_id_t segment_id, gaspi_pointer_t pointer, gaspi_size_t size, gaspi_group_t group,
                                 gaspi_timeout_t timeout_ms, gaspi_memory_description_t) {
  if (the_job() && !pointer) return GASPI_ERR_NULLPTR;
  return create(segment_id, size, pointer, group, timeout_ms);
}

gaspi_return_t gaspi_segment_delete(gaspi_segment_id_t segment_id) {
  return enter([&](Job &job) { return segment_id < job.config.segment_max ? job.parts.remove(segment_id) : GASPI_ERR_INV_SEG; });
}

gaspi_return_t gaspi_segment_num(gaspi_number_t *segment_num) {
  return get(segment_num, [](Job &job) {
    gaspi_number_t count = 0;
    job.parts.for_each([&](int) { count += 1; });
    return count;
  });
}

gaspi_return_t gaspi_segment_list(gaspi_number_t num, gaspi_segment_id_t *segment_id_list) {
  return enter([&](Job &job) {
    if (!segment_id_list) return GASPI_ERR_NULLPTR;
    gaspi_number_t written = 0;
    job.parts.for_each([&](int id) {
      if (written < num) segment_id_list[written++] = static_cast<gaspi_segment_id_t>(id);
    });
    return written == num ? GASPI_SUCCESS : GASPI_ERR_INV_NUM;
  });
}

gaspi_return_t gaspi_segment_ptr(gaspi_segment_id_t segment_id, gaspi_pointer_t *pointer) {
  return enter([&](Job &job) {
    if (!pointer) return GASPI_ERR_NULLPTR;
    return job.parts.with_own(segment_id, [&](halocline::OwnPart &part) {
      *pointer = part.data();
      return GASPI_SUCCESS;
    });
  });
}

gaspi_return_t gaspi_segment_size(gaspi_segment_id_t segment_id, gaspi_rank_t rank, gaspi_size_t *size) {
  return enter([&](Job &job) {
    if (!size) return GASPI_ERR_NULLPTR;
    if (const gaspi_return_t wrong = check_rank(job, rank, segment_id); wrong != GASPI_SUCCESS) return wrong;
    return job.parts.with(rank, segment_id, [&](const halocline::PeerPart &part) {
      *size = static_cast<gaspi_size_t>(part.bytes());
      return GASPI_SUCCESS;
    });
  });
}

}  // extern "C"
