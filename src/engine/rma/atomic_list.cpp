// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/atomic_list.hpp"

#include "base/stream.hpp"
#include "engine/communicator/wait_until.hpp"
#include "engine/network/message.hpp"
#include "engine/network/request_engine.hpp"
#include "engine/network/request_queries.hpp"
#include "engine/rma/remote_rma.hpp"

namespace halocline::core {
namespace {

static_assert(ListedAtomic::kRead == HLC_OP_READ);

ListedAtomic listed(const hlc_atomic &atomic) {
  ListedAtomic one;
  one.offset = atomic.at.offset;
  one.op = atomic.compare ? ListedAtomic::kCompares : atomic.op;
  one.type = atomic.type;
  write_word(atomic.type, atomic.value, &one.operand);
  write_word(atomic.type, atomic.expected, &one.expected);
  return one;
}

}  // namespace

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
  const hlc_action action{atomic.op, atomic.type};
  if (!is_for_words(action.op) && !can_combine(action)) return check_word(call, at, action, false);
  return fetch_word(call, at, action, atomic.value, &atomic.old);
}

FarAtomics::~FarAtomics() {
  for (std::size_t i = 0; i < groups_; ++i)
    if (query_[i].request) group_[i].network->requests()->queries().forget(query_[i]);
}

/// The last one of the memory, if it has room for this number of words.
FarAtomics::Group &FarAtomics::group_for(const RemoteMemory &memory, std::size_t words) {
  const RemoteDescriptor *const descriptor = &memory.descriptor();
  for (std::size_t i = groups_; i-- > 0;)
    if (group_[i].descriptor == descriptor && group_[i].words + words <= kMaxListed) return group_[i];
  Group &made = group_[groups_++];
  made = {&memory.network(), descriptor, memory.rank(), 0, 0, 0, 0, nullptr, State::added};
  return made;
}

Status FarAtomics::add(const RemoteMemory &memory, hlc_atomic &atomic) {
  HLC_TRY(check_word(call_, {memory, atomic.at.offset}, {atomic.op, atomic.type}, atomic.compare != 0));
  const std::size_t words = listed(atomic).words();
  Group &group = group_for(memory, words);
  if (group.count++ == 0)
    group.first = count_;
  else
    list_[group.last].next = count_;
  group.last = count_;
  group.words += words;
  list_[count_++] = {&atomic, 0};
  return Status::ok;
}

Status FarAtomics::start() {
  std::uint64_t *olds = olds_.data();
  for (std::size_t i = 0; i < groups_; ++i) {
    group_[i].olds = olds;
    olds += group_[i].count;
    if (const Status asked = ask(group_[i], query_[i]); failed(asked)) return asked;
  }
  return Status::ok;
}

Status FarAtomics::ask(Group &group, Query &query) const {
  std::array<std::uint64_t, kMaxListed> words;
  std::uint64_t *next = words.data();
  for (std::size_t i = 0, at = group.first; i < group.count; ++i, at = list_[at].next) {
    const ListedAtomic one = listed(*list_[at].atomic);
    one.write(next);
    next += one.words();
  }
  const RemoteMemory memory(*group.network, group.rank, *group.descriptor, 0);
  const Status asked = RemoteRma(memory).start_atomics(call_, {{words.data(), group.words}, {group.olds, group.count}}, query);
  if (asked == Status::ok) group.state = State::asked;
  return asked;
}

Status FarAtomics::look(Group &group, Query &query) const {
  if (group.state == State::added) {
    const Status asked = ask(group, query);
    return asked == Status::ok ? Status::again : asked;
  }
  std::uint64_t none = 0;
  if (const Status status = group.network->requests()->queries().test(query, call_, &none); status != Status::ok) return status;
  for (std::size_t i = 0, at = group.first; i < group.count; ++i, at = list_[at].next) {
    hlc_atomic &atomic = *list_[at].atomic;
    atomic.old = read_word(atomic.type, &group.olds[i]);
  }
  group.state = State::done;
  return Status::ok;
}

Status FarAtomics::late() const {
  for (std::size_t i = 0; i < groups_; ++i)
    if (group_[i].state != State::done) return group_[i].network->requests()->late(call_, group_[i].rank);
  return Status::ok;
}

Status FarAtomics::await() {
  const Network &network = *group_[0].network;
  Wait wait(network.communicator(), WakeUp::by_polling);
  const auto look_at_all = [&] {
    Status all = Status::ok;
    network.requests()->poll();
    for (std::size_t i = 0; i < groups_; ++i) {
      if (group_[i].state == State::done) continue;
      const Status status = look(group_[i], query_[i]);
      if (failed(status)) return status;
      if (status == Status::ok)
        wait.progress();
      else
        all = Status::again;
    }
    return all;
  };
  return wait_until(wait, look_at_all, [&] { return wait.timed_out() ? late() : Status::ok; });
}

}  // namespace halocline::core
