// The shared memory of links, and their exchanges in order.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/collective/links.hpp"

#include <algorithm>
#include <new>

#include "base/clock.hpp"
#include "faces/mpi/interpose/error_text.hpp"
#include "faces/mpi/interpose/fallback_report.hpp"
#include "faces/mpi/window/window.hpp"

namespace halocline::core::mpi {
namespace {

template <class Words>
Words *words_at(char *part, std::int64_t offset) {
  return reinterpret_cast<Words *>(part + offset);
}

/// The words of the edge between this rank and the part's owner; null if the owner has no such edge.
template <class Words>
Words *find_edge(Words *first, std::int64_t count, int rank, int key) {
  Words *const found = std::find_if(first, first + count, [&](const Words &words) { return words.rank == rank && words.key == key; });
  return found == first + count ? nullptr : found;
}

Status no_such_edge(int here, const char *what, int there) {
  return fail(Status::mismatch, "rank %d %s rank %d in the topology, and rank %d knows nothing of that", here, what, there, there);
}

constexpr int kKeys = 64;  // tags of links, of which the last one is for leaving

int most_tags() {
  void *most = nullptr;
  int has = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &has);
  return has ? *static_cast<int *>(most) : 32767;
}

/// Numbers of which those at both ends of an edge add up to 0.
std::uint64_t mixed(int from, int to, int key) {
  std::uint64_t value = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32) + static_cast<std::uint32_t>(to);
  value += (static_cast<std::uint64_t>(key) + 1) * 0x9e3779b97f4a7c15;
  for (const int shift : {30, 27, 31}) value = (value ^ (value >> shift)) * 0xbf58476d1ce4e5b9;
  return value;
}
std::uint64_t sum_of_edges(const Pattern &pattern, int me) {
  std::uint64_t sum = 0;
  for (const EdgeEnd &edge : pattern.out)
    if (edge.rank != MPI_PROC_NULL) sum += mixed(me, edge.rank, edge.key);
  for (const EdgeEnd &edge : pattern.in)
    if (edge.rank != MPI_PROC_NULL) sum -= mixed(edge.rank, me, edge.key);
  return sum;
}

bool has_many_keys(const Pattern &pattern) {
  const auto is_high = [](const EdgeEnd &edge) { return edge.key >= kKeys - 1; };
  return std::any_of(pattern.out.begin(), pattern.out.end(), is_high) || std::any_of(pattern.in.begin(), pattern.in.end(), is_high);
}

/// Whether both ends are on this node.
bool is_near(const EdgeEnd &edge, const CommContext &comm) { return edge.rank != MPI_PROC_NULL && comm.is_near(edge.rank); }
std::int64_t count_near(const std::vector<EdgeEnd> &edges, const CommContext &comm) {
  return std::count_if(edges.begin(), edges.end(), [&](const EdgeEnd &edge) { return is_near(edge, comm); });
}

/// Removes the edges for which `work` is true.
template <class Work>
bool do_some(std::vector<int> &edges, Work work) {
  const std::size_t before = edges.size();
  edges.erase(std::remove_if(edges.begin(), edges.end(), work), edges.end());
  return edges.size() != before;
}

/// Nothing of the host arrives in the program's memory any more. MPI ends what is cancelled without other ranks; the limit is for one that
/// does not.
void cancel_receives(Exchange &exchange) {
  constexpr std::int64_t kMost_ns = 1'000'000'000;
  const std::int64_t begin = now_ns();
  for (MPI_Request &request : exchange.host_receives)
    if (request != MPI_REQUEST_NULL) PMPI_Cancel(&request);
  for (MPI_Request &request : exchange.host_receives) {
    int done = 0;
    do
      if (PMPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) done = 1;
    while (!done && now_ns() - begin < kMost_ns);
  }
  exchange.host_receives.clear();
}

}  // namespace

