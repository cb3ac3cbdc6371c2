// The edges of a pattern, over which the ranks of a communicator exchange blocks: each exchange moves one message over each edge. On a node a
// message is packed into a slot of shared memory, or the receiver reads it in the sender's memory; to another node it is one of the host's. An
// exchange needs no agreement: each message itself says by which route it arrives (docs/design/054-neighbor-collectives.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

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

/// One exchange: its blocks, in the order of the edges, and what is still to be done. Used again and again.
struct Exchange {
  std::vector<Block> out, in;
  std::vector<std::shared_ptr<const typed::Layout>> kept;  // of datatypes that the program may free before the exchange is over
  KeptTypes types;  // copies of such datatypes, for the host

  std::uint64_t number = 0;
  std::vector<int> unsent, unreceived, unread;  // edges; unread: the receiver still reads in this process's memory
  std::vector<MPI_Request> host;
  std::vector<std::vector<char>> staged;  // packed blocks that are read here
  int code = MPI_SUCCESS;
  std::atomic<bool> is_over{true};
};

class Links final : public DrivenLinks {
 public:
  explicit Links(std::shared_ptr<LinkContext> context) : context_(std::move(context)), comm_(context_->comm) {}
  Links(const Links &) = delete;
  Links &operator=(const Links &) = delete;
  ~Links() override;

  /// What this rank says in the meeting before `open`. `known`: the context of the communicator; null if it has none yet.
  static LinksMeeting offer(const Pattern &pattern, int rank, const LinkContext *known);
  /// Collective after that meeting, the same status on all ranks: fails if an edge has one end. `also` is what this rank does alone before the
  /// ranks agree, when the edges are known.
  Status open(const Pattern &pattern, const LinksMeeting &met, const std::function<Status()> &also = {});

  CommContext &comm() { return *comm_; }
  /// MPI_SUCCESS, or what is wrong with the addresses of an exchange's blocks.
  int check(const Exchange &exchange) const;
  bool spans_nodes() const { return !far_out_.empty() || !far_in_.empty(); }

  /// Under `busy`: an exchange for blocking calls, and its return.
  Exchange &take();
  void give_back(Exchange &exchange) { idle_.push_back(&exchange); }

  /// Under `busy`: begins an exchange whose blocks are set. All ranks begin theirs in the same order.
  void start(Exchange &exchange);
  /// The same for an exchange that continues outside the call that begins it.
  void start_unattended(Exchange &exchange);
  /// Under `busy`: what can be done now, of all exchanges in their order. in_host: called by the host's progress, in which MPI is not called.
  void progress(bool in_host = false);
  void progress_if_free(bool in_host) override;
  /// Waits until the exchange is over. An MPI error code: of the exchange, or of a process that has ended.
  int await(Exchange &exchange);

  Busy busy;

 private:
  struct OutEdge {
    int rank = MPI_PROC_NULL, key = 0;
    Ring ring;
    const Counter *read = nullptr;
    const Destination *destination = nullptr;  // null if this process cannot put there
    std::uint64_t sent = 0, read_known = 0;
    pid_t process = 0;
  };
  struct InEdge {
    int rank = MPI_PROC_NULL, key = 0;
    Ring ring;
    Counter *read = nullptr;
    Destination *destination = nullptr;
    std::uint64_t received = 0;
    pid_t process = 0;
  };

  Status open_host_comm(const LinksMeeting &met);
  void list_edges(const Pattern &pattern);
  void lay_out(const Pattern &near);
  Status connect();
  int tag_of(int key) const { return first_tag_ + key; }
  bool advance(Exchange &exchange, bool in_host);
  void offer_destinations(const Exchange &exchange);
  void withdraw_destinations(const Exchange &exchange);
  Route route_of(const Block &block, const OutEdge &edge) const;
  bool put_to_receiver(const Exchange &exchange, int edge);
  bool send(Exchange &exchange, int edge, bool in_host);
  void pack(Exchange &exchange, const Block &block, SlotHead &slot);
  bool receive(Exchange &exchange, int edge, bool in_host);
  int unpack(Exchange &exchange, const Block &block, const InEdge &edge, SlotHead &slot);
  char *stage(Exchange &exchange, const Block &block, std::int64_t bytes);
  int read_memory(const Block &block, const InEdge &edge, const SlotHead &slot);
  void start_host(Exchange &exchange);
  int receive_by_host(Exchange &exchange, const Block &block, const InEdge &edge);
  int send_by_host(Exchange &exchange, const Block &block, const OutEdge &edge);
  void end(Exchange &exchange);
  void abandon(Exchange &exchange);

  std::shared_ptr<LinkContext> context_;
  std::shared_ptr<CommContext> comm_;
  RoomPiece piece_;
  std::vector<OutEdge> out_;
  std::vector<InEdge> in_;
  std::vector<int> near_out_, near_in_, far_out_, far_in_;  // edges
  std::vector<Member> members_;  // that have an edge with this rank
  std::shared_ptr<HostComm> host_comm_;  // for messages of the host; null if there are none
  int first_tag_ = 0;
  std::vector<std::unique_ptr<Exchange>> made_;
  std::vector<Exchange *> idle_, active_;
  std::uint64_t started_ = 0;
  bool is_listed_ = false;  // among those that the host's progress drives
};

}  // namespace halocline::core::mpi
