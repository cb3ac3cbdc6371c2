// Mode p2p: persistent sends and receives, taken in order of arrival. Small edges to one rank share a message, because a message costs as
// much as some thousand bytes. A round that moves less than whole edges sends plain messages of the size that it needs. A receive takes the
// message of any round, and its size is compared with that of the running one. Modes notify and direct use p2p for edges to other nodes where
// no network can be opened.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <climits>
#include <map>
#include <string>
#include <tuple>

#include "base/test_all.hpp"
#include "exchange/buffers.hpp"
#include "exchange/channel.hpp"
#include "exchange/mpi_bytes.hpp"

namespace halocline::core {
namespace {

/// Edges to one rank share messages. MPIs send short messages eagerly, and long ones by a rendezvous, which costs as much as some thousand
/// bytes. So where an edge is long anyway, the others share its message. Where none is, messages stay short.
constexpr std::int64_t kLongEdge = 8000, kShortMessage = 4000;
/// Longer messages gain nothing by sharing, and the first could be under way while the next is packed.
constexpr std::int64_t kLongMessage = std::int64_t{256} << 10;

/// The edges of one message, in the order of the receiver's edges, which both ends know.
struct Message {
  int rank = 0, tag = 0;  // the tag is the receiver's first edge
  std::vector<int> edges;
  std::int64_t planned = 0;  // bytes of a whole round
  std::int64_t begin = 0;  // in the buffer
  std::int64_t room = 0;  // bytes in the buffer: the most of any round
  std::int64_t bytes = 0;  // of the running round
  bool whole = true;  // the running round moves every edge as planned
  int to_pack = 0;  // edges that the running round has still to pack
  MPI_Request persistent = MPI_REQUEST_NULL;
};

class P2pChannel final : public Channel {
 public:
  using Channel::Channel;

  ~P2pChannel() override {
    free_all(receives_);
    free_all(sends_);
  }

  Status create() override {
    return prepare([this] { return create_alone(); });
  }

  void parts_changed() override {
    for (Message &message : receives_) place_parts(message, &Part::in, &Edge::in);
    for (Message &message : sends_) place_parts(message, &Part::out, &Edge::out);
  }

  Status open() override {
    for (std::size_t i = 0; i < sends_.size(); ++i) {
      sending_[i] = MPI_REQUEST_NULL;
      sends_[i].to_pack = 0;
      for (const int e : sends_[i].edges) sends_[i].to_pack += part(e).out > 0 ? 1 : 0;
    }
    for (std::size_t i = 0; i < receives_.size(); ++i) {
      receiving_[i] = MPI_REQUEST_NULL;
      if (receives_[i].bytes == 0) continue;
      receiving_[i] = receives_[i].persistent;
      HLC_TRY(check_mpi(MPI_Start(&receiving_[i]), "MPI_Start"));
    }
    return Status::ok;
  }

  Status place(int e, void **buffer) override {
    *buffer = outgoing_.base() + place_out_[static_cast<std::size_t>(e)];
    return Status::ok;
  }

  /// Sends the message with the last of its edges.
  Status send(int e) override {
    const auto i = static_cast<std::size_t>(message_of_[static_cast<std::size_t>(e)]);
    Message &message = sends_[i];
    message.to_pack -= 1;
    if (message.to_pack > 0) return Status::ok;
    if (message.whole) {
      sending_[i] = message.persistent;
      return check_mpi(MPI_Start(&sending_[i]), "MPI_Start");
    }
    ByteCount bytes;
    HLC_TRY(ByteCount::create(message.bytes, bytes));
    return check_mpi(
        MPI_Isend(outgoing_.base() + message.begin, bytes.count(), bytes.type(), message.rank, message.tag, plan_.comm, &sending_[i]),
        "MPI_Isend");
  }

  Status poll_several(Edges *received) override {
    int index = MPI_UNDEFINED, flag = 0;
    MPI_Status status;
    const int code = MPI_Testany(static_cast<int>(receiving_.size()), receiving_.data(), &index, &flag, &status);
    const bool named = (flag || code != MPI_SUCCESS) && index >= 0;
    *received = named ? Edges(active_[static_cast<std::size_t>(index)]) : Edges();
    HLC_TRY(check_mpi(code, "MPI_Testany"));
    if (!named) return Status::again;
    // A persistent request stays valid; it must not be found a second time.
    receiving_[static_cast<std::size_t>(index)] = MPI_REQUEST_NULL;
    return check_size(receives_[static_cast<std::size_t>(index)], status);
  }

  const void *arrived(int e) const override { return incoming_.base() + place_in_[static_cast<std::size_t>(e)]; }
  Status release(int) override { return Status::ok; }

  Status close(int *rank) override {
    int done = 0;
    HLC_TRY(test_all(static_cast<int>(sending_.size()), sending_.data(), &done));
    if (done) return Status::ok;
    *rank = edge(edges_.front()).rank;
    return Status::again;
  }

  std::int64_t memory_bytes() const override { return incoming_.bytes() + outgoing_.bytes(); }

 private:
  Status create_alone() {
    const std::size_t n = plan_.edges.size();
    place_in_.assign(n, -1);
    place_out_.assign(n, -1);
    message_of_.assign(n, -1);
    receives_ = share_messages([this](int e) { return std::pair(e, edge(e).in); });
    sends_ = share_messages([this](int e) { return std::pair(edge(e).peer_edge, edge(e).out); });
    for (std::size_t i = 0; i < sends_.size(); ++i)
      for (const int e : sends_[i].edges) message_of_[static_cast<std::size_t>(e)] = static_cast<int>(i);
    HLC_TRY(incoming_.create(plan_.topology->rank(), lay_out_messages(receives_, &Edge::space_in)));
    HLC_TRY(outgoing_.create(plan_.topology->rank(), lay_out_messages(sends_, &Edge::space_out)));
    receiving_.assign(receives_.size(), MPI_REQUEST_NULL);
    sending_.assign(sends_.size(), MPI_REQUEST_NULL);
    active_.resize(receives_.size());
    for (std::size_t i = 0; i < receives_.size(); ++i) active_[i].reserve(receives_[i].edges.size());
    return create_requests();
  }

