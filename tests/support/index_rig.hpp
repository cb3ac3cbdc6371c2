// Drives one index halo of the library through swaps of a case and compares all of its memory with the oracle's.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <memory>

#include "support/elements.hpp"
#include "support/index_case.hpp"
#include "support/modes.hpp"
#include "support/mpi_test.hpp"
#include "support/rig.hpp"

namespace halocline::test {

class IndexRig {
 public:
  /// Allocates the fields and plans the halo. Collective.
  IndexRig(IndexCase lists, const ModeChoice &mode, Memory memory = Memory::shared) : case_(std::move(lists)) {
    const auto &layouts = case_.layouts[static_cast<std::size_t>(rank())];
    const bool own = memory == Memory::own || (memory == Memory::differs_by_rank && rank() % 2 == 1);
    heap_ = index_before(case_, rank(), 0, false);
    for (std::size_t f = 0; f < layouts.size(); ++f) {
      void *data = nullptr;
      if (memory != Memory::own) {
        EXPECT_TRUE(ok(hlc_field_alloc(context(), static_cast<std::size_t>(layouts[f].bytes), &data)));
      }
      shared_.push_back(data);
      arenas_.push_back(own ? heap_[f].data() : static_cast<std::byte *>(data));
    }
    const testing::AssertionResult made = ok(plan(mode));
    EXPECT_TRUE(made);
    ready_ = everyone(static_cast<bool>(made));
  }
  ~IndexRig() {
    if (halo_) {
      EXPECT_TRUE(ok(hlc_index_halo_finalise(&halo_)));
    }
    for (void *&data : shared_)
      if (data) {
        EXPECT_TRUE(ok(hlc_field_free(context(), &data)));
      }
  }
  IndexRig(const IndexRig &) = delete;
  IndexRig &operator=(const IndexRig &) = delete;

  bool ready() const { return ready_; }
  hlc_index_halo *halo() const { return halo_; }
  const IndexCase &lists() const { return case_; }
  const std::vector<IndexLink> &links() const { return case_.links[static_cast<std::size_t>(rank())]; }
  std::byte *arena(std::size_t field) const { return arenas_[field]; }

  /// Writes all memory as it is before the swap of a step, which start begins and finish ends and checks.
  void start(int step, bool reverse = false, std::vector<int> fields = {}) {
    write(index_before(case_, rank(), step, reverse));
    const hlc_index_swap what{static_cast<int>(fields.size()), fields.data(), reverse};
    EXPECT_TRUE(ok(hlc_index_halo_start(halo_, fields.empty() && !reverse ? nullptr : &what)));
  }
  void finish(int step, bool reverse = false, std::vector<int> fields = {}) {
    EXPECT_TRUE(ok(hlc_index_halo_finish(halo_)));
    expect(index_after(case_, rank(), step, reverse, fields.empty() ? all_fields() : fields), step);
  }
  void write(const IndexImage &image) {
    for (std::size_t f = 0; f < arenas_.size(); ++f)
      if (!image[f].empty()) std::memcpy(arenas_[f], image[f].data(), image[f].size());
  }
  void expect(const IndexImage &image, int step) const {
    for (std::size_t f = 0; f < arenas_.size(); ++f)
      for (std::size_t b = 0; b < image[f].size(); ++b)
        if (arenas_[f][b] != image[f][b]) {
          ADD_FAILURE() << "rank " << rank() << ", step " << step << ": byte " << b << " of " << image[f].size() << " of field " << f
                        << " is wrong";
          break;
        }
  }
  /// Gathers what a view shows of one list and compares it with what the other end had.
  void expect_view(std::size_t n, int field, int step) const {
    const IndexLink &link = links()[n];
    const IndexLink &other = case_.other_end(rank(), link);
    hlc_index_view view{};
    ASSERT_TRUE(ok(hlc_index_halo_view(halo_, field, static_cast<int>(n), &view)));
    EXPECT_EQ(view.rank, link.rank);
    std::int64_t next = 0;
    for (std::int64_t r = 0; r < view.nruns; ++r)
      for (std::int64_t i = 0; i < view.runs[r].count; ++i, ++next) {
        ASSERT_EQ(view.runs[r].first + i, next);
        const auto *entry = static_cast<const std::byte *>(view.data) + (view.runs[r].place + i) * view.entry_stride_bytes;
        expect_entry(entry, view.component_stride_bytes, {link.rank, field, {other.out[static_cast<std::size_t>(next)], 0}, step});
      }
    EXPECT_EQ(next, static_cast<std::int64_t>(link.in.size()));
  }
  std::vector<int> all_fields() const {
    std::vector<int> all;
    for (std::size_t f = 0; f < case_.fields.size(); ++f) all.push_back(static_cast<int>(f));
    return all;
  }

 private:
  void expect_entry(const std::byte *entry, std::int64_t stride, Writer writer) const {
    const IndexFieldShape &shape = case_.fields[static_cast<std::size_t>(writer.field)];
    for (std::int64_t &c = writer.cell[1]; c < shape.components; ++c) {
      std::vector<std::byte> expected(shape.kind.bytes);
      write_element(shape.kind.type, shape.kind.bytes, writer, expected.data());
      EXPECT_EQ(std::memcmp(entry + c * stride, expected.data(), expected.size()), 0)
          << "entry " << writer.cell[0] << " of rank " << writer.rank << ", field " << writer.field << ", component " << c;
    }
  }

  hlc_status plan(const ModeChoice &mode) {
    std::vector<hlc_index_neighbour> neighbours;
    for (const IndexLink &link : links())
      neighbours.push_back({link.rank, link.tag_out, link.tag_in, static_cast<std::int64_t>(link.out.size()), link.out.data(),
                            static_cast<std::int64_t>(link.in.size()), link.in.data()});
    std::vector<hlc_index_field> fields;
    for (std::size_t f = 0; f < case_.fields.size(); ++f) {
      const IndexFieldShape &shape = case_.fields[f];
      const IndexLayout &layout = case_.layouts[static_cast<std::size_t>(rank())][f];
      fields.push_back(
          {arenas_[f] + layout.lead, shape.kind.type, shape.kind.bytes, shape.components, layout.entry, layout.component, nullptr});
    }
    hlc_index_halo_spec spec{};
    spec.nentries = case_.entries[static_cast<std::size_t>(rank())];
    spec.nneighbours = static_cast<int>(neighbours.size());
    spec.neighbours = neighbours.data();
    spec.nfields = static_cast<int>(fields.size());
    spec.fields = fields.data();
    spec.mode = mode.mode;
    spec.epoch = mode.epoch;
    spec.drive = mode.drive;
    return hlc_index_halo_init(context(), &spec, &halo_);
  }

  IndexCase case_;
  IndexImage heap_;
  std::vector<void *> shared_;
  std::vector<std::byte *> arenas_;
  hlc_index_halo *halo_ = nullptr;
  bool ready_ = false;
};

}  // namespace halocline::test
