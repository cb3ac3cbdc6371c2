// What a run found, for people and as JSON.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "digest.hpp"
#include "limit.hpp"
#include "options.hpp"

#include <common/environment.hpp>

#include <string>
#include <vector>

namespace hashtable {

/// Seconds of the slowest rank.
struct Sample {
  double insert_s = 0, find_s = 0;
};

struct Result {
  std::string name;
  bool checked = false;
  Digest content = {};  ///< after the inserts of round 0, by the check or the round that warms up
  std::vector<Sample> samples;
};

struct Report {
  common::Environment environment;
  Shape shape;
  std::vector<Result> variants;
  std::vector<Limit::Sample> limits;  ///< on one node
};

/// The numbers of the table, one line per variant.
std::string table_of(const Report &report, const Options &options);
/// What the tables hold after the inserts of round 0, or which variants differ; empty if nothing was inserted.
std::string content_of(const Report &report);
/// Whether all variants hold the same keys, and each of its keys once.
bool have_equal_content(const Report &report);
/// What an atomic on a random bucket takes, and the inserts that this allows; empty if it was not measured.
std::string limit_of(const Report &report);
/// Writes problem, environment and all samples. Throws if the file cannot be written.
void write_json(const Report &report, const Options &options);

}  // namespace hashtable