PartForm::PartForm(const Pattern &pattern, const CommContext &comm) : in(count_near(pattern.in, comm)), out(count_near(pattern.out, comm)) {
  in_words = static_cast<std::int64_t>(kLinePair);
  out_words = in_words + in * static_cast<std::int64_t>(sizeof(InWords));
  rings = round_up(out_words + out * static_cast<std::int64_t>(sizeof(OutWords)), static_cast<std::int64_t>(kLinePair));
  bytes = rings;
  for (const EdgeEnd &edge : pattern.out)
    if (is_near(edge, comm)) bytes += static_cast<std::int64_t>(kSlots) * slot_distance(edge.slot_bytes);
}

/// Tests sends of the host; those that are not over are freed.
static bool are_sent(std::vector<MPI_Request> &requests) {
  bool all = true;
  for (MPI_Request &request : requests) {
    int done = 0;
    if (PMPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done) continue;
    all = false;
    if (request != MPI_REQUEST_NULL) PMPI_Request_free(&request);
  }
  return all;
}

Links::~Links() {
  if (is_listed_) unlist_links(this);
  if (!notices_ || !has_world() || are_sent(notices_->requests)) return;
  [[maybe_unused]] const Notices *const read_by_host = notices_.release();  // the host may still do so
}

LinksMeeting Links::offer(const Pattern &pattern, const MeetingForLinks &meeting) {
  LinksMeeting say;
  say.edges = sum_of_edges(pattern, meeting.rank());
  say.many_keys = has_many_keys(pattern) ? 1 : 0;
  if (const LinkContext *const known = meeting.known()) known->offer(PartForm(pattern, *known->comm).bytes, say);
  return say;
}

/// What is shared with other links. Collective.
Status Links::take_part(std::shared_ptr<LinkContext> context, const Pattern &pattern, const LinksMeeting &met) {
  context_ = std::move(context);
  comm_ = context_->comm;
  HLC_TRY(context_->take(PartForm(pattern, *comm_).bytes, met, &piece_));
  return open_host_comm(met);
}

/// Links have their own tags on a communicator of their context; those that find none have their own communicator. Collective, the same status on
/// all ranks.
Status Links::open_host_comm(const LinksMeeting &met) {
  const std::int64_t number = context_->next_number();
  if (!comm_->spans_nodes() && comm_->reads_others()) return Status::ok;
  if (met.many_keys == 0 && number < most_tags() / kKeys) {
    first_tag_ = static_cast<int>(number * kKeys);
    leaving_tag_ = tag_of(kKeys - 1);
    return context_->share_host_comm(&host_comm_);
  }
  leaving_tag_ = most_tags();
  return HostComm::make(comm_->context, &host_comm_);
}

void Links::list_edges(const Pattern &pattern) {
  const auto list = [&](const std::vector<EdgeEnd> &ends, auto &edges, std::vector<int> &near, std::vector<int> &far) {
    for (const EdgeEnd &end : ends) {
      auto &edge = edges.emplace_back();
      edge.rank = end.rank;
      edge.key = end.key;
      if (end.rank != MPI_PROC_NULL) (comm_->is_near(end.rank) ? near : far).push_back(static_cast<int>(edges.size()) - 1);
    }
  };
  list(pattern.out, out_, near_out_, far_out_);
  list(pattern.in, in_, near_in_, far_in_);
  members_.reserve(near_out_.size() + near_in_.size());
  const auto add_far = [&](int rank) {
    const auto is_it = [&](const FarPeer &peer) { return peer.rank == rank; };
    if (std::none_of(far_peers_.begin(), far_peers_.end(), is_it)) far_peers_.push_back({rank});
  };
  for (const int edge : far_out_) add_far(out_[static_cast<std::size_t>(edge)].rank);
  for (const int edge : far_in_) add_far(in_[static_cast<std::size_t>(edge)].rank);
  if (far_peers_.empty()) return;
  notices_ = std::make_unique<Notices>();
  notices_->requests.reserve(Notices::kMost * far_peers_.size());
}

