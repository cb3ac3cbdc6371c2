// Making and opening memory. That of the application is not mapped by other ranks: the kernel copies it.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/local_memory.hpp"

#include <atomic>
#include <cstring>

#include "engine/memory/ptrace_permission.hpp"
#include "engine/network/request_engine.hpp"
#include "engine/rma/exposed_memory.hpp"

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

/// Where the application provides the data, the dummy target is unused and holds the lock.
NodeLock lock_of(const SharedMemory &object, const MemoryDescriptor &descriptor, Communicator &communicator) {
  if (descriptor.memory == 0) return {};
  return {object.part(0) + NotificationWords::bytes_of(descriptor.notifications, descriptor.monotonic), communicator.doorbell(),
          communicator.member()};
}

std::uint64_t next_version() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

LocalMemory::LocalMemory(Network &network) : network_(network), communicator_(network.communicator()) {}

LocalMemory::~LocalMemory() = default;

void LocalMemory::close() { exposed_.reset(); }

Status LocalMemory::create(const MemorySpec &spec) {
  descriptor_.bytes = spec.bytes;
  descriptor_.memory = reinterpret_cast<std::uint64_t>(spec.memory);
  descriptor_.notifications = spec.notifications;
  descriptor_.monotonic = spec.monotonic;
  HLC_TRY(make_object());
  words_ = NotificationWords(object_.part(0), spec.notifications, spec.monotonic);
  descriptor_.leader = spec.leader;
  if (spec.leader_descriptor) HLC_TRY(map_notifications(*spec.leader_descriptor));
  if (spec.leader >= 0) shared_.count(communicator_);
  data_ = spec.memory ? spec.memory : object_.part(0) + bytes_before_data(descriptor_);
  if (spec.memory) permit_node_to_trace(communicator_);
  mine_ = RemoteMemory(network_, {communicator_.rank(), communicator_.member(), spec.bytes, data_, words_, spec.leader >= 0,
                                  lock_of(object_, descriptor_, communicator_), descriptor_.object.maker, descriptor_.memory});
  if (communicator_.nodes() > 1) HLC_TRY(expose());
  descriptor_.version = next_version();
  return Status::ok;
}

Status LocalMemory::make_object() {
  lay_out(object_, descriptor_);
  int error = object_.make_nameless(descriptor_.object);
  if (error == 0) error = object_.map(0);
  if (error == 0) return Status::ok;
  return fail(Status::memory, "rank %d cannot allocate %lld bytes of shared memory: %s (see 'df /dev/shm', 'ulimit -a')",
              communicator_.rank(), static_cast<long long>(object_.bytes()), std::strerror(error));
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

Status LocalMemory::expose() {
  const Served mine{data_, descriptor_.bytes, words_, leaders_.mapped() ? &descriptor_.notifications_object : nullptr, mine_.lock()};
  exposed_ = std::make_unique<ExposedMemory>(network_, network_.requests()->served().next_own_part(), descriptor_.memory != 0);
  return exposed_->open(mine, object_, 0, &descriptor_.far);
}

Status OpenedMemory::open(Network &network, int rank, const MemoryDescriptor &descriptor, const LocalMemory *mine) {
  opened_ = descriptor;
  if (!mine && network.communicator().member_of(rank) != kNotOnNode) return map(network, rank);
  static_cast<RemoteMemory &>(*this) = mine ? mine->memory() : RemoteMemory(network, rank, opened_.far, opened_.notifications);
  return Status::ok;
}

Status OpenedMemory::map(Network &network, int rank) {
  Communicator &communicator = network.communicator();
  lay_out(object_, opened_);
  int error = object_.open(opened_.object);
  if (error == 0) error = object_.map_from(0);
  object_.close();
  const bool uses_leaders = opened_.notifications_object.maker != 0;
  if (error == 0 && uses_leaders) error = map_first(leaders_, opened_.notifications_object, opened_.notifications);
  leaders_.close();
  if (error != 0)
    return fail(Status::unsupported, "rank %d cannot map memory of rank %d, process %d of its node: %s", communicator.rank(), rank,
                opened_.object.maker, std::strerror(error));
  NotificationWords words(object_.part(0), opened_.notifications, opened_.monotonic);
  if (uses_leaders) words.notifications = Notifications(leaders_.part(0), opened_.notifications);
  char *data = opened_.memory == 0 ? object_.part(0) + bytes_before_data(opened_) : nullptr;
  static_cast<RemoteMemory &>(*this) =
      RemoteMemory(network, {rank, communicator.member_of(rank), opened_.bytes, data, words, opened_.leader >= 0,
                             lock_of(object_, opened_, communicator), opened_.object.maker, opened_.memory});
  return Status::ok;
}

}  // namespace halocline::core