  /// Distributes the edges over messages, by rank and in the order of the receiver's edges. look(edge): the receiver's index and the bytes.
  template <class Look>
  std::vector<Message> share_messages(Look look) const {
    std::map<std::pair<int, int>, int> sorted;  // (rank, receiver's edge) -> my edge
    std::map<int, std::int64_t> most;  // bytes of a message to a rank
    for (const int e : edges_) {
      sorted[{edge(e).rank, look(e).first}] = e;
      std::int64_t &bytes = most[edge(e).rank];
      bytes = std::max({bytes, kShortMessage, look(e).second > kLongEdge ? kLongMessage : 0});
    }
    std::vector<Message> messages;
    for (const auto &[key, e] : sorted) {
      const std::int64_t bytes = look(e).second;
      const bool fits = !messages.empty() && messages.back().rank == key.first && messages.back().planned + bytes <= most[key.first];
      if (!fits) {
        messages.emplace_back();
        std::tie(messages.back().rank, messages.back().tag) = key;
      }
      messages.back().edges.push_back(e);
      messages.back().planned += bytes;
    }
    return messages;
  }

  /// Room for each message of any round.
  ChunkLayout lay_out_messages(std::vector<Message> &messages, std::int64_t Edge::*space) const {
    ChunkLayout layout;
    layout.offset.assign(plan_.edges.size(), -1);
    for (Message &message : messages) {
      message.begin = layout.bytes;
      for (const int e : message.edges) layout.bytes += round_up(edge(e).*space, kChunkAlignment);
      message.room = layout.bytes - message.begin;
    }
    return layout;
  }

  /// Places the parts of a round in a message: one behind the other, each on a boundary of a cache line.
  void place_parts(Message &message, std::int64_t Part::*size, std::int64_t Edge::*planned) {
    const bool in = size == &Part::in;
    std::vector<std::int64_t> &places = in ? place_in_ : place_out_;
    std::int64_t place = message.begin;
    message.whole = true;
    message.bytes = 0;
    if (in) active_of(message).clear();
    for (const int e : message.edges) {
      const std::int64_t bytes = part(e).*size;
      message.whole = message.whole && bytes == edge(e).*planned;
      if (bytes == 0) continue;
      places[static_cast<std::size_t>(e)] = place;
      message.bytes = place + bytes - message.begin;
      place += round_up(bytes, kChunkAlignment);
      if (in) active_of(message).push_back(e);
    }
  }
  std::vector<int> &active_of(const Message &message) { return active_[static_cast<std::size_t>(&message - receives_.data())]; }

  /// Called while the parts are still those of a whole round. A receive has room for any round: MPICH ends the program where a message is
  /// longer than its receive, as MPI_Testany calls the error handler of MPI_COMM_SELF.
  Status create_requests() {
    parts_changed();
    for (Message &message : receives_) {
      ByteCount bytes;
      HLC_TRY(ByteCount::create(message.room, bytes));
      HLC_TRY(check_mpi(MPI_Recv_init(incoming_.base() + message.begin, bytes.count(), bytes.type(), message.rank, message.tag, plan_.comm,
                                      &message.persistent),
                        "MPI_Recv_init"));
    }
    for (Message &message : sends_) {
      ByteCount bytes;
      HLC_TRY(ByteCount::create(message.bytes, bytes));
      HLC_TRY(check_mpi(MPI_Send_init(outgoing_.base() + message.begin, bytes.count(), bytes.type(), message.rank, message.tag, plan_.comm,
                                      &message.persistent),
                        "MPI_Send_init"));
    }
    return Status::ok;
  }

  /// A peer that swaps other fields, or another depth, sends a message of another size. MPI_Get_count knows none beyond that of an int.
  Status check_size(const Message &message, const MPI_Status &status) const {
    int count = 0;
    HLC_TRY(check_mpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count"));
    if (count == message.bytes || (count == MPI_UNDEFINED && message.bytes > INT_MAX)) return Status::ok;
    const std::string size = count == MPI_UNDEFINED ? "more than " + std::to_string(INT_MAX) : std::to_string(count);
    return fail(Status::mismatch,
                "a swap of %s: rank %d has received %s bytes from %s but awaits %lld: all ranks must start the same swaps, of the same "
                "fields, depth and direction (HALOCLINE_CHECK=1 says what each has started)",
                plan_.text().c_str(), plan_.topology->rank(), size.c_str(), plan_.name_of(message.rank).c_str(),
                static_cast<long long>(message.bytes));
  }

  static void free_all(std::vector<Message> &messages) {
    for (Message &message : messages)
      if (message.persistent != MPI_REQUEST_NULL) MPI_Request_free(&message.persistent);
  }

  ChunkBuffer incoming_, outgoing_;
  std::vector<Message> receives_, sends_;
  std::vector<std::vector<int>> active_;  // per message received: the edges of the running round
  std::vector<int> message_of_;  // edge -> message sent
  std::vector<std::int64_t> place_in_, place_out_;  // edge -> place in the buffer, of the running round
  std::vector<MPI_Request> receiving_, sending_;  // of the running round
};

}  // namespace

std::unique_ptr<Channel> make_p2p(Plan &plan, std::vector<int> edges) { return std::make_unique<P2pChannel>(plan, std::move(edges)); }

}  // namespace halocline::core
