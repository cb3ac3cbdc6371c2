// The kinds of access to the words of other ranks, and the table of them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "drive.hpp"

#include <halocline/halocline.hpp>

#include <common/skew.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace hashtable {

class Variant {
 public:
  virtual ~Variant() = default;
  /// Carries out this rank's requests; returns when all ranks' are done. Collective.
  virtual void run(std::span<Request> requests) = 0;
  /// Forgets all keys. Collective.
  virtual void clear() = 0;
  /// This rank's words, between two runs.
  virtual std::span<const Word> part() const = 0;
};

/// What all variants are made of.
struct Setup {
  const halocline::Context &context;
  Shape shape;
  std::size_t at_once;  ///< requests of a rank that are under way, where a variant has several
  common::Skew &skew;
};

/// Calls work(some) for all requests together. With random delays it does so for few of them at a time, after a delay each.
template <class Work>
void in_batches(std::span<Request> requests, std::size_t at_once, common::Skew &skew, Work work) {
  while (!requests.empty()) {
    const std::size_t count = skew.is_on() ? std::min(skew.up_to(at_once), requests.size()) : requests.size();
    skew.delay();
    work(requests.first(count));
    requests = requests.subspan(count);
  }
}

/// A row of the table. Making a variant is collective; `make` returns nothing if it cannot be had here.
struct Kind {
  const char *name;
  std::unique_ptr<Variant> (*make)(const Setup &setup);
};
const std::vector<Kind> &kinds();

std::unique_ptr<Variant> make_engine(const Setup &setup);
std::unique_ptr<Variant> make_engine_batched(const Setup &setup);
std::unique_ptr<Variant> make_rma(const Setup &setup);
std::unique_ptr<Variant> make_rma_batched(const Setup &setup);
std::unique_ptr<Variant> make_messages_one(const Setup &setup);
std::unique_ptr<Variant> make_messages(const Setup &setup);
/// The processor's own atomic instructions in mapped memory: what the machine needs at least. Only on one node.
std::unique_ptr<Variant> make_instructions(const Setup &setup);

}  // namespace hashtable
