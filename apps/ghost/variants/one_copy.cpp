// SHARED 1-COPY, in four variants: a rank copies what it needs straight from the blocks of its node's neighbours into its own ghost cells,
// as soon as they say that their cells are ready (figure 3 of the paper). Other nodes: messages, sent without blocking or blocking, or
// notified writes. What a neighbour still reads is guarded by a barrier of the node at the end of each iteration, or by each neighbour's
// word that it has read.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "variants/parts.hpp"

#include "fault.hpp"

namespace ghost {
namespace {

constexpr int kGhost = 1;

class OneCopy : public Variant {
 public:
  OneCopy(const Setup &setup, Carrier carrier, Guard guard, Send send)
      : setup_(setup),
        guard_(guard),
        links_(links_to(setup.grid, Where::other_node)),
        parts_(make_shared_parts(setup, kind(), carrier, send)),
        sync_(setup.grid, *parts_.memory, [this] { parts_.far->nudge(); }),
        fields_(shared_fields(parts_.memory->mine(), setup.grid.cells, kind())) {
    for (const Link &link : links_to(setup.grid, Where::same_node)) {
      const Neighbour &n = setup.grid.neighbours[static_cast<std::size_t>(link.direction)];
      sources_.push_back({link.direction, n.node_rank, link.face, shared_fields(parts_.memory->of(n.node_rank), n.cells, kind())});
    }
    pending_.reserve(sources_.size());
    fill(fields_, setup.grid, setup.options.variables);
    fill_ghosts(fields_, setup.grid, setup.options.variables);
    parts_.far->meet();
  }

  /// The word goes out before anything that may wait.
  void exchange(std::int64_t number, int variable) override {
    Far &far = *parts_.far;
    setup_.skew.delay();
    sync_.say_ready(number);
    far.open(number);
    pack_and_send(far, links_, fields_, variable);
    copy_self(fields_, setup_.grid, variable);
    copy_from_node(variable, number);
    unpack_arrivals(far, links_, fields_, variable);
    far.close();
    if (guard_ == Guard::have_read) sync_.say_done(number);
  }

  void compute(int variable, const Target &out) override {
    apply_with_ghosts(setup_.options.stencil, fields_.block(variable), out, setup_.grid.cells);
    setup_.skew.delay();
  }

  void guard(std::int64_t number) override {
    if (guard_ == Guard::barrier) return sync_.barrier(number);
    for (const int neighbour : sync_.neighbours()) sync_.await_done(neighbour, number);
  }

  void meet() override { parts_.far->meet(); }
  const Fields &fields() const override { return fields_; }

 private:
  /// A neighbour of this node, and its fields.
  struct Source {
    int direction, node_rank;
    Index face;
    Fields fields;
  };

  Fields::Kind kind() const { return {kGhost, setup_.options.variables}; }

  /// In the order in which the neighbours get ready.
  void copy_from_node(int variable, std::int64_t number) {
    pending_.clear();
    for (const Source &source : sources_) pending_.push_back(&source);
    NodeSync::Pause pause(sync_);
    while (!pending_.empty()) {
      const std::size_t before = pending_.size();
      for (std::size_t i = 0; i < pending_.size();) {
        if (!sync_.is_ready(pending_[i]->node_rank, number)) {
          ++i;
          continue;
        }
        copy_from(*pending_[i], variable);
        pending_[i] = pending_.back();
        pending_.pop_back();
      }
      if (pending_.size() == before) pause();
    }
  }

  void copy_from(const Source &source, int variable) {
    setup_.skew.delay();
    const Index v = direction(source.direction), back = direction(opposite(source.direction));
    copy_box(source.fields.edge(variable, back), fields_.halo(variable, v), source.face);
  }

  Setup setup_;
  Guard guard_;
  std::vector<Link> links_;
  SharedParts parts_;
  NodeSync sync_;
  Fields fields_;
  std::vector<Source> sources_;
  std::vector<const Source *> pending_;
};

}  // namespace

std::unique_ptr<Variant> make_one_copy(const Setup &setup, Carrier carrier, Guard guard, Send send) {
  return std::make_unique<OneCopy>(setup, carrier, guard, send);
}

}  // namespace ghost
