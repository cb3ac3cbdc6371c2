// The edges of a pattern, over which the ranks of a communicator exchange blocks: each exchange moves one message over each edge. On a node a
// message is packed into a slot of shared memory, or the receiver reads it in the sender's memory; to another node it is one of the host's. An
// exchange needs no agreement: each message itself says by which route it arrives (docs/design/054-neighbor-collectives.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/communicator/collective.hpp"
#include "faces/mpi/collective/busy.hpp"
#include "faces/mpi/collective/kept_arguments.hpp"
#include "faces/mpi/collective/link_context.hpp"
#include "faces/mpi/collective/link_progress.hpp"
#include "faces/mpi/collective/slots.hpp"
#include "faces/mpi/datatype/typed_copy.hpp"
#include "faces/mpi/window/comm_context.hpp"

namespace halocline::core::mpi {

namespace typed = halocline::mpi;

/// Elements of a datatype that are one message.
struct Block {
  void *address = nullptr;
  const typed::Layout *layout = nullptr;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::int64_t count = 0;
  bool is_on_device = false;  // only a device can access it, and perhaps the host MPI

  typed::Buffer buffer() const { return {address, layout, count}; }
  std::int64_t bytes() const { return layout->bytes() * count; }
};

/// Copies the data of a block to consecutive bytes; bytes to a block. What is on a device is left to the host MPI, which may know of devices. An MPI
/// error code.
int copy_from(const Block &block, char *to);
int copy_to(const Block &block, const char *from, std::int64_t bytes);

/// One exchange: its blocks, in the order of the edges, and what is still to be done. Used again and again. All but `staged` has its memory from
/// the begin, so that messages of others are moved even if this rank is out of memory.
struct Exchange {
  std::vector<Block> out, in;
  std::vector<std::shared_ptr<const typed::Layout>> kept;  // of datatypes that the program may free before the exchange is over
  KeptTypes types;  // copies of such datatypes, for the host

  std::uint64_t number = 0;
  std::vector<int> unsent, unreceived, unread;  // edges; unread: the receiver still reads in this process's memory
  std::vector<MPI_Request> host_receives, host_sends;
  std::vector<std::vector<char>> staged;  // packed blocks that are read here
  unsigned tests = 0;  // that have found it under way
  std::int64_t looked_ns = 0;  // when they last looked for a failure
  int code = MPI_SUCCESS;  // of the first error
  std::atomic<bool> is_over{true};

  void note(int its_code) { code = code == MPI_SUCCESS ? its_code : code; }
};

class Links final : public DrivenLinks {
 public:
  Links() = default;
  Links(const Links &) = delete;
  Links &operator=(const Links &) = delete;
  ~Links() override;

  /// What this rank says in the meeting before `open`. Allocates nothing.
  static LinksMeeting offer(const Pattern &pattern, const MeetingForLinks &meeting);
  /// Collective after that meeting, with its context; the same status on all ranks: fails if an edge has one end. `also` is what this rank does
  /// alone before the ranks agree, when the edges are known.
  template <class Also>
  Status open(std::shared_ptr<LinkContext> context, const Pattern &pattern, const LinksMeeting &met, Also also);

  CommContext &comm() { return *comm_; }
  /// MPI_SUCCESS, or what is wrong with the addresses of an exchange's blocks.
  int check(const Exchange &exchange) const;
  bool spans_nodes() const { return !far_out_.empty() || !far_in_.empty(); }

  /// Under `busy`: an exchange, and its return.
  Exchange &take();
  void give_back(Exchange &exchange) { idle_.push_back(&exchange); }
  /// Under `busy`: from now on exchanges may continue outside the calls that begin them.
  void let_continue();

  /// Under `busy`: begins an exchange whose blocks are set. All ranks begin theirs in the same order. Allocates nothing. MPI_SUCCESS, or an error of
  /// links that this rank has left.
  int start(Exchange &exchange);
  /// Under `busy`: this rank does not begin the next exchange, and none after it, as it cannot. Its neighbours get errors in theirs.
  void leave() { leave_at(started_ + 1); }
  /// Under `busy`: what can be done now, of all exchanges in their order. in_host: called by the host's progress, in which MPI is not called.
  void progress(bool in_host = false);
  void progress_if_free(bool in_host) override;
  /// Waits until the exchange is over: it fails if a process has ended, or a neighbour has left these links. Its MPI error code.
  int await(Exchange &exchange);
  /// Part of unsuccessful tests: now and then looks for such a failure.
  void look_after(Exchange &exchange);

  Busy busy;

