// 0-COPY, in two variants: no ghost cells at all. The stencil reads the blocks of its node's neighbours (figure 4 of the paper), and what
// comes from other nodes where it has been received. Nothing is copied but into send buffers. Two counters order it: ready before others
// read, done before the owner overwrites.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "variants/parts.hpp"

#include "rows.hpp"

#include <algorithm>

namespace ghost {
namespace {

class ZeroCopy : public Variant {
 public:
  ZeroCopy(const Setup &setup, Carrier carrier)
      : setup_(setup),
        rows_(setup.options.stencil, setup.grid.cells),
        links_(links_to(setup.grid, Where::other_node)),
        parts_(make_shared_parts(setup, kind(), carrier, Send::nonblocking)),
        sync_(setup.grid, *parts_.memory, [this] { parts_.far->nudge(); }),
        fields_(shared_fields(parts_.memory->mine(), setup.grid.cells, kind())) {
    fill(fields_, setup.grid, setup.options.variables);
    for (int variable = 0; variable < setup.options.variables; ++variable) plan(variable);
    parts_.far->meet();
  }

  /// The word goes out before anything that may wait.
  void exchange(std::int64_t number, int variable) override {
    number_ = number;
    Far &far = *parts_.far;
    setup_.skew.delay();
    sync_.say_ready(number);
    far.open(number);
    pack_and_send(far, links_, fields_, variable);
    for (const int neighbour : sync_.neighbours()) sync_.await_ready(neighbour, number);
    Around &around = around_[static_cast<std::size_t>(variable)];
    for (std::size_t left = links_.size(); left > 0; --left) {
      const std::size_t i = far.take();
      around[static_cast<std::size_t>(links_[i].direction)].first = far.in(i);
    }
    far.close();
  }

  /// The last one to read is the stencil itself.
  void compute(int variable, const Target &out) override {
    setup_.skew.delay();
    rows_.apply(around_[static_cast<std::size_t>(variable)], out);
    sync_.say_done(number_);
    setup_.skew.delay();
  }

  void guard(std::int64_t number) override {
    for (const int neighbour : sync_.neighbours()) sync_.await_done(neighbour, number);
  }

  void meet() override { parts_.far->meet(); }
  const Fields &fields() const override { return fields_; }

 private:
  Fields::Kind kind() const { return {0, setup_.options.variables}; }

  /// Where a variable's surroundings lie; of what is received the place is known when it is there.
  void plan(int variable) {
    const auto longest = static_cast<std::size_t>(*std::max_element(setup_.grid.cells.begin(), setup_.grid.cells.end()));
    constants_.emplace_back(longest, constant_beyond(variable));
    around_.emplace_back();
    for (int i = 0; i < kDirections; ++i) around_.back()[static_cast<std::size_t>(i)] = view(variable, i);
  }

  View view(int variable, int number) const {
    const Neighbour &n = setup_.grid.neighbours[static_cast<std::size_t>(number)];
    const Index back = direction(opposite(number)), cells = face(setup_.grid.cells, direction(number));
    if (number == kMiddle) return fields_.block(variable);
    switch (n.where) {
      case Where::self: return fields_.edge(variable, back);
      case Where::same_node: return shared_fields(parts_.memory->of(n.node_rank), n.cells, kind()).edge(variable, back);
      case Where::other_node: return {nullptr, cells[0], cells[0] * cells[1]};
      case Where::nowhere: break;
    }
    return {constants_.back().data(), 0, 0};
  }

  Setup setup_;
  Rows rows_;
  std::int64_t number_ = 0;  ///< of the last exchange
  std::vector<Link> links_;
  SharedParts parts_;
  NodeSync sync_;
  Fields fields_;
  std::vector<std::vector<double>> constants_;  ///< of each variable, a row of what lies beyond open sides
  std::vector<Around> around_;  ///< by variable
};

}  // namespace

std::unique_ptr<Variant> make_zero_copy(const Setup &setup, Carrier carrier) { return std::make_unique<ZeroCopy>(setup, carrier); }

}  // namespace ghost
