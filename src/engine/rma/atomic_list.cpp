// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/atomic_list.hpp"

#include "base/stream.hpp"
#include "engine/communicator/wait_until.hpp"

namespace halocline::core {

void fetch_line(const RemoteMemory &memory, const hlc_atomic &atomic) {
  const std::int64_t offset = atomic.at.offset;
  if (memory.path() != Path::mapped || offset < 0 || offset >= memory.bytes()) return;
  if (atomic.op == HLC_OP_READ && !atomic.compare)
    __builtin_prefetch(memory.data() + offset);
  else
    fetch_to_write(memory.data() + offset, 1);
}

Status carry_out_near(const char *call, const RemoteMemory &memory, hlc_atomic &atomic) {
  const Target at{memory, atomic.at.offset};
  if (atomic.compare) return compare_swap_word(call, at, atomic.type, {atomic.expected, atomic.value, &atomic.old});
  return fetch_word(call, at, {atomic.op, atomic.type}, atomic.value, &atomic.old);
}

FarAtomics::~FarAtomics() {
  for (int i = 0; i < count_; ++i) {
    Listed &listed = list_[static_cast<std::size_t>(i)];
    if (listed.query.request) listed.memory.network().requests()->queries().forget(listed.query);
  }
}

Status FarAtomics::look(Listed &listed) const {
  hlc_atomic &atomic = *listed.atomic;
  // A type that is no such integer is refused, as for one atomic.
  if (!is_word(atomic.type)) return carry_out_near(call_, listed.memory, atomic);
  const Target at{listed.memory, atomic.at.offset};
  std::uint64_t expected = 0, value = 0, before = 0;
  write_word(atomic.type, atomic.expected, &expected);
  write_word(atomic.type, atomic.value, &value);
  const Status status = atomic.compare ? compare_swap(call_, at, atomic.type, {&expected, &value, &before}, listed.query)
                                       : fetch_op(call_, at, {atomic.op, atomic.type}, {&value, &before}, listed.query);
  if (status == Status::ok) atomic.old = read_word(atomic.type, &before);
  return status;
}

Status FarAtomics::late() const {
  for (const Listed &listed : list_) {
    if (listed.done) continue;
    Communicator &communicator = listed.memory.communicator();
    return fail(Status::timeout, "%s: rank %d has waited %lld s for %s (HALOCLINE_TIMEOUT)", call_, communicator.rank(),
                static_cast<long long>(communicator.timeout_ns() / 1'000'000'000),
                listed.memory.network().requests()->name_of(listed.memory.rank()).c_str());
  }
  return Status::ok;
}

Status FarAtomics::carry_out() {
  Wait wait(list_.front().memory.communicator(), WakeUp::by_polling);
  const auto look_at_all = [&] {
    Status all = Status::ok;
    for (int i = 0; i < count_; ++i) {
      Listed &listed = list_[static_cast<std::size_t>(i)];
      if (listed.done) continue;
      const Status status = look(listed);
      if (failed(status)) return status;
      listed.done = status == Status::ok;
      if (listed.done) wait.progress();
      if (!listed.done) all = Status::again;
    }
    return all;
  };
  return wait_until(wait, look_at_all, [&] { return wait.timed_out() ? late() : Status::ok; });
}

}  // namespace halocline::core
