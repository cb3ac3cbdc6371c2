// SPDX-License-Identifier: BSD-3-Clause
#include "api/unreleased_objects.hpp"

#include <iterator>

namespace halocline::core::api {
namespace {

/// A kind of object in words, and the call that releases one.
struct KindWords {
  Live kind;
  const char *one, *several, *release;
};
constexpr KindWords kKindWords[] = {{Live::halo, "halo", "halos", "hlc_halo_finalise"},
                                    {Live::index_halo, "index halo", "index halos", "hlc_index_halo_finalise"},
                                    {Live::blocks, "halo of blocks", "halos of blocks", "hlc_blocks_finalise"},
                                    {Live::exchange, "exchange", "exchanges", "hlc_exchange_destroy"},
                                    {Live::allreduce, "reduction", "reductions", "hlc_allreduce_destroy"},
                                    {Live::sparse, "sparse exchange", "sparse exchanges", "hlc_sparse_destroy"},
                                    {Live::segment, "segment", "segments", "hlc_segment_free"}};
static_assert(std::size(kKindWords) == kLiveKinds);

void add_words(int number, const KindWords &words, std::string &text) {
  if (number == 0) return;
  text +=
      (text.empty() ? "" : ", ") + std::to_string(number) + " " + (number == 1 ? words.one : words.several) + " (" + words.release + ")";
}

}  // namespace

std::string unreleased_objects(const Context &context) {
  std::string text;
  for (const KindWords &words : kKindWords) add_words(context.live.number(words.kind), words, text);
  add_words(context.fields().live(), {Live{}, "field", "fields", "hlc_field_free"}, text);
  return text;
}

}  // namespace halocline::core::api
