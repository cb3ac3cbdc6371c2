// The variants on segments: the table as a program uses it, and the atomic instructions of the processor in the same memory.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "mapped.hpp"
#include "table.hpp"
#include "variant.hpp"

#include <algorithm>

namespace hashtable {
namespace {

class Engine : public Variant {
 public:
  Engine(const Setup &setup, bool batched)
      : table_(setup.context, setup.shape.buckets, setup.shape.heap), batched_(batched), at_once_(setup.at_once), skew_(setup.skew) {}

  void run(std::span<Request> requests) override {
    if (batched_) {
      in_batches(requests, at_once_, skew_, [&](std::span<Request> some) { table_.carry_out(some, at_once_); });
    } else {
      for (Request &request : requests) carry_out(request);
    }
    table_.barrier();
  }
  void clear() override { table_.clear(); }
  std::span<const Word> part() const override { return table_.part(); }

 private:
  void carry_out(Request &request) {
    skew_.delay();
    if (request.what == Request::What::insert) {
      request.done = table_.insert(request.key, request.value);
    } else if (request.what == Request::What::erase) {
      request.done = table_.erase(request.key);
    } else {
      const std::optional<Word> found = table_.find(request.key);
      request.done = found.has_value();
      request.value = found.value_or(request.value);
    }
  }

  HashTable table_;
  bool batched_;
  std::size_t at_once_;
  common::Skew &skew_;
};

class Instructions : public Variant {
 public:
  explicit Instructions(const Setup &setup)
      : place_{setup.shape},
        segment_(setup.context, words_of(setup.shape) * SegmentMemory::kWordBytes),
        memory_(segment_, setup.shape.ranks),
        skew_(setup.skew) {}

  void run(std::span<Request> requests) override {
    for (Request &request : requests) {
      skew_.delay();
      carry_out(memory_, place_, request);
    }
    segment_.barrier();
  }
  void clear() override {
    segment_.barrier();
    std::fill_n(segment_.data<Word>(), part().size(), Word{0});
    place_.spares.clear();
    segment_.barrier();
  }
  std::span<const Word> part() const override { return {segment_.data<Word>(), static_cast<std::size_t>(words_of(place_.shape))}; }

 private:
  Place place_;
  halocline::Segment segment_;
  MappedMemory memory_;
  common::Skew &skew_;
};

}  // namespace

std::unique_ptr<Variant> make_engine(const Setup &setup) { return std::make_unique<Engine>(setup, false); }
std::unique_ptr<Variant> make_engine_batched(const Setup &setup) { return std::make_unique<Engine>(setup, true); }

std::unique_ptr<Variant> make_instructions(const Setup &setup) {
  if (setup.context.info().nodes > 1) return nullptr;
  return std::make_unique<Instructions>(setup);
}

}  // namespace hashtable
