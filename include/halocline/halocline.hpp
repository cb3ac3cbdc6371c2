/*
 * Halocline for C++: the C API with owners, exceptions and lambdas. Header-only, C++17 or newer. Every method is one call of
 * halocline.h, which says when it returns, who may call it and what may go wrong; a status that is an error becomes an Error.
 * Owners are move-only. Nothing here allocates between start and finish.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_HPP
#define HALOCLINE_HPP

#include <halocline/halocline.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halocline {

enum class Mode {
  standard = HLC_MODE_DEFAULT,
  p2p = HLC_MODE_P2P,
  neighbor = HLC_MODE_NEIGHBOR,
  fence = HLC_MODE_FENCE,
  pscw = HLC_MODE_PSCW,
  passive = HLC_MODE_PASSIVE,
  passive_naive = HLC_MODE_PASSIVE_NAIVE,
  notify = HLC_MODE_NOTIFY,
  direct = HLC_MODE_DIRECT
};
enum class Epoch { standard = HLC_EPOCH_DEFAULT, early = HLC_EPOCH_EARLY, late = HLC_EPOCH_LATE };
enum class Drive { standard = HLC_DRIVE_DEFAULT, put = HLC_DRIVE_PUT, get = HLC_DRIVE_GET };
enum class Stencil { box = HLC_STENCIL_BOX, star = HLC_STENCIL_STAR };

/// Which part of a halo one swap fills; zero-initialised: everything.
using Swap = hlc_swap;
/// One neighbour of an exchange.
using Neighbour = hlc_neighbour;

/// A call that failed: what() is the library's sentence about it, status() its kind.
class Error : public std::runtime_error {
 public:
  Error(hlc_status status, const std::string &message) : std::runtime_error(message), status_(status) {}
  explicit Error(hlc_status status) : Error(status, std::string(hlc_status_name(status)) + ": " + hlc_error_message()) {}
  hlc_status status() const noexcept { return status_; }

 private:
  hlc_status status_;
};

/// Throws an Error unless status is HLC_OK.
inline void check(hlc_status status) {
  if (status != HLC_OK) throw Error(status);
}

/// Returns true for HLC_OK and false for HLC_AGAIN; throws an Error for anything else.
inline bool done(hlc_status status) {
  if (status == HLC_AGAIN) return false;
  check(status);
  return true;
}

/// Returns the mode's name as HALOCLINE_MODE takes it.
inline std::string mode_name(Mode mode) { return hlc_mode_name(static_cast<hlc_mode>(mode)); }

/// Finds a mode by its name.
inline Mode mode_from_name(const std::string &name) {
  hlc_mode mode{};
  check(hlc_mode_from_name(name.c_str(), &mode));
  return static_cast<Mode>(mode);
}

/// Returns the hlc_type of a C++ type; any other trivially copyable type is opaque: swapped, but not added in a reverse swap.
template <class T>
constexpr hlc_type type_of() {
  static_assert(std::is_trivially_copyable_v<T>, "fields hold plain values");
  if constexpr (std::is_same_v<T, float>)
    return HLC_FLOAT32;
  else if constexpr (std::is_same_v<T, double>)
    return HLC_FLOAT64;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return HLC_COMPLEX64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return HLC_COMPLEX128;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 4)
    return HLC_INT32;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 8)
    return HLC_INT64;
  else
    return HLC_OPAQUE;
}

namespace detail {

inline void report(const char *where) noexcept { std::fprintf(stderr, "halocline: %s: %s\n", where, hlc_error_message()); }

/// Owns one C handle. Closing is collective, so a handle that goes out of scope because of an exception on this rank alone must not
/// wait for the others: it is then left open, and so is one that outlives MPI_Finalize.
template <class T, hlc_status (*close)(T **)>
class Handle {
 public:
  explicit Handle(T *raw) noexcept : raw_(raw) {}
  Handle(Handle &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)), exceptions_(other.exceptions_) {}
  Handle &operator=(Handle &&other) noexcept {
    Handle old(std::move(*this));
    raw_ = std::exchange(other.raw_, nullptr);
    return *this;
  }
  ~Handle() {
    if (raw_ && can_close() && close(&raw_) != HLC_OK) report("closing a handle at the end of its scope");
  }
  void finalise() {
    if (raw_) check(close(&raw_));
  }
  T *get() const noexcept { return raw_; }

 private:
  bool can_close() const noexcept {
    int finalised = 0;
    MPI_Finalized(&finalised);
    return !finalised && std::uncaught_exceptions() <= exceptions_;
  }

  T *raw_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace detail

/// Initialises MPI if nobody has, and finalises it at the end of its scope if it did. Declare it before everything else.
class Mpi {
 public:
  explicit Mpi(int threads = MPI_THREAD_SINGLE) {
    int initialised = 0, provided = 0;
    MPI_Initialized(&initialised);
    if (!initialised) MPI_Init_thread(nullptr, nullptr, threads, &provided);
    mine_ = !initialised;
  }
  Mpi(const Mpi &) = delete;
  Mpi &operator=(const Mpi &) = delete;
  ~Mpi() {
    if (mine_) MPI_Finalize();
  }

 private:
  bool mine_;
};

/// The library opened for the ranks of a communicator (hlc_init). It must outlive what is made from it.
class Context {
 public:
  explicit Context(MPI_Comm comm) : handle_(open(comm)) {}
  /// Rank, size, nodes and cores.
  hlc_context_info_t info() const {
    hlc_context_info_t info{};
    check(hlc_context_info(raw(), &info));
    return info;
  }
  int rank() const { return info().rank; }
  int size() const { return info().size; }
  /// Closes the context now and says so if that fails (hlc_finalise). Collective.
  void finalise() { handle_.finalise(); }
  hlc_context *raw() const noexcept { return handle_.get(); }

 private:
  static hlc_context *open(MPI_Comm comm) {
    hlc_context *raw = nullptr;
    check(hlc_init(comm, &raw));
    return raw;
  }
  detail::Handle<hlc_context, hlc_finalise> handle_;
};

/// count values of T in memory that all ranks of the node can read, filled with zeros (hlc_field_alloc). Making one is collective.
template <class T>
class SharedArray {
 public:
  SharedArray(const Context &context, std::size_t count) : context_(context.raw()), count_(count) {
    void *raw = nullptr;
    check(hlc_field_alloc(context_, count * sizeof(T), &raw));
    data_ = static_cast<T *>(raw);
  }
  SharedArray(SharedArray &&other) noexcept
      : context_(other.context_), count_(std::exchange(other.count_, 0)), data_(std::exchange(other.data_, nullptr)) {}
  SharedArray &operator=(SharedArray &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(count_, other.count_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~SharedArray() {
    void *raw = data_;
    if (raw && hlc_field_free(context_, &raw) != HLC_OK && !std::uncaught_exceptions()) detail::report("freeing a field");
  }
  T *data() noexcept { return data_; }
  const T *data() const noexcept { return data_; }
  std::size_t size() const noexcept { return count_; }
  T &operator[](std::size_t i) noexcept { return data_[i]; }
  const T &operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  hlc_context *context_;
  std::size_t count_;
  T *data_ = nullptr;
};

/// A block decomposition of global cells over the ranks of a context (hlc_grid_create). periodic: one flag per dimension, empty: all
/// open. ranks: ranks along each dimension, 0 where free, empty: all free.
class Grid {
 public:
  Grid(const Context &context, const std::vector<std::int64_t> &global, const std::vector<int> &periodic = {},
       const std::vector<int> &ranks = {}) {
    const auto fits = [&](const std::vector<int> &list) { return list.empty() || list.size() == global.size(); };
    if (!fits(periodic) || !fits(ranks)) throw Error(HLC_ERR_ARGUMENT, "Grid: periodic and ranks need one entry per dimension, or none");
    check(hlc_grid_create(context.raw(), static_cast<int>(global.size()), global.data(), ranks.empty() ? nullptr : ranks.data(),
                          periodic.empty() ? nullptr : periodic.data(), &grid_));
  }
  explicit Grid(const hlc_grid &grid) : grid_(grid) {}
  int ndims() const noexcept { return grid_.ndims; }
  /// Cells of this rank's block along dimension d.
  std::int64_t local(int d) const noexcept { return grid_.local[d]; }
  /// First global cell of this rank's block along dimension d.
  std::int64_t start(int d) const noexcept { return grid_.start[d]; }
  std::int64_t global(int d) const noexcept { return grid_.global[d]; }
  /// Ranks along dimension d.
  int ranks(int d) const noexcept { return grid_.dims[d]; }
  /// This rank's place along dimension d.
  int coord(int d) const noexcept { return grid_.coords[d]; }
  /// The rank at coords, HLC_NO_NEIGHBOUR beyond an open side.
  int rank_at(const std::array<int, HLC_MAX_DIMS> &coords) const noexcept { return hlc_grid_rank(&grid_, coords.data()); }
  const hlc_grid &raw() const noexcept { return grid_; }

 private:
  hlc_grid grid_{};
};

/// Halo cells on both sides of each of N dimensions.
template <int N>
struct Depth {
  std::array<std::int64_t, N> low{}, high{};
  static Depth all(std::int64_t cells) {
    Depth depth;
    depth.low.fill(cells);
    depth.high.fill(cells);
    return depth;
  }
};

/// One block of a grid with its halo, row-major: u(i, j) is interior cell (i, j) counted from 0; -1 and local(d) are halo cells.
template <class T, int N>
class Field {
 public:
  Field(const Context &context, const Grid &grid, const Depth<N> &depth)
      : depth_(depth), extent_(extents(grid, depth)), cells_(context, count(extent_)), origin_(cells_.data() + offset(depth.low)) {}
  Field(const Context &context, const Grid &grid, std::int64_t depth) : Field(context, grid, Depth<N>::all(depth)) {}
  template <class... Index>
  T &operator()(Index... index) noexcept {
    static_assert(sizeof...(Index) == N, "one index per dimension");
    return origin_[offset({static_cast<std::int64_t>(index)...})];
  }
  template <class... Index>
  const T &operator()(Index... index) const noexcept {
    static_assert(sizeof...(Index) == N, "one index per dimension");
    return origin_[offset({static_cast<std::int64_t>(index)...})];
  }
  /// Cells along dimension d, halo included.
  std::int64_t extent(int d) const noexcept { return extent_[d]; }
  const Depth<N> &depth() const noexcept { return depth_; }
  /// The whole block, halo included; data() is its first cell.
  T *data() noexcept { return cells_.data(); }
  std::size_t size() const noexcept { return cells_.size(); }

 private:
  using Index = std::array<std::int64_t, N>;
  static Index extents(const Grid &grid, const Depth<N> &depth) {
    if (grid.ndims() != N) throw Error(HLC_ERR_ARGUMENT, "Field: the grid has another number of dimensions");
    Index extent;
    for (int d = 0; d < N; ++d) extent[d] = depth.low[d] + grid.local(d) + depth.high[d];
    return extent;
  }
  static std::size_t count(const Index &extent) {
    std::size_t cells = 1;
    for (std::int64_t n : extent) cells *= static_cast<std::size_t>(n);
    return cells;
  }
  std::int64_t offset(const Index &index) const noexcept {
    std::int64_t offset = index[0];
    for (int d = 1; d < N; ++d) offset = offset * extent_[d] + index[d];
    return offset;
  }

  Depth<N> depth_;
  Index extent_;
  SharedArray<T> cells_;
  T *origin_;
};

/// How a Halo looks and moves; every member may be left out.
struct HaloOptions {
  Stencil stencil = Stencil::box;
  Mode mode = Mode::standard;
  Epoch epoch = Epoch::standard;
  Drive drive = Drive::standard;
};

/// A field as a Halo takes it, made from a Field without a word of the caller.
class FieldRef {
 public:
  template <class T, int N>
  FieldRef(Field<T, N> &field) : field_{} {
    field_.data = field.data();
    field_.type = type_of<T>();
    field_.element_bytes = sizeof(T);
    std::copy(field.depth().low.begin(), field.depth().low.end(), low_.begin());
    std::copy(field.depth().high.begin(), field.depth().high.end(), high_.begin());
  }
  bool same_depth(const FieldRef &other) const { return low_ == other.low_ && high_ == other.high_; }
  const hlc_field &raw() const noexcept { return field_; }
  const std::array<std::int64_t, HLC_MAX_DIMS> &low() const noexcept { return low_; }
  const std::array<std::int64_t, HLC_MAX_DIMS> &high() const noexcept { return high_; }

 private:
  hlc_field field_;
  std::array<std::int64_t, HLC_MAX_DIMS> low_{}, high_{};
};

/// Planned halo swaps (hlc_halo_init). Making and closing one is collective; fields and context must outlive it.
class Halo {
 public:
  /// From a spec as the C API takes it: any strides, any depths, the caller's own memory.
  Halo(const Context &context, const hlc_halo_spec &spec) : handle_(open(context, spec)) {}
  /// From fields of one grid, all of the same depth.
  Halo(const Context &context, const Grid &grid, std::initializer_list<FieldRef> fields, const HaloOptions &options = {})
      : handle_(open(context, grid, fields, options)) {}
  /// Starts one swap of everything.
  void start() { check(hlc_halo_start(raw(), nullptr)); }
  /// Starts one swap of what is asked for.
  void start(const Swap &what) { check(hlc_halo_start(raw(), &what)); }
  /// Moves the swap along; true: finish will not wait for data any more.
  bool test() { return done(hlc_halo_test(raw())); }
  /// Completes the swap.
  void finish() { check(hlc_halo_finish(raw())); }
  /// Start and finish in one.
  void swap() {
    start();
    finish();
  }
  void swap(const Swap &what) {
    start(what);
    finish();
  }
  /// What the plan decided: mode, routes, bytes.
  hlc_plan_info info() const {
    hlc_plan_info info{};
    check(hlc_halo_info(raw(), &info));
    return info;
  }
  /// Releases the halo now and says so if that fails. Collective. The destructor does the same without throwing.
  void finalise() { handle_.finalise(); }
  hlc_halo *raw() const noexcept { return handle_.get(); }

 private:
  static hlc_halo *open(const Context &context, const hlc_halo_spec &spec) {
    hlc_halo *raw = nullptr;
    check(hlc_halo_init(context.raw(), &spec, &raw));
    return raw;
  }
  static hlc_halo *open(const Context &context, const Grid &grid, std::initializer_list<FieldRef> refs, const HaloOptions &options) {
    std::vector<hlc_field> fields;
    for (const FieldRef &ref : refs) {
      if (!ref.same_depth(*refs.begin())) throw Error(HLC_ERR_ARGUMENT, "Halo: its fields have different depths");
      fields.push_back(ref.raw());
    }
    hlc_halo_spec spec{};
    spec.grid = &grid.raw();
    if (refs.size() > 0) {
      std::copy(refs.begin()->low().begin(), refs.begin()->low().end(), spec.depth_low);
      std::copy(refs.begin()->high().begin(), refs.begin()->high().end(), spec.depth_high);
    }
    spec.layout = HLC_ROW_MAJOR;
    spec.nfields = static_cast<int>(fields.size());
    spec.fields = fields.data();
    spec.stencil = static_cast<hlc_stencil>(options.stencil);
    spec.mode = static_cast<hlc_mode>(options.mode);
    spec.epoch = static_cast<hlc_epoch>(options.epoch);
    spec.drive = static_cast<hlc_drive>(options.drive);
    return open(context, spec);
  }
  detail::Handle<hlc_halo, hlc_halo_finalise> handle_;
};

/// How an Exchange moves.
struct ExchangeOptions {
  Mode mode = Mode::standard;
  Epoch epoch = Epoch::standard;
  Drive drive = Drive::standard;
};

/// Planned exchanges with any list of neighbours (hlc_exchange_create). pack(int neighbour, void *buffer) fills what goes to a neighbour,
/// unpack(int neighbour, const void *buffer) takes what came from it; an exception that leaves them is thrown on by start or finish.
template <class Pack, class Unpack>
class Exchange {
 public:
  Exchange(const Context &context, const std::vector<Neighbour> &neighbours, Pack pack, Unpack unpack, const ExchangeOptions &options = {})
      : calls_(new Calls{std::move(pack), std::move(unpack), nullptr}), handle_(open(context, neighbours, options, calls_.get())) {}
  /// Packs for every neighbour and sends.
  void start() {
    const hlc_status status = hlc_exchange_start(raw());
    rethrow();
    check(status);
  }
  /// Moves the exchange along; true: finish will not wait any more.
  bool test() { return done(hlc_exchange_test(raw())); }
  /// Unpacks every neighbour in order of arrival.
  void finish() {
    const hlc_status status = hlc_exchange_finish(raw());
    rethrow();
    check(status);
  }
  hlc_plan_info info() const {
    hlc_plan_info info{};
    check(hlc_exchange_info(raw(), &info));
    return info;
  }
  /// Releases the exchange now and says so if that fails. Collective.
  void finalise() { handle_.finalise(); }
  hlc_exchange *raw() const noexcept { return handle_.get(); }

 private:
  struct Calls {
    Pack pack;
    Unpack unpack;
    std::exception_ptr failure;
  };
  static void pack(int neighbour, void *buffer, void *user) {
    auto *calls = static_cast<Calls *>(user);
    try {
      calls->pack(neighbour, buffer);
    } catch (...) {
      calls->failure = std::current_exception();
    }
  }
  static void unpack(int neighbour, const void *buffer, void *user) {
    auto *calls = static_cast<Calls *>(user);
    try {
      calls->unpack(neighbour, buffer);
    } catch (...) {
      calls->failure = std::current_exception();
    }
  }
  static hlc_exchange *open(const Context &context, const std::vector<Neighbour> &neighbours, const ExchangeOptions &options,
                            Calls *calls) {
    hlc_exchange_spec spec{};
    spec.nneighbours = static_cast<int>(neighbours.size());
    spec.neighbours = neighbours.data();
    spec.pack = &Exchange::pack;
    spec.unpack = &Exchange::unpack;
    spec.user = calls;
    spec.mode = static_cast<hlc_mode>(options.mode);
    spec.epoch = static_cast<hlc_epoch>(options.epoch);
    spec.drive = static_cast<hlc_drive>(options.drive);
    hlc_exchange *raw = nullptr;
    check(hlc_exchange_create(context.raw(), &spec, &raw));
    return raw;
  }
  void rethrow() {
    if (calls_->failure) std::rethrow_exception(std::exchange(calls_->failure, nullptr));
  }

  std::unique_ptr<Calls> calls_;
  detail::Handle<hlc_exchange, hlc_exchange_destroy> handle_;
};

}  // namespace halocline
#endif
