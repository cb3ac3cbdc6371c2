// SPDX-License-Identifier: BSD-3-Clause
#include "transpose.hpp"

namespace fft {
namespace {

class Local : public Transpose {
 public:
  explicit Local(const Shape &shape) : Transpose(shape), blocks_(static_cast<std::size_t>(shape.total())) {}
  void start() override {}
  Complex *block(int plane, int to) override { return blocks_.data() + shape().place(to, plane); }
  void send(int) override {}
  void wait(int) override {}
  Complex *received() override { return blocks_.data(); }

 private:
  std::vector<Complex> blocks_;
};

}  // namespace

std::unique_ptr<Transpose> make_local(const halocline::Context &, const Shape &shape) { return std::make_unique<Local>(shape); }

const std::vector<Kind> &kinds() {
  static const std::vector<Kind> all{{"alltoall", make_alltoall}, {"p2p", make_p2p}, {"rma", make_rma}, {"notify", make_notify}};
  return all;
}

}  // namespace fft
