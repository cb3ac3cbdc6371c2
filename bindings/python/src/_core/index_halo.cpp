// Halos of unstructured meshes: swaps of listed entries.
// SPDX-License-Identifier: BSD-3-Clause
#include "shown_cells.hpp"
#include "swaps.hpp"

namespace halocline::python {
namespace {

/// As Python states a neighbour: rank, tag out, tag in, and the lists of entries that are sent and received, of int64.
using NeighbourWords = std::tuple<int, int, int, nb::object, nb::object>;
/// As Python states a field: address, type, bytes of a component, components, bytes between entries and between components, name.
using IndexFieldWords = std::tuple<std::uintptr_t, int, std::size_t, std::int64_t, std::int64_t, std::int64_t, std::string>;

hlc_index_field field_of(const Context &context, const IndexFieldWords &words) {
  const auto &[address, type, bytes, components, entry_stride, component_stride, name] = words;
  void *data = context.translated(reinterpret_cast<void *>(address));
  return {data, static_cast<hlc_type>(type), bytes, components, entry_stride, component_stride, name.empty() ? nullptr : name.c_str()};
}

/// Lists of entries, which live as long as this.
class Lists {
 public:
  explicit Lists(const std::vector<NeighbourWords> &neighbours) {
    for (const auto &[rank, tag_out, tag_in, out, in] : neighbours) {
      const Buffer &sent = buffers_.emplace_back(out, Buffer::Access::read, "send");
      const auto nout = sent.bytes() / kBytes;
      const auto *first_out = static_cast<const std::int64_t *>(sent.data());
      const Buffer &received = buffers_.emplace_back(in, Buffer::Access::read, "receive");
      list_.push_back(
          {rank, tag_out, tag_in, nout, first_out, received.bytes() / kBytes, static_cast<const std::int64_t *>(received.data())});
    }
  }
  const std::vector<hlc_index_neighbour> &neighbours() const { return list_; }

 private:
  static constexpr std::int64_t kBytes = sizeof(std::int64_t);
  std::vector<Buffer> buffers_;
  std::vector<hlc_index_neighbour> list_;
};

using IndexSwaps = Swaps<hlc_index_halo, hlc_index_swap, hlc_index_halo_finalise, hlc_index_halo_start, hlc_index_halo_test,
                         hlc_index_halo_finish, hlc_index_halo_info, hlc_index_halo_explain>;

class IndexHalo : public IndexSwaps {
 public:
  IndexHalo(nb::object context, std::int64_t entries, const std::vector<IndexFieldWords> &fields,
            const std::vector<NeighbourWords> &neighbours, const HaloWords &words, nb::object keep)
      : Swaps("IndexHalo", std::move(context), std::move(keep)) {
    const Lists lists(neighbours);
    for (const IndexFieldWords &field : fields) own_.push_back(field_of(this->context(), field));
    hlc_index_halo_spec spec{};
    spec.nentries = entries;
    spec.nneighbours = static_cast<int>(lists.neighbours().size());
    spec.neighbours = lists.neighbours().data();
    spec.nfields = static_cast<int>(own_.size());
    spec.fields = own_.data();
    spec.mode = static_cast<hlc_mode>(words.mode);
    spec.epoch = static_cast<hlc_epoch>(words.epoch);
    spec.drive = static_cast<hlc_drive>(words.drive);
    make([&](hlc_context *raw, hlc_index_halo **halo) { return hlc_index_halo_init(raw, &spec, halo); });
    note_neighbours();
  }

  void swap(const std::vector<int> &fields, bool reverse) {
    const hlc_index_swap what{static_cast<int>(fields.size()), fields.data(), reverse};
    exchange(&what);
  }
  void start(const std::vector<int> &fields, bool reverse) {
    const hlc_index_swap what{static_cast<int>(fields.size()), fields.data(), reverse};
    begin(&what);
  }

  /// In order with the work in a stream of the fields' device.
  void start_on(const std::vector<int> &fields, bool reverse, std::uintptr_t stream) {
    const hlc_index_swap what{static_cast<int>(fields.size()), fields.data(), reverse};
    hlc_index_halo *halo = raw();
    run([&] { return hlc_index_halo_start_on(halo, &what, reinterpret_cast<void *>(stream)); });
  }
  void finish_on(std::uintptr_t stream) {
    hlc_index_halo *halo = raw();
    run([&] { return hlc_index_halo_finish_on(halo, reinterpret_cast<void *>(stream)); });
  }

  void finish_views() {
    hlc_index_halo *halo = raw();
    run([&] { return hlc_index_halo_finish_views(halo); });
  }
  void release() {
    hlc_index_halo *halo = raw();
    run([&] { return hlc_index_halo_release(halo); });
  }
  /// Where the values of one list of ghosts are. A tuple: the address of entry 0, strides in bytes of entries and components, entries as int64,
  /// their owner, and what keeps the memory. None keeps that of the program's array, which begins at `own`. None in place of
  /// all this: the last swap did not move this field.
  nb::object view(int field, int neighbour, std::uintptr_t own) {
    hlc_index_view view{};
    check(hlc_index_halo_view(raw(), field, neighbour, &view));
    if (!view.data) return nb::none();
    std::vector<std::int64_t> places;
    for (const hlc_index_run *run = view.runs; run != view.runs + view.nruns; ++run)
      for (std::int64_t i = 0; i < run->count; ++i) places.push_back(run->place + i);
    const hlc_index_field &mine = own_[static_cast<std::size_t>(field)];
    const auto *data = static_cast<const char *>(view.data);
    KeptBytes kept{own, nb::none()};
    // Views of this rank's own ghosts are of the program's array.
    if (data == mine.data) {
      kept.address = own;
    } else if (!places.empty()) {
      const std::int64_t last = *std::max_element(places.begin(), places.end());
      const auto bytes = static_cast<std::size_t>(last * view.entry_stride_bytes + (mine.components - 1) * view.component_stride_bytes) +
                         mine.element_bytes;
      kept = shown_.kept(data, bytes);
    }
    const nb::bytes listed(reinterpret_cast<const char *>(places.data()), places.size() * sizeof(std::int64_t));
    return nb::make_tuple(kept.address, view.entry_stride_bytes, view.component_stride_bytes, listed, view.rank, kept.owner);
  }
  void close() {
    IndexSwaps::close();
    shown_.clear();
  }

 private:
  std::vector<hlc_index_field> own_;  // once the plan is made their names are not valid any more
  ShownCells shown_{true};
};

}  // namespace

void define_index_halo(nb::module_ &module) {
  nb::class_<IndexHalo>(module, "IndexHalo")
      .def(nb::init<nb::object, std::int64_t, const std::vector<IndexFieldWords> &, const std::vector<NeighbourWords> &, const HaloWords &,
                    nb::object>())
      .def("swap", &IndexHalo::swap)
      .def("start", &IndexHalo::start)
      .def("start_on", &IndexHalo::start_on)
      .def("finish_on", &IndexHalo::finish_on)
      .def("test", &IndexHalo::test)
      .def("finish", &IndexHalo::finish)
      .def("info", &IndexHalo::info)
      .def("explain", &IndexHalo::explain)
      .def("finish_views", &IndexHalo::finish_views)
      .def("release", &IndexHalo::release)
      .def("view", &IndexHalo::view)
      .def("close", &IndexHalo::close)
      .def_prop_ro("is_open", &IndexHalo::is_open);
}

}  // namespace halocline::python