/// Other links may have used this memory: no slot has a message now.
void Links::lay_out(const Pattern &pattern) {
  const PartForm form(pattern, *comm_);
  char *const part = piece_.part(comm_->context.member());
  head_ = new (part) PartHead;
  head_->out = form.out;
  head_->in = form.in;
  auto *in = words_at<InWords>(part, form.in_words);
  for (const EdgeEnd &edge : pattern.in)
    if (is_near(edge, *comm_)) new (in++) InWords{{}, {}, edge.rank, edge.key};
  auto *out = words_at<OutWords>(part, form.out_words);
  std::int64_t begin = form.rings;
  for (const EdgeEnd &edge : pattern.out) {
    if (!is_near(edge, *comm_)) continue;
    new (out++) OutWords{begin, edge.slot_bytes, edge.rank, edge.key};
    const Ring ring{part + begin, edge.slot_bytes};
    for (std::uint64_t slot = 0; slot < kSlots; ++slot) new (&ring.slot(slot)) SlotHead{};
    begin += static_cast<std::int64_t>(kSlots) * slot_distance(edge.slot_bytes);
  }
}

/// The same status on all ranks, by the sum over all edges, or because they agree.
Status Links::connect(const LinksMeeting &met) {
  const Status connected = connect_near();
  if (met.edges == 0) return connected;
  HLC_TRY(agree(comm_->context, comm_->context.comm(), connected));
  return fail(Status::mismatch,
              "an edge between two nodes has one end: a rank sends to or receives from a rank that knows nothing of that");
}

/// Finds both ends of each edge to a rank of this node. Allocates nothing.
Status Links::connect_near() {
  const int me = comm_->context.rank();
  const auto in_words = static_cast<std::int64_t>(kLinePair);
  const auto part_of = [&](int rank) { return piece_.part(comm_->member_of(rank)); };
  const auto in_of = [&](int rank) { return words_at<InWords>(part_of(rank), in_words); };
  const auto out_of = [&](int rank) {
    const PartHead &head = *words_at<PartHead>(part_of(rank), 0);
    return words_at<OutWords>(part_of(rank), in_words + head.in * static_cast<std::int64_t>(sizeof(InWords)));
  };
  const auto peer_of = [&](int rank) {
    return Peer{words_at<PartHead>(part_of(rank), 0), comm_->context.doorbell().process_of(comm_->member_of(rank)), 0};
  };
  for (const int i : near_out_) {
    OutEdge &edge = out_[static_cast<std::size_t>(i)];
    const InWords *const theirs = find_edge(in_of(edge.rank), words_at<PartHead>(part_of(edge.rank), 0)->in, me, edge.key);
    const OutWords *const mine = find_edge(out_of(me), words_at<PartHead>(part_of(me), 0)->out, edge.rank, edge.key);
    if (!theirs || !mine) return no_such_edge(me, "sends to", edge.rank);
    edge.read = &theirs->read;
    if (edge.rank != me) edge.destination = &theirs->destination;
    edge.ring = {part_of(me) + mine->ring, mine->slot_bytes};
    edge.peer = peer_of(edge.rank);
    members_.push_back(comm_->member_of(edge.rank));
  }
  for (const int i : near_in_) {
    InEdge &edge = in_[static_cast<std::size_t>(i)];
    InWords *const mine = find_edge(in_of(me), words_at<PartHead>(part_of(me), 0)->in, edge.rank, edge.key);
    const OutWords *const theirs = find_edge(out_of(edge.rank), words_at<PartHead>(part_of(edge.rank), 0)->out, me, edge.key);
    if (!theirs || !mine) return no_such_edge(me, "receives from", edge.rank);
    edge.read = &mine->read;
    edge.destination = &mine->destination;
    edge.ring = {part_of(edge.rank) + theirs->ring, theirs->slot_bytes};
    edge.peer = peer_of(edge.rank);
    members_.push_back(comm_->member_of(edge.rank));
  }
  std::sort(members_.begin(), members_.end());
  members_.erase(std::unique(members_.begin(), members_.end()), members_.end());
  members_.erase(std::remove(members_.begin(), members_.end(), comm_->context.member()), members_.end());
  return Status::ok;
}