 private:
  /// A rank of this node.
  struct Peer {
    const PartHead *part = nullptr;
    pid_t process = 0;
    std::int64_t alive_ns = 0;  // when its process was last known to live
  };
  /// One of another node. It says by messages of the host when it leaves.
  struct FarPeer {
    int rank = MPI_PROC_NULL;
    std::uint64_t left_at = 0;  // as in PartHead
  };
  /// What other nodes learn when this rank leaves, and again when it leaves earlier exchanges, too.
  struct Notices {
    static constexpr std::size_t kMost = 4;
    std::array<std::uint64_t, kMost> left_at{};
    std::size_t count = 0;
    std::vector<MPI_Request> requests;
  };
  struct OutEdge {
    int rank = MPI_PROC_NULL, key = 0;
    Ring ring;
    const Counter *read = nullptr;
    const Destination *destination = nullptr;  // null if this process cannot put there
    std::uint64_t sent = 0, read_known = 0;
    Peer peer;
  };
  struct InEdge {
    int rank = MPI_PROC_NULL, key = 0;
    Ring ring;
    Counter *read = nullptr;
    Destination *destination = nullptr;
    std::uint64_t received = 0;
    Peer peer;
  };

  Status take_part(std::shared_ptr<LinkContext> context, const Pattern &pattern, const LinksMeeting &met);
  Status open_host_comm(const LinksMeeting &met);
  void list_edges(const Pattern &pattern);
  void lay_out(const Pattern &pattern);
  Status connect(const LinksMeeting &met);
  Status connect_near();
  void make_exchange();
  int tag_of(int key) const { return first_tag_ + key; }
  bool advance(Exchange &exchange, bool in_host);
  void offer_destinations(const Exchange &exchange);
  void withdraw_destinations(const Exchange &exchange);
  Route route_of(const Block &block, const OutEdge &edge) const;
  bool put_to_receiver(const Exchange &exchange, int edge);
  bool send(Exchange &exchange, int edge, bool in_host);
  void pack(Exchange &exchange, const Block &block, const OutEdge &edge, SlotHead &slot);
  bool receive(Exchange &exchange, int edge, bool in_host);
  int unpack(Exchange &exchange, const Block &block, InEdge &edge, SlotHead &slot);
  char *stage(Exchange &exchange, const Block &block, std::int64_t bytes);
  int read_memory(const Block &block, InEdge &edge, const SlotHead &slot);
  bool is_alive(int rank, Peer &peer) const;
  void start_host(Exchange &exchange);
  int receive_by_host(Exchange &exchange, const Block &block, const InEdge &edge);
  int send_by_host(Exchange &exchange, const Block &block, const OutEdge &edge);
  static bool is_host_over(Exchange &exchange);
  static void end(Exchange &exchange);
  void withdraw_messages(const Exchange &exchange);
  void leave_at(std::uint64_t number);
  int find_left(const Exchange &exchange);
  int find_left_far(const Exchange &exchange);
  Status look_for_failure(const Exchange &exchange);
  void abandon(Exchange &exchange, int code);

  std::shared_ptr<LinkContext> context_;
  std::shared_ptr<CommContext> comm_;
  RoomPiece piece_;
  std::vector<OutEdge> out_;
  std::vector<InEdge> in_;
  std::vector<int> near_out_, near_in_, far_out_, far_in_;  // edges
  std::vector<Member> members_;  // that have an edge with this rank
  std::shared_ptr<HostComm> host_comm_;  // for messages of the host; null if there are none
  int first_tag_ = 0, leaving_tag_ = 0;
  std::vector<FarPeer> far_peers_;
  std::vector<std::unique_ptr<Exchange>> made_;
  std::vector<Exchange *> idle_, active_;
  std::uint64_t started_ = 0;
  PartHead *head_ = nullptr;  // of this rank
  std::unique_ptr<Notices> notices_;  // null if there are no other nodes
  bool is_listed_ = false;  // among those that the host's progress drives
};

/// Ranks that have met once more have laid out their parts. Then each finds both ends of its edges, as the sum over all edges has shown: if it has
/// not, they look for a rank that misses one.
template <class Also>
Status Links::open(std::shared_ptr<LinkContext> context, const Pattern &pattern, const LinksMeeting &met, Also also) {
  HLC_TRY(take_part(std::move(context), pattern, met));
  HLC_TRY(prepare(comm_->context, comm_->context.comm(), [&]() -> Status {
    list_edges(pattern);
    lay_out(pattern);
    return also();
  }));
  return connect(met);
}

}  // namespace halocline::core::mpi
