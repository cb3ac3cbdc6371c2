// The library opened for a communicator, and memory that the ranks of a node share.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HALOCLINE_CXX_CONTEXT_HPP
#define HALOCLINE_CXX_CONTEXT_HPP

#include <halocline/cxx/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace halocline {

/// Initialises MPI if it is not initialised yet, and in that case finalises it at the end of its scope. Declare it before everything else.
class Mpi {
 public:
  /// threads: the level to ask MPI_Init_thread for. Where MPI is initialised already, nothing happens.
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
  /// Duplicates the communicator. Collective over it. Throws HLC_ERR_STATE where MPI is not initialised.
  explicit Context(MPI_Comm comm) : handle_(open(comm)) {}
  /// Rank, size, nodes and cores.
  hlc_context_info_t info() const {
    hlc_context_info_t info{};
    check(hlc_context_info(raw(), &info));
    return info;
  }
  /// What carries data to other nodes (hlc_context_network).
  std::string network() const { return hlc_context_network(raw()); }
  /// This rank in the communicator, from 0.
  int rank() const { return info().rank; }
  /// Ranks of the communicator.
  int size() const { return info().size; }
  /// Closes the context now and says so if that fails (hlc_finalise). Collective.
  void finalise() { handle_.finalise(); }
  /// The handle for calls of the C API. It is closed with this object.
  hlc_context *raw() const noexcept { return handle_.get(); }

 private:
  static hlc_context *open(MPI_Comm comm) {
    hlc_context *raw = nullptr;
    check(hlc_init(comm, &raw));
    return raw;
  }
  detail::Handle<hlc_context, hlc_finalise> handle_;
};

/// Placement of the pages of shared memory: at the thread that allocates, or each at the thread that writes it first
/// (hlc_field_alloc_untouched).
enum class Pages { of_the_caller, untouched };

/// count values of T in memory that all ranks of the node can read, filled with zeros (hlc_field_alloc). Making one is collective.
template <class T>
class SharedArray {
 public:
  /// Allocates count values per rank; the ranks may have different counts. Collective. Throws HLC_ERR_MEMORY
  /// on all ranks of the node if it is short on one.
  SharedArray(const Context &context, std::size_t count, Pages pages = Pages::of_the_caller) : context_(context.raw()), count_(count) {
    void *raw = nullptr;
    const auto alloc = pages == Pages::untouched ? hlc_field_alloc_untouched : hlc_field_alloc;
    // More than fits a size_t is refused by all ranks together, as any size that no memory has.
    check(alloc(context_, count > SIZE_MAX / sizeof(T) ? SIZE_MAX : count * sizeof(T), &raw));
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
  /// The first value. The same address as long as the array exists, even where the object is moved.
  T *data() noexcept { return data_; }
  /// The first value.
  const T *data() const noexcept { return data_; }
  /// Values of this rank.
  std::size_t size() const noexcept { return count_; }
  /// Value i of this rank. The index is not checked.
  T &operator[](std::size_t i) noexcept { return data_[i]; }
  /// Value i of this rank. The index is not checked.
  const T &operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  hlc_context *context_;
  std::size_t count_;
  T *data_ = nullptr;
};

/// count values of T in the memory of the device that is current in the thread, filled with zeros (hlc_field_alloc_in). The host cannot access
/// them: pass data() to fields, and to kernels. Making one is collective.
template <class T>
class DeviceArray {
 public:
  /// Allocates count values per rank. Collective, also with ranks that make a SharedArray. Throws HLC_ERR_UNSUPPORTED on all ranks if one has
  /// no driver of a device, HLC_ERR_STATE if no device is current, HLC_ERR_MEMORY if memory is short.
  DeviceArray(const Context &context, std::size_t count) : context_(context.raw()), count_(count) {
    void *raw = nullptr;
    check(hlc_field_alloc_in(context_, HLC_MEMORY_DEVICE, count > SIZE_MAX / sizeof(T) ? SIZE_MAX : count * sizeof(T), &raw));
    data_ = static_cast<T *>(raw);
  }
  DeviceArray(DeviceArray &&other) noexcept
      : context_(other.context_), count_(std::exchange(other.count_, 0)), data_(std::exchange(other.data_, nullptr)) {}
  DeviceArray &operator=(DeviceArray &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(count_, other.count_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~DeviceArray() {
    void *raw = data_;
    if (raw && hlc_field_free(context_, &raw) != HLC_OK && !std::uncaught_exceptions()) detail::report("freeing a field on a device");
  }
  /// The device's address of the first value.
  T *data() const noexcept { return data_; }
  /// Values of this rank.
  std::size_t size() const noexcept { return count_; }

 private:
  hlc_context *context_;
  std::size_t count_;
  T *data_ = nullptr;
};

}  // namespace halocline
#endif
