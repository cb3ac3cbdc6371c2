// Halo swaps of unstructured meshes.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HALOCLINE_CXX_INDEX_HALO_HPP
#define HALOCLINE_CXX_INDEX_HALO_HPP

#include <halocline/cxx/exchange.hpp>
#include <halocline/cxx/field.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace halocline {

/// The lists that a rank shares with one neighbour (hlc_index_neighbour), from lists of any integer type.
class IndexNeighbour {
 public:
  /// out: local indices of entries that this rank sends, in: of those that it receives. Both sides list them in the same order.
  template <class Out, class In>
  IndexNeighbour(int rank, const Out &out, const In &in) : rank_(rank), out_(out.begin(), out.end()), in_(in.begin(), in.end()) {}
  /// Distinguishes lists with the same rank: out is this side's number, in that of the side it faces.
  IndexNeighbour &tags(int out, int in) {
    tag_out_ = out;
    tag_in_ = in;
    return *this;
  }
  /// The lists as hlc_index_halo_spec takes them; they point into this object.
  hlc_index_neighbour raw() const noexcept {
    return {rank_,     tag_out_, tag_in_, static_cast<std::int64_t>(out_.size()), out_.data(), static_cast<std::int64_t>(in_.size()),
            in_.data()};
  }

 private:
  int rank_, tag_out_ = 0, tag_in_ = 0;
  std::vector<std::int64_t> out_, in_;
};

/// A field of an IndexHalo: entries of some components, side by side (u[entry][component]).
class IndexField {
 public:
  /// data: the first component of entry 0. name: for messages.
  template <class T>
  explicit IndexField(T *data, std::int64_t components = 1, const char *name = nullptr) : field_{} {
    field_.data = data;
    field_.type = type_of<T>();
    field_.element_bytes = sizeof(T);
    field_.components = components;
    field_.name = name;
  }
  /// Other distances, in bytes, from one entry to the next and from one component to the next; 0 as in hlc_index_field.
  IndexField &strides(std::int64_t entry, std::int64_t component) {
    field_.entry_stride_bytes = entry;
    field_.component_stride_bytes = component;
    return *this;
  }
  /// The field as hlc_index_halo_spec takes it.
  const hlc_index_field &raw() const noexcept { return field_; }

 private:
  hlc_index_field field_;
};

/// Planned swaps of listed entries (hlc_index_halo_init). Making and closing one is collective; fields and context must outlive it.
class IndexHalo {
 public:
  /// From a spec as the C API takes it.
  IndexHalo(const Context &context, const hlc_index_halo_spec &spec) : handle_(open(context, spec)) {}
  /// entries: of each field on this rank, ghosts included.
  IndexHalo(const Context &context, std::int64_t entries, const std::vector<IndexNeighbour> &neighbours,
            const std::vector<IndexField> &fields, const ExchangeOptions &options = {})
      : handle_(open(context, entries, neighbours, fields, options)) {}
  /// Starts a swap of all fields from owners to ghosts.
  void start() { check(hlc_index_halo_start(raw(), nullptr)); }
  /// Starts a swap as requested.
  void start(const hlc_index_swap &what) { check(hlc_index_halo_start(raw(), &what)); }
  /// The same of fields in the memory of a CUDA device, in order with the work in a stream of it (hlc_index_halo_start_on).
  void start_on(void *stream) { check(hlc_index_halo_start_on(raw(), nullptr, stream)); }
  /// The same as requested.
  void start_on(void *stream, const hlc_index_swap &what) { check(hlc_index_halo_start_on(raw(), &what, stream)); }
  /// Starts to add the ghosts of all fields to their owners' entries.
  void start_reverse() { start(hlc_index_swap{0, nullptr, 1}); }
  /// Moves the swap along; true: finish will not wait for data any more.
  bool test() { return done(hlc_index_halo_test(raw())); }
  /// Completes the swap.
  void finish() { check(hlc_index_halo_finish(raw())); }
  /// Completes it in order with the work in a stream, without a wait for the last copies (hlc_index_halo_finish_on).
  void finish_on(void *stream) { check(hlc_index_halo_finish_on(raw(), stream)); }
  /// Completes the swap without copies in mode view (hlc_index_halo_finish_views).
  void finish_views() { check(hlc_index_halo_finish_views(raw())); }
  /// Releases the views and waits until the neighbours have released theirs (hlc_index_halo_release).
  void release() { check(hlc_index_halo_release(raw())); }
  /// The location of the values of a neighbour's in list (hlc_index_halo_view).
  hlc_index_view view(int field, int neighbour) {
    hlc_index_view view{};
    check(hlc_index_halo_view(raw(), field, neighbour, &view));
    return view;
  }
  /// Start and finish in one.
  void swap() {
    start();
    finish();
  }
  /// start_reverse and finish in one.
  void swap_reverse() {
    start_reverse();
    finish();
  }
  /// What the plan decided: mode, routes, bytes.
  hlc_plan_info info() const {
    hlc_plan_info info{};
    check(hlc_index_halo_info(raw(), &info));
    return info;
  }
  /// Which mode is used, and why: in words or as JSON (hlc_halo_explain).
  std::string explain(Format format = Format::text) const { return explanation<hlc_index_halo>(hlc_index_halo_explain, raw(), format); }
  /// Releases the halo now and says so if that fails. Collective. The destructor does the same without throwing.
  void finalise() { handle_.finalise(); }
  /// The handle for calls of the C API. It is closed with this object.
  hlc_index_halo *raw() const noexcept { return handle_.get(); }

 private:
  static hlc_index_halo *open(const Context &context, const hlc_index_halo_spec &spec) {
    hlc_index_halo *raw = nullptr;
    check(hlc_index_halo_init(context.raw(), &spec, &raw));
    return raw;
  }
  static hlc_index_halo *open(const Context &context, std::int64_t entries, const std::vector<IndexNeighbour> &neighbours,
                              const std::vector<IndexField> &fields, const ExchangeOptions &options) {
    std::vector<hlc_index_neighbour> lists;
    for (const IndexNeighbour &neighbour : neighbours) lists.push_back(neighbour.raw());
    std::vector<hlc_index_field> arrays;
    for (const IndexField &field : fields) arrays.push_back(field.raw());
    hlc_index_halo_spec spec{};
    spec.nentries = entries;
    spec.nneighbours = static_cast<int>(lists.size());
    spec.neighbours = lists.data();
    spec.nfields = static_cast<int>(arrays.size());
    spec.fields = arrays.data();
    spec.mode = static_cast<hlc_mode>(options.mode);
    spec.epoch = static_cast<hlc_epoch>(options.epoch);
    spec.drive = static_cast<hlc_drive>(options.drive);
    return open(context, spec);
  }
  detail::Handle<hlc_index_halo, hlc_index_halo_finalise> handle_;
};

}  // namespace halocline
#endif