Exchange &Links::take() {
  if (idle_.empty()) make_exchange();
  Exchange &taken = *idle_.back();
  idle_.pop_back();
  return taken;
}

void Links::make_exchange() {
  static_cast<void>(typed::layout_of(MPI_BYTE));  // the first one makes those of all predefined datatypes
  auto one = std::make_unique<Exchange>();
  one->out.resize(out_.size());
  one->in.resize(in_.size());
  one->unsent.reserve(near_out_.size());
  one->unreceived.reserve(near_in_.size());
  one->unread.reserve(near_out_.size());
  one->host_receives.reserve(in_.size());
  one->host_sends.reserve(out_.size());
  idle_.reserve(made_.size() + 1);
  active_.reserve(made_.size() + 1);
  made_.push_back(std::move(one));
  idle_.push_back(made_.back().get());
}

void Links::let_continue() {
  if (!is_listed_) list_links(this);
  is_listed_ = true;
}

int Links::start(Exchange &exchange) {
  if (head_->left_at.load(std::memory_order_relaxed) != 0)
    return refuse(MPI_ERR_OTHER, "this rank takes no part in these collectives any more, as an earlier one has failed");
  exchange.number = ++started_;
  exchange.code = MPI_SUCCESS;
  exchange.is_over.store(false, std::memory_order_relaxed);
  exchange.unsent = near_out_;
  exchange.unreceived = near_in_;
  exchange.unread.clear();
  exchange.host_receives.clear();
  exchange.host_sends.clear();
  active_.push_back(&exchange);
  offer_destinations(exchange);
  if (!far_in_.empty() || !far_out_.empty()) start_host(exchange);
  // A message of the host is missing then: later ones would be taken for it.
  if (exchange.code != MPI_SUCCESS) leave_at(exchange.number);
  progress();
  return MPI_SUCCESS;
}

void Links::progress_if_free(bool in_host) {
  if (!busy.try_lock()) return;
  progress(in_host);
  busy.unlock();
}

/// Ranks that may wait for what has been done here are woken, if they sleep.
void Links::progress(bool in_host) {
  bool any = false;
  for (std::size_t i = 0; i < active_.size();) {
    Exchange &exchange = *active_[i];
    any |= advance(exchange, in_host);
    const bool is_near_over = exchange.unsent.empty() && exchange.unreceived.empty() && exchange.unread.empty();
    const bool has_host = !exchange.host_receives.empty() || !exchange.host_sends.empty();
    if (is_near_over && (!has_host || (!in_host && is_host_over(exchange))))
      active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i)), end(exchange);
    else
      ++i;
  }
  if (any) comm_->context.doorbell().ring_all(members_);
}

/// The others are awaited if one has failed: the host may still move them.
bool Links::is_host_over(Exchange &exchange) {
  for (std::vector<MPI_Request> *requests : {&exchange.host_receives, &exchange.host_sends})
    for (; !requests->empty(); requests->pop_back()) {
      int done = 0;
      const int code = PMPI_Test(&requests->back(), &done, MPI_STATUS_IGNORE);
      exchange.note(code);
      if (code == MPI_SUCCESS && !done) return false;
    }
  return true;
}

void Links::end(Exchange &exchange) {
  constexpr std::size_t kKept = 8;
  if (exchange.staged.size() > kKept) exchange.staged.clear();
  exchange.is_over.store(true, std::memory_order_release);
}

bool Links::advance(Exchange &exchange, bool in_host) {
  bool any = false;
  if (!exchange.unsent.empty()) any |= do_some(exchange.unsent, [&](int edge) { return send(exchange, edge, in_host); });
  // Before what others have sent here is read: both ends copy at the same time.
  if (!exchange.unread.empty()) any |= do_some(exchange.unread, [&](int edge) { return put_to_receiver(exchange, edge); });
  if (!exchange.unreceived.empty()) any |= do_some(exchange.unreceived, [&](int edge) { return receive(exchange, edge, in_host); });
  if (!exchange.unread.empty())
    do_some(exchange.unread, [&](int edge) {
      // SYNC read-before-reuse (pairs with Links::receive): the receiver no longer reads in this process's memory.
      return out_[static_cast<std::size_t>(edge)].read->value.load(std::memory_order_acquire) >= exchange.number;
    });
  return any;
}

