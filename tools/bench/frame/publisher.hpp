// Prints reports in the format that was asked for, and writes them to a file.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"

#include <cstdio>
#include <vector>

namespace bench {

/// Used on all ranks; rank 0 prints and writes.
class Publisher {
 public:
  /// Throws a Refusal on all ranks if the file of --json can't be written. Collective.
  explicit Publisher(const CommonOptions &options);

  /// Prints a report, whose own table is the default, and keeps it for the file.
  template <class AnyReport>
  void publish(const AnyReport &report) {
    if (rank_of(MPI_COMM_WORLD) != 0) return;
    const Document document = document_of(report);
    const std::string text =
        options_.format == Format::table ? table_of(report) : text_of(document.results, options_.format, documents_.empty());
    std::fputs(text.c_str(), stdout);
    documents_.push_back(json_of(document));
  }
  /// Writes the file: the report, or those of all numbers of ranks. Returns what went wrong; empty: nothing.
  std::string write() const;

 private:
  CommonOptions options_;
  std::vector<Json> documents_;
};

}  // namespace bench
