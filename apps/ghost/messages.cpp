// SPDX-License-Identifier: BSD-3-Clause
#include "far.hpp"

namespace ghost {
namespace {

/// One buffer each way per link: no message of exchange k + 1 is received before open, and none is packed before close. A blocking send
/// cannot close a circle: every rank posts its receives before it sends, and the waits of a node go on only about exchanges that all have
/// opened or will open without waiting for a later one.
class Messages : public Far {
 public:
  Messages(const std::vector<Link> &links, Send send)
      : links_(links), send_(send), receives_(links.size(), MPI_REQUEST_NULL), sends_(links.size(), MPI_REQUEST_NULL) {
    for (const Link &link : links) {
      out_.emplace_back(static_cast<std::size_t>(link.count()));
      in_.emplace_back(static_cast<std::size_t>(link.count()));
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  }
  ~Messages() override { MPI_Comm_free(&comm_); }

  void open(std::int64_t) override {
    for (std::size_t i = 0; i < links_.size(); ++i)
      MPI_Irecv(in_[i].data(), count(i), MPI_DOUBLE, links_[i].rank, links_[i].direction, comm_, &receives_[i]);
  }
  double *out(std::size_t link) override { return out_[link].data(); }
  /// The tag is the direction as the receiver sees it: a rank may be a neighbour in several.
  void send(std::size_t i) override {
    const int tag = opposite(links_[i].direction);
    if (send_ == Send::blocking)
      MPI_Send(out_[i].data(), count(i), MPI_DOUBLE, links_[i].rank, tag, comm_);
    else
      MPI_Isend(out_[i].data(), count(i), MPI_DOUBLE, links_[i].rank, tag, comm_, &sends_[i]);
  }
  std::size_t take() override {
    int arrived = 0;
    MPI_Waitany(static_cast<int>(receives_.size()), receives_.data(), &arrived, MPI_STATUS_IGNORE);
    return static_cast<std::size_t>(arrived);
  }
  const double *in(std::size_t link) const override { return in_[link].data(); }
  void close() override { MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE); }
  /// An MPI may deliver what it has called sent only when it is called again.
  void nudge() override {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, MPI_STATUS_IGNORE);
  }
  void meet() override { MPI_Barrier(comm_); }

 private:
  int count(std::size_t link) const { return static_cast<int>(links_[link].count()); }

  std::vector<Link> links_;
  Send send_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<std::vector<double>> out_, in_;
  std::vector<MPI_Request> receives_, sends_;
};

}  // namespace

std::unique_ptr<Far> messages(const std::vector<Link> &links, Send send) { return std::make_unique<Messages>(links, send); }

}  // namespace ghost
