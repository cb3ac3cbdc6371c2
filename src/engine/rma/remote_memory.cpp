// Making, opening and using parts. On the node an operation is a copy and a release store, or one atomic instruction. Memory of the
// application is not mapped by other ranks: the kernel copies it.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/remote_memory.hpp"

#include <sys/uio.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>

#include "engine/memory/atomics.hpp"

namespace halocline::core {
namespace {

std::int64_t bytes_before_data(const MemoryDescriptor &descriptor) {
  return SharedMemory::rounded(NotificationWords::bytes_of(descriptor.notifications, descriptor.monotonic) + kDummyTarget);
}

/// Lays out the one part of an object.
void lay_out(SharedMemory &memory, const MemoryDescriptor &descriptor) {
  memory.reserve(1);
  memory.lay_out({SharedMemory::rounded(bytes_before_data(descriptor) + (descriptor.memory != 0 ? 0 : descriptor.bytes))});
}

/// Maps the notifications that an object begins with.
int map_first(SharedMemory &memory, const transport::shm::ObjectAddress &object, int notifications) {
  memory.reserve(1);
  memory.lay_out({SharedMemory::rounded(Notifications::bytes_of(notifications))});
  const int error = memory.open(object);
  return error != 0 ? error : memory.map_from(0);
}

/// Where the application provides the data, the dummy target is unused and holds the lock. Other ranks of the node cannot do atomics on
/// such data: they read, and write back.
NodeLock lock_of(const SharedMemory &memory, const MemoryDescriptor &descriptor, Communicator &communicator) {
  if (descriptor.memory == 0) return {};
  return {memory.part(0) + NotificationWords::bytes_of(descriptor.notifications, descriptor.monotonic), communicator.doorbell(),
          communicator.member()};
}

std::uint64_t next_version() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

Status LocalMemory::create(const MemorySpec &spec) {
  descriptor_.bytes = spec.bytes;
  descriptor_.memory = reinterpret_cast<std::uint64_t>(spec.memory);
  descriptor_.notifications = spec.notifications;
  descriptor_.monotonic = spec.monotonic;
  HLC_TRY(make_object());
  words_ = NotificationWords(memory_.part(0), spec.notifications, spec.monotonic);
  descriptor_.leader = spec.leader;
  if (spec.leader_descriptor) HLC_TRY(map_notifications(*spec.leader_descriptor));
  if (spec.leader >= 0) shared_.count(communicator_);
  data_ = spec.memory ? spec.memory : memory_.part(0) + bytes_before_data(descriptor_);
  if (spec.memory) traced_.allow(communicator_);
  if (communicator_.nodes() > 1) HLC_TRY(open_to_others());
  descriptor_.version = next_version();
  return Status::ok;
}

Status LocalMemory::make_object() {
  lay_out(memory_, descriptor_);
  int error = memory_.make_nameless(descriptor_.object);
  if (error == 0) error = memory_.map(0);
  if (error == 0) return Status::ok;
  return fail(Status::memory, "rank %d: shared memory for %lld bytes cannot be had: %s (see 'df /dev/shm', 'ulimit -a')",
              communicator_.rank(), static_cast<long long>(memory_.bytes()), std::strerror(error));
}

/// The mapped notifications stay valid when their owner ends.
Status LocalMemory::map_notifications(const MemoryDescriptor &leader) {
  int error = map_first(leaders_, leader.object, leader.notifications);
  if (error == 0) error = leaders_.describe(descriptor_.notifications_object);
  if (error != 0)
    return fail(Status::unsupported, "rank %d cannot map the notifications of rank %d, process %d of its node: %s", communicator_.rank(),
                descriptor_.leader, leader.object.maker, std::strerror(error));
  words_.notifications = Notifications(leaders_.part(0), leader.notifications);
  return Status::ok;
}

NodeLock LocalMemory::lock() const { return lock_of(memory_, descriptor_, communicator_); }

void LocalMemory::ring() const {
  if (descriptor_.leader >= 0)
    communicator_.ring_node();
  else
    communicator_.doorbell().ring(communicator_.member());
}

Status LocalMemory::open_to_others() {
  descriptor_.number = network_.requests()->served().next_own_part();
  remote_ = std::make_unique<RemoteRma>(network_);
  const Served mine{data_, descriptor_.bytes, words_, leaders_.mapped() ? &descriptor_.notifications_object : nullptr, lock()};
  return remote_->serve(descriptor_.number, mine, memory_, descriptor_.memory == 0, &descriptor_.far);
}

Status RemoteMemory::open(int rank, const MemoryDescriptor &descriptor, const LocalMemory *mine) {
  descriptor_ = descriptor;
  rank_ = rank;
  member_ = communicator_.member_of(rank);
  if (mine) {
    data_ = mine->data();
    words_ = mine->words();
    lock_ = mine->lock();
    return Status::ok;
  }
  if (member_ != kNotOnNode) return map();
  remote_ = std::make_unique<RemoteRma>(network_);
  remote_->reach(descriptor.number, descriptor.far, descriptor.memory == 0);
  return Status::ok;
}

Status RemoteMemory::map() {
  lay_out(memory_, descriptor_);
  int error = memory_.open(descriptor_.object);
  if (error == 0) error = memory_.map_from(0);
  memory_.close();
  const bool uses_leaders = descriptor_.notifications_object.maker != 0;
  if (error == 0 && uses_leaders) error = map_first(leaders_, descriptor_.notifications_object, descriptor_.notifications);
  leaders_.close();
  if (error != 0)
    return fail(Status::unsupported, "rank %d cannot map memory of rank %d, process %d of its node: %s", communicator_.rank(), rank_,
                descriptor_.object.maker, std::strerror(error));
  words_ = NotificationWords(memory_.part(0), descriptor_.notifications, descriptor_.monotonic);
  lock_ = lock_of(memory_, descriptor_, communicator_);
  if (uses_leaders) words_.notifications = Notifications(leaders_.part(0), descriptor_.notifications);
  if (descriptor_.memory == 0) data_ = memory_.part(0) + bytes_before_data(descriptor_);
  return Status::ok;
}

Status RemoteMemory::copy_across(const char *call, bool writes, std::int64_t offset, void *data, std::int64_t bytes) const {
  std::int64_t done = 0;
  while (done < bytes) {
    const iovec here{static_cast<char *>(data) + done, static_cast<std::size_t>(bytes - done)};
    const iovec there{std::bit_cast<void *>(descriptor_.memory + static_cast<std::uint64_t>(offset + done)), here.iov_len};
    const ssize_t some = (writes ? process_vm_writev : process_vm_readv)(descriptor_.object.maker, &here, 1, &there, 1, 0);
    if (some <= 0)
      return fail(errno == ESRCH ? Status::peer_died : Status::unsupported,
                  "%s: rank %d cannot reach memory that rank %d has brought, in process %d of its node: %s", call, communicator_.rank(),
                  rank_, descriptor_.object.maker, std::strerror(errno));
    done += some;
  }
  return Status::ok;
}

Status RemoteMemory::put(const char *call, std::int64_t offset, const void *data, std::int64_t bytes) {
  if (remote_) return remote_->put(call, {rank_, offset}, static_cast<const char *>(data), bytes);
  if (!data_) return copy_across(call, true, offset, const_cast<void *>(data), bytes);
  if (bytes > 0) std::memcpy(data_ + offset, data, static_cast<std::size_t>(bytes));
  return Status::ok;
}

Status RemoteMemory::get(const char *call, std::int64_t offset, void *data, std::int64_t bytes) {
  if (remote_) return remote_->get(call, {rank_, offset}, static_cast<char *>(data), bytes);
  if (!data_) return copy_across(call, false, offset, data, bytes);
  if (bytes > 0) std::memcpy(data, data_ + offset, static_cast<std::size_t>(bytes));
  return Status::ok;
}

Status RemoteMemory::put(const char *call, std::int64_t offset, const void *data, std::int64_t bytes, std::int64_t &done) {
  return remote_ ? remote_->put(call, {rank_, offset}, static_cast<const char *>(data), bytes, done) : put(call, offset, data, bytes);
}

Status RemoteMemory::get(const char *call, std::int64_t offset, void *data, std::int64_t bytes, std::int64_t &done) {
  return remote_ ? remote_->get(call, {rank_, offset}, static_cast<char *>(data), bytes, done) : get(call, offset, data, bytes);
}

Status RemoteMemory::put_notify(const char *call, std::int64_t offset, const void *data, std::int64_t bytes,
                                hlc_notification notification) {
  if (remote_) return remote_->put_notify(call, {rank_, offset}, static_cast<const char *>(data), bytes, notification);
  HLC_TRY(put(call, offset, data, bytes));
  return set(call, notification);
}

Status RemoteMemory::put_notify(const char *call, std::int64_t offset, const void *data, std::int64_t bytes, hlc_notification notification,
                                PendingNotify &pending) {
  if (remote_) return remote_->put_notify(call, {rank_, offset}, static_cast<const char *>(data), bytes, notification, pending);
  return put_notify(call, offset, data, bytes, notification);
}

Status RemoteMemory::set(const char *call, hlc_notification notification) {
  if (!words_.set(static_cast<std::uint32_t>(notification.id), notification.value))
    return fail(Status::argument, "%s: rank %d sets notification %d to %u; the segment of rank %d has %d", call, communicator_.rank(),
                notification.id, notification.value, rank_, descriptor_.notifications);
  if (descriptor_.leader >= 0)
    communicator_.ring_node();
  else
    communicator_.doorbell().ring(member_);
  return Status::ok;
}

Status RemoteMemory::notify_in_order(const char *call, hlc_notification notification, PendingNotify &pending) {
  return remote_ ? remote_->notify_in_order(call, rank_, notification, pending) : notify(call, notification);
}

/// Replaces the number by change(number), under the lock.
template <class Change>
Status RemoteMemory::change_locked(const char *call, std::int64_t offset, std::uint64_t *old, Change change) {
  std::uint64_t number = 0;
  if (!lock_.try_lock()) return Status::again;
  Status status = get(call, offset, &number, sizeof number);
  const std::uint64_t changed = change(number);
  *old = number;
  if (status == Status::ok) status = put(call, offset, &changed, sizeof changed);
  lock_.unlock();
  return status;
}

Status RemoteMemory::fetch_add(const char *call, std::int64_t offset, std::uint64_t value, Query &query, std::uint64_t *old) {
  constexpr hlc_action add{HLC_OP_SUM, HLC_NUMBER_UINT64};
  if (remote_) return remote_->combine(call, {rank_, offset}, add, value, query, old);
  if (lock_) return change_locked(call, offset, old, [value](std::uint64_t number) { return number + value; });
  apply(add, data_ + offset, &value, old);
  return Status::ok;
}

Status RemoteMemory::compare_swap(const char *call, std::int64_t offset, std::uint64_t expected, std::uint64_t value, Query &query,
                                  std::uint64_t *old) {
  if (remote_) return remote_->compare(call, {rank_, offset}, expected, value, query, old);
  if (lock_) return change_locked(call, offset, old, [=](std::uint64_t number) { return number == expected ? value : number; });
  const std::int64_t before =
      compare_and_swap(HLC_NUMBER_UINT64, data_ + offset, static_cast<std::int64_t>(expected), static_cast<std::int64_t>(value));
  *old = static_cast<std::uint64_t>(before);
  return Status::ok;
}

}  // namespace halocline::core
