// 0-COPY, in two variants: no ghost cells at all. The stencil reads the blocks of its node's neighbours (figure 4 of the paper), and what comes from
// other nodes where it has been received. Nothing is copied but into send buffers. Two counters order it: ready before others read, done before
// the owner overwrites.
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
        kernel_(row_kernel(setup.options.stencil)),
        links_(links_to(setup.grid, Where::other_node)),
        parts_(make_shared_parts(setup, kind(), carrier, Send::nonblocking)),
        sync_(setup.grid, *parts_.memory, [this] { parts_.far->nudge(); }),
        fields_(shared_fields(parts_.memory->mine(), setup.grid.cells, kind())) {
    fill(fields_, setup.grid, setup.options.variables);
    for (int variable = 0; variable < setup.options.variables; ++variable) plan(variable);
    parts_.far->meet();
  }

  /// The word goes out before anything that may wait.
  void exchange(std::int64_t step, int variable) override {
    const std::int64_t number = exchange_number(setup_, step, variable);
    Far &far = *parts_.far;
    setup_.skew.delay();
    sync_.say_ready(number);
    far.open(number);
    pack_and_send(far, links_, fields_, variable, step);
    for (const int neighbour : sync_.neighbours()) sync_.await_ready(neighbour, number);
    Around &around = around_[place(variable, step)];
    for (std::size_t left = links_.size(); left > 0; --left) {
      const std::size_t i = far.take();
      around[static_cast<std::size_t>(links_[i].direction)].first = far.in(i);
    }
    far.close();
    for (const int neighbour : sync_.neighbours()) sync_.await_done(neighbour, number - setup_.options.variables);
    setup_.skew.delay();
  }

  void compute(std::int64_t step, int variable) override {
    const Target out = fields_.block(variable, step + 1);
    apply_with_views(kernel_, setup_.options.stencil, around_[place(variable, step)], out, setup_.grid.cells);
  }

  void computed(std::int64_t step, int variable) override {
    setup_.skew.delay();
    sync_.say_done(exchange_number(setup_, step, variable));
  }

  void meet() override { parts_.far->meet(); }
  const Fields &fields() const override { return fields_; }

 private:
  Fields::Kind kind() const { return {0, setup_.options.variables}; }
  static std::size_t place(int variable, std::int64_t step) { return static_cast<std::size_t>(2 * variable + step % 2); }

  /// Where a variable's surroundings lie, in even and in odd steps; of what is received the place is known when it is there.
  void plan(int variable) {
    const auto longest = static_cast<std::size_t>(*std::max_element(setup_.grid.cells.begin(), setup_.grid.cells.end()));
    constants_.emplace_back(longest, constant_beyond(variable));
    for (int parity = 0; parity < 2; ++parity) {
      around_.emplace_back();
      for (int i = 0; i < kDirections; ++i) around_.back()[static_cast<std::size_t>(i)] = view(variable, parity, i);
    }
  }

  View view(int variable, int parity, int number) const {
    const Neighbour &n = setup_.grid.neighbours[static_cast<std::size_t>(number)];
    const Index back = direction(opposite(number)), cells = face(setup_.grid.cells, direction(number));
    if (number == kMiddle) return fields_.block(variable, parity);
    switch (n.where) {
      case Where::self: return fields_.edge(variable, parity, back);
      case Where::same_node: return shared_fields(parts_.memory->of(n.node_rank), n.cells, kind()).edge(variable, parity, back);
      case Where::other_node: return {nullptr, cells[0], cells[0] * cells[1]};
      case Where::nowhere: break;
    }
    return {constants_.back().data(), 0, 0};
  }

  Setup setup_;
  RowKernel kernel_;
  std::vector<Link> links_;
  SharedParts parts_;
  NodeSync sync_;
  Fields fields_;
  std::vector<std::vector<double>> constants_;  ///< of each variable, a row of what lies beyond open sides
  std::vector<Around> around_;  ///< by variable, even and odd steps
};

}  // namespace

std::unique_ptr<Variant> make_zero_copy(const Setup &setup, Carrier carrier) { return std::make_unique<ZeroCopy>(setup, carrier); }

}  // namespace ghost
