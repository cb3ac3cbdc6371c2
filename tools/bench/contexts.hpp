// The library opened once per kind of progress, so that one run measures them side by side.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.hpp>

#include <list>
#include <string>

namespace bench {

/// A context that was opened with HALOCLINE_PROGRESS set to a word. Collective.
class ContextWith {
 public:
  ContextWith(const std::string &progress, MPI_Comm comm);
  const std::string &progress() const { return progress_; }
  const halocline::Context &context() const { return context_; }
  /// What carries data to other nodes, whoever moves it.
  std::string network() const;

 private:
  std::string progress_;
  halocline::Context context_;
};

/// One for each kind of progress that a bench compares. Collective.
std::list<ContextWith> all_progress(MPI_Comm comm);

}  // namespace bench
