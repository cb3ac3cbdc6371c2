// SPDX-License-Identifier: BSD-3-Clause
#include "paper_swaps.hpp"

#include "swap_steps.hpp"

namespace simulate {

namespace {

using Links = std::vector<Link>;

/// All members of all windows that the rank is in have arrived. `send_word(peer, flag)` sends a word.
template <class SendWord>
void pass_windows(Writer &w, const std::vector<int> &group, SendWord send_word) {
  const int k = static_cast<int>(group.size());
  for (const int peer : group) send_word(peer, kEntered);
  w.script().wait(kEntered, k);
  for (const int peer : group) send_word(peer, kReleased);
  w.script().wait(kReleased, k);
}

/// Words by messages.
void send_words(Writer &w, const std::vector<int> &group, Flag flag) {
  for (const int peer : group) w.empty_message(peer, flag);
}
/// Waits for those of the others, and works for each.
void receive_words(Writer &w, const std::vector<int> &group, Flag flag) {
  w.script().wait(flag, static_cast<int>(group.size()));
  w.script().work(static_cast<double>(group.size()) * w.machine().node.message_us);
}

/// Puts as messages. Long ones land in the window, short ones are copied there. Returns those that have to be waited for.
int put_by_messages(Writer &w, const Links &links) {
  int waits = 0;
  for (const Link &link : links) {
    w.pack(link.bytes);
    waits += w.message(link.peer, link.bytes, 0) ? 1 : 0;
  }
  return waits;
}

}  // namespace

void p2p_waitall(Writer &w, const Links &all) {
  const Links links = others(w, all);
  const int waits = put_by_messages(w, links);
  copy_own(w, all);
  w.script().take(kData, static_cast<int>(links.size()));
  w.script().wait(kSent, waits);
  unpack_all(w, links);
}

void fence_neighbours(Writer &w, const Links &all) {
  const Links links = others(w, all);
  const int far = pack_and_put(w, links);
  copy_own(w, all);
  w.flush(far);
  pass_windows(w, ranks_of(links), [&](int peer, Flag flag) { w.signal(peer, flag, w.machine().network.barrier_us); });
  unpack_all(w, links);
}

void naive_neighbours(Writer &w, const Links &all) {
  const Links links = others(w, all);
  const std::vector<int> group = ranks_of(links);
  for (const int peer : group) w.lock_all(peer);
  const int far = pack_and_put(w, links);
  copy_own(w, all);
  w.flush(far);
  for (const int peer : group) w.unlock_all(peer);
  for (const Flag flag : {kEntered, kReleased}) {
    send_words(w, group, flag);
    receive_words(w, group, flag);
  }
  unpack_all(w, links);
}

void pscw_late(Writer &w, const Links &all) {
  const Links links = others(w, all);
  const std::vector<int> group = ranks_of(links);
  const int k = static_cast<int>(group.size());
  if (std::any_of(group.begin(), group.end(), [&](int peer) { return !w.near(peer); })) w.script().work(w.machine().network.epoch_us);
  for (const int peer : group) w.signal(peer, kPosted);
  w.script().wait(kPosted, k);
  const int far = pack_and_put(w, links);
  copy_own(w, all);
  w.flush(far);
  for (const int peer : group) w.signal(peer, kCompleted);
  w.script().wait(kCompleted, k);
  unpack_all(w, links);
}

void pscw_software(Writer &w, const Links &all) {
  const Links links = others(w, all);
  const std::vector<int> group = ranks_of(links);
  const int waits = put_by_messages(w, links);
  copy_own(w, all);
  send_words(w, group, kPosted);
  w.script().wait(kSent, waits);
  send_words(w, group, kCompleted);
  w.script().take(kData, static_cast<int>(links.size()));
  receive_words(w, group, kCompleted);
  unpack_all(w, links);
  receive_words(w, group, kPosted);
}

void fence_software(Writer &w, const Links &all) {
  const Links links = others(w, all);
  const std::vector<int> group = ranks_of(links);
  const int waits = put_by_messages(w, links);
  copy_own(w, all);
  w.script().wait(kSent, waits);
  send_words(w, group, kEntered);
  w.script().take(kData, static_cast<int>(links.size()));
  receive_words(w, group, kEntered);
  send_words(w, group, kReleased);
  receive_words(w, group, kReleased);
  unpack_all(w, links);
}

}  // namespace simulate
