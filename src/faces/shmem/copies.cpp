// Each member puts what others are to have, and notifies them. A broadcast goes down a binomial tree; of many bytes on one node, all copy from the
// root's source at the same time.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/copies.hpp"

#include <cstring>

#include "faces/shmem/interface.hpp"
#include "faces/shmem/place.hpp"

namespace halocline::core::shmem {
namespace {

/// From here on the copies of a broadcast on a node take longer than notifications.
constexpr std::size_t kCopiedByAll = 16384;

/// Puts of collective calls.
ContextState putting;

void put_to(const Collective &collective, int member, void *dest, const void *source, std::size_t bytes) {
  if (bytes == 0) return;
  if (member == collective.me && dest == source) return;
  put_bytes(collective.call, putting, {dest, source, bytes, collective.pes.to_world(member)}, Returns::when_reusable);
}

char *after(void *begin, std::size_t bytes) { return static_cast<char *>(begin) + bytes; }
const char *after(const void *begin, std::size_t bytes) { return static_cast<const char *>(begin) + bytes; }

/// Where an argument is wrong, the message names it as a whole, on each PE.
void check(const Collective &collective, const Copy &copy, std::size_t dest_bytes) {
  find_offset(collective.call, {copy.dest, dest_bytes, "dest"}, collective.pes.to_world(collective.me));
  if (!copy.source && copy.nelems > 0) stop_for_null(collective.call, "source");
}

std::size_t members_of(const Collective &collective) { return static_cast<std::size_t>(collective.size()); }

/// The member that is `distance` after this one.
int next(const Collective &collective, int distance) { return (collective.me + distance) % collective.size(); }

bool is_on_one_node(const Collective &collective, const Copy &copy) {
  for (int member = 0; member < collective.size(); ++member)
    if (!find_place(collective.call, {copy.source, copy.bytes(), "source"}, collective.pes.to_world(member))) return false;
  return true;
}

/// A member's children are after it by the powers of 2 below that by which it is after its parent.
void broadcast_down(const Collective &collective, const Copy &copy, int root) {
  const int size = collective.size(), distance = (collective.me - root + size) % size;
  int step = 1;
  while (step < size && (distance & step) == 0) step *= 2;
  const void *source = distance == 0 ? copy.source : copy.dest;
  if (distance != 0) await_notification(collective, next(collective, size - step));
  for (step /= 2; step > 0; step /= 2) {
    if (distance + step >= size) continue;
    put_to(collective, next(collective, step), copy.dest, source, copy.bytes());
    notify(collective, next(collective, step));
  }
}

void broadcast_at_once(const Collective &collective, const Copy &copy, int root) {
  if (collective.me == root) {
    for (int distance = 1; distance < collective.size(); ++distance) notify(collective, next(collective, distance));
    for (int distance = 1; distance < collective.size(); ++distance) await_notification(collective, next(collective, distance));
    return;
  }
  await_notification(collective, root);
  std::memcpy(copy.dest, find_place(collective.call, {copy.source, copy.bytes(), "source"}, collective.pes.to_world(root)), copy.bytes());
  notify(collective, root);
}

/// Notifies all others that they have this member's part, and waits for the same of them.
void exchange_notifications(const Collective &collective) {
  for (int distance = 1; distance < collective.size(); ++distance) notify(collective, next(collective, distance));
  for (int distance = 1; distance < collective.size(); ++distance) await_notification(collective, next(collective, distance));
}

/// Puts this member's elements to the same place of all.
void spread(const Collective &collective, const Copy &copy, std::size_t elements_before) {
  for (int distance = 0; distance < collective.size(); ++distance)
    put_to(collective, next(collective, distance), after(copy.dest, elements_before * copy.element_bytes), copy.source, copy.bytes());
  exchange_notifications(collective);
}

void check_stride(const Collective &collective, const char *name, std::ptrdiff_t stride) {
  if (stride < 1) stop("%s on PE %d: %s is %td but must be 1 or more", collective.call, need_job(collective.call).rank(), name, stride);
}

/// Strided elements for one member.
void put_strided_to(const Collective &collective, int member, const Copy &copy, const Distances &distances) {
  const int pe = collective.pes.to_world(member);
  void *dest = after(copy.dest,
                     static_cast<std::size_t>(collective.me) * copy.nelems * static_cast<std::size_t>(distances.dest) * copy.element_bytes);
  const void *source =
      after(copy.source, static_cast<std::size_t>(member) * copy.nelems * static_cast<std::size_t>(distances.source) * copy.element_bytes);
  switch (copy.element_bytes) {
    case 1: return pshmem_iput8(dest, source, distances.dest, distances.source, copy.nelems, pe);
    case 2: return pshmem_iput16(dest, source, distances.dest, distances.source, copy.nelems, pe);
    case 4: return pshmem_iput32(dest, source, distances.dest, distances.source, copy.nelems, pe);
    case 8: return pshmem_iput64(dest, source, distances.dest, distances.source, copy.nelems, pe);
    default: return pshmem_iput128(dest, source, distances.dest, distances.source, copy.nelems, pe);
  }
}

}  // namespace

void broadcast(const Collective &collective, const Copy &copy, int root, bool writes_own) {
  if (root < 0 || root >= collective.size())
    stop("%s on PE %d: PE_root is %d but must be 0 to %d", collective.call, need_job(collective.call).rank(), root, collective.size() - 1);
  if (copy.nelems == 0) return;
  check(collective, copy, copy.bytes());
  if (collective.size() > 1 && copy.bytes() >= kCopiedByAll && is_on_one_node(collective, copy))
    broadcast_at_once(collective, copy, root);
  else
    broadcast_down(collective, copy, root);
  if (writes_own && collective.me == root && copy.dest != copy.source) std::memmove(copy.dest, copy.source, copy.bytes());
}

void fcollect(const Collective &collective, const Copy &copy) {
  if (copy.nelems == 0) return;
  check(collective, copy, bytes_of(members_of(collective), copy.bytes()));
  spread(collective, copy, static_cast<std::size_t>(collective.me) * copy.nelems);
}

void collect(const Collective &collective, const Copy &copy) {
  for (int distance = 1; distance < collective.size(); ++distance) notify_value(collective, next(collective, distance), copy.nelems);
  std::size_t before = 0, all = copy.nelems;
  for (int distance = 1; distance < collective.size(); ++distance) {
    const int member = next(collective, distance);
    const std::size_t theirs = await_value(collective, member);
    if (member < collective.me) before += theirs;
    if (__builtin_add_overflow(all, theirs, &all)) all = SIZE_MAX;
  }
  if (all > 0) check(collective, copy, bytes_of(all, copy.element_bytes));
  spread(collective, copy, before);
}

void alltoall(const Collective &collective, const Copy &copy) {
  if (copy.nelems == 0) return;
  check(collective, copy, bytes_of(members_of(collective), copy.bytes()));
  for (int distance = 0; distance < collective.size(); ++distance) {
    const int member = next(collective, distance);
    put_to(collective, member, after(copy.dest, static_cast<std::size_t>(collective.me) * copy.bytes()),
           after(copy.source, static_cast<std::size_t>(member) * copy.bytes()), copy.bytes());
  }
  exchange_notifications(collective);
}

void alltoalls(const Collective &collective, const Copy &copy, const Distances &distances) {
  if (copy.nelems == 0) return;
  check_stride(collective, "dst", distances.dest);
  check_stride(collective, "sst", distances.source);
  check(collective, copy, bytes_of(bytes_of(members_of(collective), copy.nelems), distances.dest, copy.element_bytes));
  for (int distance = 0; distance < collective.size(); ++distance) put_strided_to(collective, next(collective, distance), copy, distances);
  // A strided put to another node may be more than one operation.
  quiet(collective.call, default_context);
  exchange_notifications(collective);
}

}  // namespace halocline::core::shmem
