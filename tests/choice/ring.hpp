// A ring of ranks with a context of its own, so that a test sets the environment that mode auto reads. Each rank has cells in a row, two
// fields, and a halo cell on each side. Every value says whose it is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "support/mpi_test.hpp"
#include "support/variables.hpp"

namespace halocline::test {

class Ring {
 public:
  static constexpr int kCells = 8, kFields = 2;

  explicit Ring(hlc_mode mode = HLC_MODE_AUTO, bool staged = false) {
    const testing::AssertionResult opened = ok(hlc_init(MPI_COMM_WORLD, &context_));
    EXPECT_TRUE(opened);
    if (!everyone(static_cast<bool>(opened))) return;
    const std::int64_t global = kCells * size();
    const int periodic = 1;
    EXPECT_TRUE(ok(hlc_grid_create(context_, 1, &global, nullptr, &periodic, &grid_)));
    for (hlc_field &field : fields_) {
      EXPECT_TRUE(ok(hlc_field_alloc(context_, (kCells + 2) * sizeof(double), &field.data)));
      field.type = HLC_FLOAT64;
    }
    spec_.grid = &grid_;
    spec_.depth_low[0] = spec_.depth_high[0] = 1;
    spec_.nfields = kFields;
    spec_.fields = fields_;
    spec_.mode = mode;
    spec_.staged = staged;
    status_ = hlc_halo_init(context_, &spec_, &halo_);
    message_ = hlc_error_message();
  }
  Ring(const Ring &) = delete;
  Ring &operator=(const Ring &) = delete;
  ~Ring() {
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo_)));
    for (hlc_field &field : fields_) EXPECT_TRUE(ok(hlc_field_free(context_, &field.data)));
    EXPECT_TRUE(ok(hlc_finalise(&context_)));
  }

  hlc_status status() const { return status_; }
  const std::string &message() const { return message_; }
  /// A test that returns because of it has failed.
  bool ready() const {
    EXPECT_EQ(status_, HLC_OK) << message_;
    return everyone(status_ == HLC_OK);
  }
  hlc_context *context() const { return context_; }
  hlc_halo *halo() const { return halo_; }
  double *cells(int field) const { return static_cast<double *>(fields_[field].data); }

  static double value(int owner, int field, int cell, int step) { return 1 + owner + 100 * field + 1000 * cell + 100000.0 * step; }
  void fill(int step) const {
    for (int f = 0; f < kFields; ++f)
      for (int i = 0; i < kCells + 2; ++i) cells(f)[i] = i == 0 || i == kCells + 1 ? -7 : value(rank(), f, i, step);
  }
  /// Number of halo cells that a swap of all fields has left wrong.
  int wrong(int step) const {
    int wrong = 0;
    for (int f = 0; f < kFields; ++f) {
      wrong += cells(f)[0] != value(below(), f, kCells, step);
      wrong += cells(f)[kCells + 1] != value(above(), f, 1, step);
    }
    return wrong;
  }
  /// A swap, verified.
  void swap(int step) const {
    fill(step);
    EXPECT_TRUE(ok(hlc_halo_start(halo_, nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish(halo_)));
    EXPECT_EQ(wrong(step), 0) << "step " << step;
    MPI_Barrier(MPI_COMM_WORLD);  // some modes let a rank continue while others still compare
  }
  static int below() { return (rank() + size() - 1) % size(); }
  static int above() { return (rank() + 1) % size(); }

  hlc_mode mode() const {
    hlc_plan_info info{};
    EXPECT_TRUE(ok(hlc_halo_info(halo_, &info)));
    return info.mode;
  }
  std::string explain(hlc_format format = HLC_FORMAT_JSON) const {
    std::vector<char> text(1 << 16);
    std::size_t length = 0;
    EXPECT_TRUE(ok(hlc_halo_explain(halo_, format, text.data(), text.size(), &length)));
    EXPECT_LT(length, text.size());
    return text.data();
  }
  bool says(const std::string &words) const { return explain().find(words) != std::string::npos; }
  /// What the JSON says of one mode.
  std::string about(const std::string &mode) const {
    const std::string all = explain();
    const auto begin = all.find("{\"mode\": \"" + mode + "\"");
    return begin == std::string::npos ? "" : all.substr(begin, all.find('}', begin) - begin);
  }
  bool is_left_out(const std::string &mode, const std::string &why) const {
    return about(mode).find("\"standing\": \"" + why + "\"") != std::string::npos;
  }

 private:
  hlc_context *context_ = nullptr;
  hlc_grid grid_{};
  hlc_field fields_[kFields]{};
  hlc_halo_spec spec_{};
  hlc_halo *halo_ = nullptr;
  hlc_status status_ = HLC_ERR_STATE;
  std::string message_;
};

}  // namespace halocline::test
