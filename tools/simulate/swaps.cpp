// SPDX-License-Identifier: BSD-3-Clause
#include "swaps.hpp"

#include "node_swap.hpp"
#include "paper_swaps.hpp"
#include "swap_steps.hpp"

#include <algorithm>

namespace simulate {

namespace {

using Links = std::vector<Link>;

/// The library's: data are unpacked in their order of arrival.
void p2p(Writer &w, const Links &all) {
  const Links links = others(w, all);
  int waits = 0;
  for (const Link &link : links) {
    w.pack(link.bytes);
    waits += w.message(link.peer, link.bytes, w.machine().pack_us(link.bytes)) ? 1 : 0;
  }
  copy_own(w, all);
  w.script().take(kData, static_cast<int>(links.size()));
  w.script().wait(kSent, waits);
}

/// The collective ends when all data are there.
void neighbor(Writer &w, const Links &all) {
  const Links links = others(w, all);
  int waits = 0;
  for (const Link &link : links) w.pack(link.bytes);
  for (const Link &link : links) waits += w.message(link.peer, link.bytes, 0) ? 1 : 0;
  copy_own(w, all);
  w.script().take(kData, static_cast<int>(links.size()));
  w.script().wait(kSent, waits);
  unpack_all(w, links);
}

void fence(Writer &w, const Links &all) {
  const Links links = others(w, all);
  const int far = pack_and_put(w, links);
  copy_own(w, all);
  w.flush(far);
  w.barrier();
  unpack_all(w, links);
}

/// With early epochs: the next exposure is posted before this access is completed, so that the start at the end finds it.
void pscw(Writer &w, const Links &all) {
  const Links links = others(w, all);
  const std::vector<int> group = ranks_of(links);
  const int far = pack_and_put(w, links), k = static_cast<int>(group.size());
  copy_own(w, all);
  if (std::any_of(group.begin(), group.end(), [&](int peer) { return !w.near(peer); })) w.script().work(w.machine().network.epoch_us);
  for (const int peer : group) w.signal(peer, kPosted);
  w.flush(far);
  for (const int peer : group) w.signal(peer, kCompleted);
  w.script().wait(kCompleted, k);
  unpack_all(w, links);
  w.script().wait(kPosted, k);
}

/// One epoch for all swaps; empty messages after a flush of all.
void passive(Writer &w, const Links &all) {
  const Links links = others(w, all);
  const int far = pack_and_put(w, links);
  copy_own(w, all);
  w.flush(far);
  for (const Link &link : links) w.message(link.peer, 0, w.machine().pack_us(link.bytes));
  w.script().take(kData, static_cast<int>(links.size()));
}

/// An epoch for each swap, in a window of all ranks. Its lock is a word of rank 0 (Gerstenberger et al., section 2.4), where all of them queue. The
/// release is not waited for. A non-blocking barrier, by messages, ends the swap.
void passive_naive(Writer &w, const Links &all) {
  const Links links = others(w, all);
  w.lock_all(0);
  const int far = pack_and_put(w, links);
  copy_own(w, all);
  w.flush(far);
  w.unlock_all(0);
  w.barrier_of_messages();
  unpack_all(w, links);
}

/// On the node packing is the put; other nodes get a copy.
void notify(Writer &w, const Links &all) {
  const Links links = others(w, all);
  for (const Link &link : links) {
    w.pack(link.bytes);
    w.notified_put(link.peer, link.bytes, w.machine().pack_us(link.bytes));
  }
  copy_own(w, all);
  w.script().take(kData, static_cast<int>(links.size()));
}

/// On the node the reader copies `share` of a neighbour's cells, between the words ready and read; to other nodes as notify.
void read_near(Writer &w, const Links &all, double share) {
  const Links links = others(w, all);
  for (const Link &link : links)
    if (w.near(link.peer)) w.store(link.peer, kData, share * w.machine().copy_us(link.bytes));
  for (const Link &link : links) {
    if (w.near(link.peer)) continue;
    w.pack(link.bytes);
    w.notified_put(link.peer, link.bytes, w.machine().pack_us(link.bytes));
  }
  copy_own(w, all);
  w.script().take(kData, static_cast<int>(links.size()));
  int readers = 0;
  for (const Link &link : links) {
    if (!w.near(link.peer)) continue;
    w.store(link.peer, kRead);
    readers += 1;
  }
  w.script().wait(kRead, readers);
}

void direct(Writer &w, const Links &links) { read_near(w, links, 1); }
void view(Writer &w, const Links &links) { read_near(w, links, 0); }

void write_before(Writer &w, const Between &before) {
  w.script().work(before.compute_us);
  w.script().noise(before.noise_us);
  if (before.barrier) w.barrier(kBarrierBefore);
}

}  // namespace

const std::vector<SwapMode> &swap_modes() {
  static const std::vector<SwapMode> modes{{"p2p", p2p},
                                           {"neighbor", neighbor},
                                           {"fence", fence},
                                           {"pscw", pscw},
                                           {"passive", passive},
                                           {"passive_naive", passive_naive},
                                           {"notify", notify},
                                           {"direct", direct},
                                           {"view", view},
                                           // Of the papers, not of the library.
                                           {"p2p_waitall", p2p_waitall},
                                           {"fence_neighbours", fence_neighbours},
                                           {"naive_neighbours", naive_neighbours},
                                           {"pscw_late", pscw_late},
                                           {"pscw_software", pscw_software},
                                           {"fence_software", fence_software}};
  return modes;
}

std::vector<std::string> swap_mode_names() {
  std::vector<std::string> names;
  for (const SwapMode &mode : swap_modes()) names.push_back(mode.name);
  names.emplace_back("notify_node");
  return names;
}

bool waits_in_engine(const std::string &mode) { return mode == "notify" || mode == "direct" || mode == "view" || mode == "notify_node"; }

Job swap_job(const SwapProtocol &protocol, const Pattern &pattern, const Machine &machine, const Between &before) {
  Job job(static_cast<int>(pattern.size()));
  for (int rank = 0; rank < job.ranks(); ++rank) {
    Writer writer(job, machine, rank);
    write_before(writer, before);
    writer.script().begin();
    protocol(writer, pattern[static_cast<std::size_t>(rank)]);
    writer.script().end();
  }
  return job;
}

Job swap_job(const std::string &mode, const Pattern &pattern, const Machine &machine, const Between &before) {
  for (const SwapMode &one : swap_modes())
    if (one.name == mode) return swap_job(one.write, pattern, machine, before);
  if (mode != "notify_node") throw Refusal("unknown mode " + mode);
  NodeSwap nodes(pattern, machine);
  Job job = swap_job([&](Writer &w, const std::vector<Link> &links) { nodes.write(w, links); }, pattern, machine, before);
  job.groups = nodes.groups();
  return job;
}

}  // namespace simulate
