// Blocks: swaps of any set of boxes, of which a rank has several or none.
// SPDX-License-Identifier: BSD-3-Clause
#include "swaps.hpp"

namespace halocline::python {
namespace {

/// As Python states a box: its first cell, its cells, its name in messages, its part.
using BoxWords = std::tuple<Cells, Cells, std::int64_t, int>;

hlc_box box_of(const BoxWords &words) {
  const auto &[start, count, id, part] = words;
  hlc_box box{};
  std::copy(start.begin(), start.end(), box.start);
  std::copy(count.begin(), count.end(), box.count);
  box.id = id;
  box.part = part;
  return box;
}

hlc_blocks_spec spec_of(const Cells &shape, const std::vector<int> &periodic, const HaloWords &words) {
  hlc_blocks_spec spec{};
  spec.ndims = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), spec.global);
  std::copy(periodic.begin(), periodic.end(), spec.periodic);
  std::copy(words.low.begin(), words.low.end(), spec.depth_low);
  std::copy(words.high.begin(), words.high.end(), spec.depth_high);
  spec.stencil = static_cast<hlc_stencil>(words.stencil);
  spec.layout = HLC_ROW_MAJOR;
  spec.mode = static_cast<hlc_mode>(words.mode);
  spec.epoch = static_cast<hlc_epoch>(words.epoch);
  spec.drive = static_cast<hlc_drive>(words.drive);
  return spec;
}

using BlocksSwaps = Swaps<hlc_blocks, hlc_swap, hlc_blocks_finalise, hlc_blocks_start, hlc_blocks_test, hlc_blocks_finish, hlc_blocks_info,
                          hlc_blocks_explain>;

class Blocks : public BlocksSwaps {
 public:
  /// `fields` are those of the first box, then those of the next. The lengths of lists fit: Python has checked that.
  Blocks(nb::object context, const Cells &shape, const std::vector<int> &periodic, const std::vector<BoxWords> &boxes, int nfields,
         const std::vector<FieldWords> &fields, int parts, const HaloWords &words, nb::object keep)
      : Swaps("Blocks", std::move(context), std::move(keep)) {
    std::vector<hlc_box> listed;
    for (const BoxWords &box : boxes) listed.push_back(box_of(box));
    std::vector<hlc_field> described;
    for (const FieldWords &field : fields) described.push_back(field_of(this->context(), field));
    std::vector<hlc_field_shape> shapes;
    for (const ShapeWords &given : words.shapes) shapes.push_back(shape_of(given));
    hlc_blocks_spec spec = spec_of(shape, periodic, words);
    spec.nblocks = static_cast<int>(listed.size());
    spec.blocks = listed.data();
    spec.nfields = nfields;
    spec.fields = described.data();
    spec.shapes = shapes.empty() ? nullptr : shapes.data();
    spec.parts = parts;
    make([&](hlc_context *raw, hlc_blocks **blocks) { return hlc_blocks_init(raw, &spec, blocks); });
    note_neighbours();
  }

  void swap(const std::vector<int> &fields, bool reverse, std::int64_t depth) {
    const hlc_swap what = moving(fields, reverse, depth);
    exchange(&what);
  }
  void start(const std::vector<int> &fields, bool reverse, std::int64_t depth) {
    const hlc_swap what = moving(fields, reverse, depth);
    begin(&what);
  }
  /// In order with the work in a stream of the arrays' device.
  void start_on(const std::vector<int> &fields, bool reverse, std::int64_t depth, std::uintptr_t stream) {
    const hlc_swap what = moving(fields, reverse, depth);
    hlc_blocks *blocks = raw();
    run([&] { return hlc_blocks_start_on(blocks, &what, reinterpret_cast<void *>(stream)); });
  }
  void finish_on(std::uintptr_t stream) {
    hlc_blocks *blocks = raw();
    run([&] { return hlc_blocks_finish_on(blocks, reinterpret_cast<void *>(stream)); });
  }
  // Other threads of the process may have to run before these two return.
  void start_part(int part, const std::vector<int> &fields, bool reverse, std::int64_t depth) {
    const hlc_swap what = moving(fields, reverse, depth);
    hlc_blocks *blocks = raw();
    check(waiting([&] { return hlc_blocks_start_part(blocks, part, &what); }));
  }
  void finish_part(int part) {
    hlc_blocks *blocks = raw();
    check(waiting([&] { return hlc_blocks_finish_part(blocks, part); }));
  }

 private:
  static hlc_swap moving(const std::vector<int> &fields, bool reverse, std::int64_t depth) {
    hlc_swap what{};
    what.nfields = static_cast<int>(fields.size());
    what.fields = fields.data();
    what.reverse = reverse;
    what.depth = depth;
    return what;
  }
};

}  // namespace

void define_blocks(nb::module_ &module) {
  nb::class_<Blocks>(module, "Blocks")
      .def(nb::init<nb::object, const Cells &, const std::vector<int> &, const std::vector<BoxWords> &, int,
                    const std::vector<FieldWords> &, int, const HaloWords &, nb::object>())
      .def("swap", &Blocks::swap)
      .def("start", &Blocks::start)
      .def("start_on", &Blocks::start_on)
      .def("finish_on", &Blocks::finish_on)
      .def("start_part", &Blocks::start_part)
      .def("test", &Blocks::test)
      .def("finish", &Blocks::finish)
      .def("finish_part", &Blocks::finish_part)
      .def("info", &Blocks::info)
      .def("explain", &Blocks::explain)
      .def("close", &Blocks::close)
      .def_prop_ro("is_open", &Blocks::is_open);
}

}  // namespace halocline::python
