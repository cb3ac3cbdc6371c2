// MPI ONLY: every rank for itself, every neighbour by messages. MiniGhost's exchange of one variable after the other (SVAF): receives are
// posted, buffers are packed and sent one by one, and unpacked as they come.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "variants/parts.hpp"

namespace ghost {
namespace {

constexpr int kGhost = 1;

class MpiOnly : public Variant {
 public:
  explicit MpiOnly(const Setup &setup)
      : setup_(setup),
        links_(links_to(setup.grid, Where::same_node)),
        memory_(private_memory(Fields::bytes(setup.grid.cells, {kGhost, setup.options.variables}))),
        fields_(memory_->mine(), setup.grid.cells, {kGhost, setup.options.variables}) {
    for (const Link &link : links_to(setup.grid, Where::other_node)) links_.push_back(link);
    far_ = messages(links_, Send::nonblocking);
    fill(fields_, setup.grid, setup.options.variables);
    fill_ghosts(fields_, setup.grid, setup.options.variables);
  }

  void exchange(std::int64_t number, int variable) override {
    setup_.skew.delay();
    far_->open(number);
    pack_and_send(*far_, links_, fields_, variable);
    copy_self(fields_, setup_.grid, variable);
    setup_.skew.delay();
    unpack_arrivals(*far_, links_, fields_, variable);
    far_->close();
  }

  void compute(int variable, const Target &out) override {
    apply_with_ghosts(setup_.options.stencil, fields_.block(variable), out, setup_.grid.cells);
  }

  /// Nobody but this rank reads its memory.
  void guard(std::int64_t) override {}

  void meet() override { far_->meet(); }
  const Fields &fields() const override { return fields_; }

 private:
  Setup setup_;
  std::vector<Link> links_;
  std::unique_ptr<Memory> memory_;
  Fields fields_;
  std::unique_ptr<Far> far_;
};

}  // namespace

std::unique_ptr<Variant> make_mpi_only(const Setup &setup) { return std::make_unique<MpiOnly>(setup); }

}  // namespace ghost