/// False if an earlier exchange has not sent yet, or all slots are in use.
bool Links::send(Exchange &exchange, int number, bool in_host) {
  OutEdge &edge = out_[static_cast<std::size_t>(number)];
  if (edge.sent != exchange.number - 1) return false;
  // SYNC read-before-reuse (pairs with Links::receive): a slot is written again only once its message has been read.
  if (exchange.number - edge.read_known > kSlots) edge.read_known = edge.read->value.load(std::memory_order_acquire);
  if (exchange.number - edge.read_known > kSlots) return false;
  const Block &block = exchange.out[static_cast<std::size_t>(number)];
  SlotHead &slot = edge.ring.slot(exchange.number);
  slot.bytes = block.bytes();
  slot.route = route_of(block, edge);
  slot.mover.store(Mover::none, std::memory_order_relaxed);
  if (slot.route == Route::by_host) {
    if (in_host) return false;
    if (const int code = send_by_host(exchange, block, edge)) exchange.note(code), leave_at(exchange.number);
  } else {
    if (block.is_on_device && in_host) return false;
    pack(exchange, block, edge, slot);
  }
  if (slot.route == Route::in_memory) exchange.unread.push_back(number);
  // SYNC block-before-number (pairs with Links::receive): the message is there, or may be read where it is.
  slot.number.store(exchange.number, std::memory_order_release);
  edge.sent = exchange.number;
  return true;
}

/// A rank copies what it sends to itself once.
Route Links::route_of(const Block &block, const OutEdge &edge) const {
  if (edge.rank == comm_->context.rank() && block.layout->contiguous() && !block.is_on_device) return Route::in_memory;
  if (block.bytes() <= edge.ring.slot_bytes) return Route::in_slot;
  return comm_->reads_others() ? Route::in_memory : Route::by_host;
}

/// What the receiver reads in this process's memory is one run of bytes: packed here, if it is not.
void Links::pack(Exchange &exchange, const Block &block, const OutEdge &edge, SlotHead &slot) {
  const bool is_readable = slot.route == Route::in_memory && block.layout->contiguous() && !block.is_on_device;
  char *const begin = slot.route == Route::in_slot ? Ring::bytes_of(slot)
                      : is_readable                ? static_cast<char *>(block.address)
                                                   : stage(exchange, block, slot.bytes);
  slot.address = reinterpret_cast<std::uint64_t>(begin);
  if (is_readable) return;
  if (!begin) {
    exchange.note(
        refuse(MPI_ERR_NO_MEM, "this rank has no memory to pack %lld bytes for rank %d", static_cast<long long>(slot.bytes), edge.rank));
    slot.route = Route::lost;
    return;
  }
  if (const int code = copy_from(block, begin)) exchange.note(code), slot.route = Route::lost;
}

