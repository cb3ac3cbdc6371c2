// GASPI 17.1, section 7: segments, and segments that share their notifications (GASPI_Ext.h).
// SPDX-License-Identifier: BSD-3-Clause
#include <GASPI_Ext.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "faces/gaspi/descriptors.hpp"
#include "faces/gaspi/posting.hpp"
#include "faces/gaspi/profiling.hpp"

using namespace halocline::core::gaspi;
using halocline::core::Group;
using halocline::core::MemorySpec;
using halocline::core::Status;

namespace {

constexpr const char *kRegister = "gaspi_segment_register", *kSize = "gaspi_segment_size", *kAddress = "gaspi_segment_ptr_of";

gaspi_return_t check(const Job &job, gaspi_segment_id_t id, gaspi_size_t size) {
  if (id >= job.config.segment_max) return GASPI_ERR_INV_SEG;
  return size >= 1 && size <= kMaxBytes ? GASPI_SUCCESS : GASPI_ERR_INV_SEGSIZE;
}

/// The segment that a call is to make.
struct Wanted {
  gaspi_segment_id_t id = 0;
  gaspi_size_t size = 0;
  gaspi_pointer_t memory = nullptr;
  bool shared = false;
};

MemorySpec spec_of(const Job &job, const Wanted &wanted) {
  MemorySpec spec;
  spec.bytes = static_cast<std::int64_t>(wanted.size);
  spec.notifications = static_cast<int>(std::max(job.config.notification_num, 1u));  // without any, one that no id names
  spec.memory = static_cast<char *>(wanted.memory);
  return spec;
}

gaspi_return_t make(Job &job, const Wanted &wanted) {
  const gaspi_return_t wrong = check(job, wanted.id, wanted.size);
  return wrong == GASPI_SUCCESS ? job.parts.add(wanted.id, spec_of(job, wanted)) : wrong;
}

/// The lowest rank of the group on this node: all of these share its notifications.
int leader_of(const Job &job, const Group &group) {
  int index = 0;
  while (job.context.member_of(group.members().rank_at(index)) == halocline::core::kNotOnNode) ++index;
  return group.members().rank_at(index);
}

/// Makes a segment whose notifications are shared by ranks of the node.
gaspi_return_t make_shared(Job &job, const Wanted &wanted, int leader) {
  MemorySpec spec = spec_of(job, wanted);
  halocline::core::MemoryDescriptor descriptor;
  spec.leader = leader;
  if (leader == job.rank()) return job.parts.add(wanted.id, spec);
  if (const Status read = job.parts.read_descriptor(leader, wanted.id, &descriptor); failed(read)) return answer(read);
  spec.leader_descriptor = &descriptor;
  return descriptor.version != 0 ? job.parts.add(wanted.id, spec) : GASPI_ERROR;
}

/// Returns a code where memory is exhausted: such a rank still has to meet the others.
template <class Make>
gaspi_return_t without_exception(Make make) {
  try {
    return make();
  } catch (const std::bad_alloc &) {
    return GASPI_ERR_MEMALLOC;
  }
}

/// Makes this rank's segment, unless an earlier call has. A segment that uses another rank's notifications is made later, by follow.
gaspi_return_t begin(Job &job, const Wanted &wanted, int leader) {
  Making &making = job.makings[wanted.id];
  if (making.begun) return GASPI_SUCCESS;
  if (job.parts.keep(wanted.id)) return GASPI_ERR_INV_SEG;
  if (!wanted.shared || leader == job.rank())
    making.mine = without_exception([&] { return wanted.shared ? make_shared(job, wanted, leader) : make(job, wanted); });
  if (making.mine != GASPI_SUCCESS && making.mine != GASPI_ERR_MEMALLOC && making.mine != GASPI_ERROR) return making.mine;
  job.parts.forget(wanted.id);
  if (making.mine == GASPI_SUCCESS) job.parts.publish(wanted.id);
  making.begun = true;
  return GASPI_SUCCESS;
}

/// The failure of a meeting in which the ranks disagree, or one of them has no memory.
Status disagree(const GroupOutcome &all) {
  if (all.any_shared != all.all_shared)
    return halocline::core::fail(Status::mismatch, "gaspi_segment_create: some ranks call with GASPI_MEM_SHARED, some without");
  if (!all.agrees())
    return halocline::core::fail(
        Status::mismatch,
        "gaspi_segment_create: ranks that share notifications must have the same number of them; notification_num is %d to %d", all.fewest,
        all.most);
  return halocline::core::fail(Status::memory, "gaspi_segment_create: another rank cannot allocate its segment");
}

/// Meets the others. If any rank has failed when that is over, no rank has a segment.
gaspi_return_t meet(Job &job, const Wanted &wanted, Group &group, gaspi_timeout_t timeout_ms, Statement &statement) {
  Making &making = job.makings[wanted.id];
  const int shared = wanted.shared ? 1 : 0;
  const int ids = static_cast<int>(job.config.notification_num);
  Statement mine(job, group);
  mine.say({making.mine == GASPI_SUCCESS ? 0 : -1, shared, shared, ids, ids}, group, wanted.id);
  const halocline::core::SmallReduction reduction = mine.reduction(statement);
  const gaspi_return_t met = until(job, "gaspi_segment_create", timeout_ms, [&] { return group.reduce(job.group_resources, reduction); });
  const GroupOutcome all = statement.outcome();
  if (met == GASPI_TIMEOUT || (met == GASPI_SUCCESS && all.worst == 0 && all.agrees())) return met;
  const gaspi_return_t own = making.mine;
  making = Making();
  if (own != GASPI_SUCCESS) return own;
  job.parts.remove(wanted.id);
  if (met == GASPI_SUCCESS) static_cast<void>(disagree(all));
  return GASPI_ERROR;
}

/// Once the leaders have their segments: makes those that use a leader's notifications.
void follow(Job &job, const Wanted &wanted, int leader) {
  Making &making = job.makings[wanted.id];
  making.met = true;
  if (leader == job.rank()) return;
  making.mine = without_exception([&] { return make_shared(job, wanted, leader); });
  if (making.mine == GASPI_SUCCESS) job.parts.publish(wanted.id);
}

gaspi_return_t create(const Wanted &wanted, gaspi_group_t handle, gaspi_timeout_t timeout_ms) {
  return enter([&](Job &job) {
    if (handle >= job.config.group_max || job.groups[handle].stage() != Group::Stage::committed) return GASPI_ERR_INV_GROUP;
    Group &group = job.groups[handle];
    if (group.is_busy(Group::Call::reduction)) return GASPI_ERR_ACTIVE_COLL;
    if (const gaspi_return_t wrong = check(job, wanted.id, wanted.size); wrong != GASPI_SUCCESS) return wrong;
    const int leader = wanted.shared ? leader_of(job, group) : -1;
    if (const gaspi_return_t begun = begin(job, wanted, leader); begun != GASPI_SUCCESS) return begun;
    Making &making = job.makings[wanted.id];
    Statement all(job, group);
    if (wanted.shared && !making.met) {
      if (const gaspi_return_t met = meet(job, wanted, group, timeout_ms, all); met != GASPI_SUCCESS) return met;
      follow(job, wanted, leader);
    }
    const gaspi_return_t met = meet(job, wanted, group, timeout_ms, all);
    if (met != GASPI_SUCCESS) return met;
    making = Making();
    all.learn(group, wanted.id);
    return met;
  });
}

/// Makes a rank read the descriptors of segments again.
Status announce_segment(Job &job, int rank, int id) {
  halocline::core::RemoteMemory *control = nullptr;
  std::uint64_t before = 0;
  HLC_TRY(job.parts.find_control(rank, &control));
  // SYNC descriptor-before-changed (pairs with SegmentDirectory::changed): a rank that sees the count reads the new descriptor.
  return job.pending_queries.look(*control, Asked{Asked::What::registration, rank, id}, [&](halocline::core::Query &query) {
    constexpr std::uint64_t one = 1;
    return fetch_op(kRegister, halocline::core::Target{*control, Plan::changed()}, {HLC_OP_SUM, HLC_NUMBER_UINT64}, {&one, &before}, query);
  });
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_segment_alloc(gaspi_segment_id_t segment_id, gaspi_size_t size, gaspi_alloc_t alloc_policy) {
  return enter([&](Job &job) {
    if ((alloc_policy & GASPI_MEM_SHARED) == 0) return make(job, {segment_id, size, nullptr, false});
    return answer(halocline::core::fail(
        Status::unsupported, "gaspi_segment_alloc on rank %d: alloc_policy has GASPI_MEM_SHARED, which only gaspi_segment_create supports",
        job.rank()));
  });
}

gaspi_return_t pgaspi_segment_bind(gaspi_segment_id_t segment_id, gaspi_pointer_t pointer, gaspi_size_t size, gaspi_memory_description_t) {
  return enter([&](Job &job) { return pointer ? make(job, {segment_id, size, pointer, false}) : GASPI_ERR_NULLPTR; });
}

gaspi_return_t pgaspi_segment_register(gaspi_segment_id_t segment_id, gaspi_rank_t rank, gaspi_timeout_t timeout_ms) {
  return enter([&](Job &job) {
    if (rank >= job.size()) return GASPI_ERR_INV_RANK;
    if (!job.parts.keep(segment_id)) return GASPI_ERR_INV_SEG;
    job.parts.publish(segment_id);
    const auto look = [&] { return announce_segment(job, rank, segment_id); };
    return until(job, kRegister, timeout_ms, look, halocline::core::WakeUp::by_polling);
  });
}

gaspi_return_t pgaspi_segment_create(gaspi_segment_id_t segment_id, gaspi_size_t size, gaspi_group_t group, gaspi_timeout_t timeout_ms,
                                     gaspi_alloc_t alloc_policy) {
  return create({segment_id, size, nullptr, (alloc_policy & GASPI_MEM_SHARED) != 0}, group, timeout_ms);
}

gaspi_return_t pgaspi_segment_use(gaspi_segment_id_t segment_id, gaspi_pointer_t pointer, gaspi_size_t size, gaspi_group_t group,
                                  gaspi_timeout_t timeout_ms, gaspi_memory_description_t) {
  if (!pointer) return enter([](Job &) { return GASPI_ERR_NULLPTR; });
  return create({segment_id, size, pointer, false}, group, timeout_ms);
}

gaspi_return_t pgaspi_segment_delete(gaspi_segment_id_t segment_id) {
  return enter([&](Job &job) { return segment_id < job.config.segment_max ? job.parts.remove(segment_id) : GASPI_ERR_INV_SEG; });
}

gaspi_return_t pgaspi_segment_num(gaspi_number_t *segment_num) {
  return get(segment_num, [](Job &job) {
    gaspi_number_t count = 0;
    job.parts.for_each([&](int) { count += 1; });
    return count;
  });
}

gaspi_return_t pgaspi_segment_list(gaspi_number_t num, gaspi_segment_id_t *segment_id_list) {
  return enter([&](Job &job) {
    if (!segment_id_list) return GASPI_ERR_NULLPTR;
    gaspi_number_t written = 0;
    job.parts.for_each([&](int id) {
      if (written < num) segment_id_list[written++] = static_cast<gaspi_segment_id_t>(id);
    });
    return written == num ? GASPI_SUCCESS : GASPI_ERR_INV_NUM;
  });
}

gaspi_return_t pgaspi_segment_ptr(gaspi_segment_id_t segment_id, gaspi_pointer_t *pointer) {
  return enter([&](Job &job) {
    if (!pointer) return GASPI_ERR_NULLPTR;
    return job.parts.with_own(segment_id, [&](halocline::core::LocalMemory &part) {
      *pointer = part.data();
      return GASPI_SUCCESS;
    });
  });
}

gaspi_return_t pgaspi_segment_ptr_of(gaspi_segment_id_t segment_id, gaspi_rank_t rank, gaspi_pointer_t *pointer) {
  return enter([&](Job &job) {
    if (!pointer) return GASPI_ERR_NULLPTR;
    if (const gaspi_return_t wrong = check_rank(job, rank, segment_id); wrong != GASPI_SUCCESS) return wrong;
    return until(job, kAddress, GASPI_BLOCK, [&] { return job.parts.show(rank, segment_id, pointer); });
  });
}

gaspi_return_t pgaspi_segment_size(gaspi_segment_id_t segment_id, gaspi_rank_t rank, gaspi_size_t *size) {
  return enter([&](Job &job) {
    if (!size) return GASPI_ERR_NULLPTR;
    if (const gaspi_return_t wrong = check_rank(job, rank, segment_id); wrong != GASPI_SUCCESS) return wrong;
    const auto read = [&](const halocline::core::RemoteMemory &part) {
      *size = static_cast<gaspi_size_t>(part.bytes());
      return GASPI_SUCCESS;
    };
    return until(job, kSize, GASPI_BLOCK, [&] { return job.parts.with(rank, segment_id, read); });
  });
}

HLC_WEAK_ALIAS(segment_alloc);
HLC_WEAK_ALIAS(segment_bind);
HLC_WEAK_ALIAS(segment_register);
HLC_WEAK_ALIAS(segment_create);
HLC_WEAK_ALIAS(segment_use);
HLC_WEAK_ALIAS(segment_delete);
HLC_WEAK_ALIAS(segment_num);
HLC_WEAK_ALIAS(segment_list);
HLC_WEAK_ALIAS(segment_ptr);
HLC_WEAK_ALIAS(segment_ptr_of);
HLC_WEAK_ALIAS(segment_size);

}  // extern "C"
