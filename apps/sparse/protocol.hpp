// The protocols of a sparse exchange, and the table of them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "traffic.hpp"

#include <halocline/halocline.hpp>

#include <memory>
#include <vector>

namespace sparse {

class Protocol {
 public:
  virtual ~Protocol() = default;
  /// Sends messages, and returns those to this rank. Collective.
  virtual std::vector<Message> exchange(const std::vector<Message> &messages) = 0;
};

/// What all protocols are made of.
struct Setup {
  const halocline::Context &context;
  const Options &options;
};

/// A row of the table. Making a protocol is collective.
struct Kind {
  const char *name;
  std::unique_ptr<Protocol> (*make)(const Setup &setup);
};
const std::vector<Kind> &kinds();

std::unique_ptr<Protocol> make_alltoall(const Setup &setup);
std::unique_ptr<Protocol> make_reduce_scatter(const Setup &setup);
std::unique_ptr<Protocol> make_nbx(const Setup &setup);
std::unique_ptr<Protocol> make_accumulate(const Setup &setup);
std::unique_ptr<Protocol> make_engine(const Setup &setup);

}  // namespace sparse