/// Memory of this exchange for a packed block; null if there is none.
char *Links::stage(Exchange &exchange, const Block &block, std::int64_t bytes) {
  const auto place = static_cast<std::size_t>(&block - exchange.out.data());
  try {
    if (exchange.staged.size() <= place) exchange.staged.resize(exchange.out.size());
    exchange.staged[place].resize(static_cast<std::size_t>(bytes));
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
  return exchange.staged[place].data();
}

/// False if the message is not there yet, or an earlier exchange has not received its own.
bool Links::receive(Exchange &exchange, int number, bool in_host) {
  InEdge &edge = in_[static_cast<std::size_t>(number)];
  if (edge.received != exchange.number - 1) return false;
  SlotHead &slot = edge.ring.slot(exchange.number);
  // SYNC block-before-number (pairs with Links::send)
  if (slot.number.load(std::memory_order_acquire) != exchange.number) return false;
  const bool calls_mpi = slot.route == Route::by_host || exchange.in[static_cast<std::size_t>(number)].is_on_device;
  if (calls_mpi && in_host) return false;
  Mover mover = Mover::none;
  // SYNC put-before-done (pairs with Links::put_to_receiver)
  if (slot.route == Route::in_memory && !slot.mover.compare_exchange_strong(mover, Mover::receiver, std::memory_order_acquire) &&
      mover == Mover::sender)
    return false;
  if (mover == Mover::none) exchange.note(unpack(exchange, exchange.in[static_cast<std::size_t>(number)], edge, slot));
  // SYNC withdrawn-before-reuse (pairs with Links::withdraw_messages): what has been copied is the message, unless it is withdrawn by now.
  std::atomic_thread_fence(std::memory_order_acquire);
  if (slot.route == Route::in_memory && slot.mover.load(std::memory_order_relaxed) == Mover::withdrawn)
    exchange.note(refuse(MPI_ERR_OTHER, "rank %d has abandoned the collective before its block was read, and says why", edge.rank));
  edge.received = exchange.number;
  // SYNC read-before-reuse (pairs with Links::send)
  edge.read->value.store(exchange.number, std::memory_order_release);
  return true;
}

/// A message that is too long is read as far as there is room.
int Links::unpack(Exchange &exchange, const Block &block, InEdge &edge, SlotHead &slot) {
  if (slot.route == Route::lost) return refuse(MPI_ERR_OTHER, "rank %d could not pack its block for this rank", edge.rank);
  const bool fits = slot.bytes <= block.bytes();
  const int truncated = fits ? MPI_SUCCESS
                             : refuse(MPI_ERR_TRUNCATE, "rank %d sends %lld bytes, and the block for them has %lld", edge.rank,
                                      static_cast<long long>(slot.bytes), static_cast<long long>(block.bytes()));
  int code = MPI_SUCCESS;
  if (slot.route == Route::in_slot) {
    code = copy_to(block, Ring::bytes_of(slot), std::min(slot.bytes, block.bytes()));
  } else if (slot.route == Route::in_memory) {
    code = read_memory(block, edge, slot);
  } else {
    code = receive_by_host(exchange, block, edge);
    if (code != MPI_SUCCESS) leave_at(exchange.number);
  }
  return code == MPI_SUCCESS ? truncated : code;
}

/// Its program may write its memory anew: a receiver that has not read a message there gets an error in place of what it finds.
void Links::withdraw_messages(const Exchange &exchange) {
  for (const int number : exchange.unread) {
    SlotHead &slot = out_[static_cast<std::size_t>(number)].ring.slot(exchange.number);
    // Where the receiver has read it a later message may be there.
    if (slot.number.load(std::memory_order_relaxed) == exchange.number) slot.mover.store(Mover::withdrawn, std::memory_order_relaxed);
  }
  // SYNC withdrawn-before-reuse (pairs with Links::receive): a receiver that finds other contents finds them withdrawn.
  std::atomic_thread_fence(std::memory_order_release);
}

void Links::leave_at(std::uint64_t number) {
  const std::uint64_t before = head_->left_at.load(std::memory_order_relaxed);
  if (before != 0 && before <= number) return;
  // SYNC sent-before-left (pairs with Links::find_left): what this rank has sent before that is there.
  head_->left_at.store(number, std::memory_order_release);
  comm_->context.doorbell().ring_all(members_);
  if (host_comm_) host_comm_->is_left = true;
  if (!notices_ || notices_->count == Notices::kMost) return;
  std::uint64_t &sent = notices_->left_at[notices_->count++];
  sent = number;
  for (const FarPeer &peer : far_peers_)
    PMPI_Isend(&sent, 1, MPI_UINT64_T, peer.rank, leaving_tag_, host_comm_->comm, &notices_->requests.emplace_back(MPI_REQUEST_NULL));
}

/// A rank for which this exchange waits in vain; -1 if there is none.
int Links::find_left(const Exchange &exchange) {
  const auto has_left = [&](const auto &edge) {
    // SYNC sent-before-left (pairs with Links::leave_at)
    const std::uint64_t left_at = edge.peer.part->left_at.load(std::memory_order_acquire);
    return left_at != 0 && left_at <= exchange.number;
  };
  for (const int number : exchange.unreceived)
    if (const InEdge &edge = in_[static_cast<std::size_t>(number)]; has_left(edge)) return edge.rank;
  for (const std::vector<int> *edges : {&exchange.unsent, &exchange.unread})
    for (const int number : *edges)
      if (const OutEdge &edge = out_[static_cast<std::size_t>(number)]; has_left(edge)) return edge.rank;
  return find_left_far(exchange);
}

int Links::find_left_far(const Exchange &exchange) {
  for (FarPeer &peer : far_peers_) {
    int has_left = 0;
    // A later notice has a lower number.
    while (PMPI_Iprobe(peer.rank, leaving_tag_, host_comm_->comm, &has_left, MPI_STATUS_IGNORE) == MPI_SUCCESS && has_left)
      PMPI_Recv(&peer.left_at, 1, MPI_UINT64_T, peer.rank, leaving_tag_, host_comm_->comm, MPI_STATUS_IGNORE);
    if (peer.left_at != 0 && peer.left_at <= exchange.number) return peer.rank;
  }
  return -1;
}

Status Links::look_for_failure(const Exchange &exchange) {
  HLC_TRY(comm_->look_for_dead());
  const std::lock_guard lock(busy);
  if (exchange.is_over.load(std::memory_order_relaxed)) return Status::ok;
  const int left = find_left(exchange);
  if (left < 0) return Status::ok;
  return fail(Status::state, "rank %d, a neighbour, has abandoned one of these collectives, and says why", left);
}

/// The program may free its buffers: no block is moved any more, of this exchange and all others that are under way. Later ones would not match those
/// of other ranks, and are refused.
void Links::abandon(Exchange &exchange, int code) {
  const std::lock_guard lock(busy);
  if (exchange.is_over.load(std::memory_order_relaxed)) return;
  // SYNC sent-before-left (pairs with Links::leave_at): what has been sent before that is received.
  progress();
  if (exchange.is_over.load(std::memory_order_relaxed)) return;
  std::uint64_t first = exchange.number;
  for (const Exchange *one : active_) first = std::min(first, one->number);
  for (Exchange *one : active_) {
    withdraw_destinations(*one);
    withdraw_messages(*one);
    cancel_receives(*one);
    one->note(code);
  }
  leave_at(first);
  for (Exchange *one : active_) end(*one);
  active_.clear();
}

int Links::await(Exchange &exchange) {
  if (!exchange.is_over.load(std::memory_order_acquire)) {
    constexpr unsigned kLooksPerDrive = 128;
    unsigned looks = 0;
    const auto look = [&] {
      progress_if_free(false);
      if (exchange.is_over.load(std::memory_order_acquire)) return Status::ok;
      progress_all_links(false);
      if (++looks % kLooksPerDrive == 0) comm_->context.drive_progress();
      return Status::again;
    };
    Wait wait(comm_->context, comm_->spans_nodes() ? WakeUp::by_polling : WakeUp::by_doorbell);
    if (const Status waited = wait_until(wait, look, [&] { return look_for_failure(exchange); }); failed(waited))
      abandon(exchange, code_of(waited));
  }
  return exchange.code;
}

void Links::look_after(Exchange &exchange) {
  constexpr unsigned kTestsPerLook = 64;
  constexpr std::int64_t kLookEvery_ns = 10'000'000;
  if (++exchange.tests % kTestsPerLook != 0) return;
  const std::int64_t now = now_ns();
  if (now - exchange.looked_ns < kLookEvery_ns) return;
  exchange.looked_ns = now;
  if (const Status found = look_for_failure(exchange); failed(found)) abandon(exchange, code_of(found));
}

}  // namespace halocline::core::mpi
