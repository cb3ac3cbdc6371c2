// What all files of the extension share: statuses as exceptions, waits without the interpreter's lock, and the buffers of Python objects.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.h>
#include <nanobind/nanobind.h>

#include <string>
#include <utility>

namespace halocline::python {

namespace nb = nanobind;

/// Raises the exception of a status (halocline._errors.made), with the message of this thread's last call.
[[noreturn]] void raise(hlc_status status);
/// The same with another message.
[[noreturn]] void raise(hlc_status status, const char *message);
/// Raises ArgumentError with a message of the binding's own.
[[noreturn]] void refuse(const std::string &message);
/// Raises StateError with a message of the binding's own.
[[noreturn]] void refuse_now(const std::string &message);

inline void check(hlc_status status) {
  if (status != HLC_OK) raise(status);
}

/// True for HLC_OK, false for HLC_AGAIN.
inline bool done(hlc_status status) {
  if (status == HLC_AGAIN) return false;
  check(status);
  return true;
}

/// True in a process that was forked after the extension was loaded: there no object of the library may be used.
bool is_forked() noexcept;
/// Raises StateError in such a process.
inline void refuse_after_fork(const char *name) {
  if (is_forked()) refuse_now(std::string(name) + ": this process was forked; what the library made belongs to the process that made it");
}

/// For the end of the process: has all waits of other threads end, and those of this one after some seconds from now. Waits a moment for the
/// other threads, which never return to Python. A second call changes the seconds.
void end_waits(double patience_s);
/// True in those other threads: they may not take the interpreter's lock any more.
bool is_left_behind() noexcept;

/// Without the interpreter's lock, while a call may wait for other ranks. Signals are handled meanwhile (hlc_set_wait_check).
class Unlocked {
 public:
  Unlocked() noexcept;
  Unlocked(const Unlocked &) = delete;
  Unlocked &operator=(const Unlocked &) = delete;
  ~Unlocked();

 private:
  PyThreadState *state_;
  bool outer_;
};

/// Has the library handle Python's signals in its long waits.
void handle_signals_in_waits();

template <class Call>
hlc_status unlocked(Call call) {
  const Unlocked without_lock;
  return call();
}

/// Makes a call that may wait. Raises what a signal handler has raised meanwhile (KeyboardInterrupt), also where the call itself succeeded.
template <class Call>
hlc_status waiting(Call call) {
  const hlc_status status = unlocked(call);
  if (PyErr_Occurred()) throw nb::python_error();
  return status;
}

/// Keeps the exception that is set, if one is.
void keep_pending();
/// Raises what was kept.
void raise_pending();

/// As waiting, for a call that makes something. What a signal handler has raised is kept if the call succeeds, for raise_pending: an exception
/// would lose the only handle.
template <class Call>
hlc_status making(Call call) {
  const hlc_status status = unlocked(call);
  if (status != HLC_OK && PyErr_Occurred()) throw nb::python_error();
  keep_pending();
  return status;
}

/// Which threads are in calls of an object that release the interpreter's lock. It is changed under that lock.
class Uses {
 public:
  /// As python::waiting.
  template <class Call>
  hlc_status waiting(Call call) {
    const Inside inside(calls_);
    return python::waiting(call);
  }
  /// As python::making.
  template <class Call>
  hlc_status making(Call call) {
    const Inside inside(calls_);
    return python::making(call);
  }
  /// Ends a handle by a call with its place. Meanwhile the handle is null for all others. Raises StateError while a thread is in a call.
  template <class T, class Call>
  hlc_status ending(const char *name, T **handle, Call call) {
    if (!*handle && !is_ending_) return HLC_OK;
    refuse_after_fork(name);
    refuse_end(name);
    T *ending = std::exchange(*handle, nullptr);
    const struct Back {
      ~Back() { *handle = ending, uses.is_ending_ = false; }
      T **handle, *&ending;
      Uses &uses;
    } back{handle, ending, *this};
    is_ending_ = true;
    return python::waiting([&] { return call(&ending); });
  }
  /// Raises StateError for a handle that is null.
  [[noreturn]] void refuse_null(const char *name) const;

 private:
  struct Inside {
    explicit Inside(int &calls) : calls_(calls) { calls_ += 1; }
    Inside(const Inside &) = delete;
    Inside &operator=(const Inside &) = delete;
    ~Inside() { calls_ -= 1; }
    int &calls_;
  };
  void refuse_end(const char *name) const;

  int calls_ = 0;
  bool is_ending_ = false;
};

/// The memory of an object with the buffer protocol. The object stays alive and keeps its size.
class Buffer {
 public:
  enum class Access { read, write };
  /// Contiguous is in C's order.
  enum class Layout { contiguous, strided };
  /// `what` names it in messages. Raises ArgumentError for an object without such memory, and for memory that holds Python objects.
  Buffer(nb::handle object, Access access, const char *what, Layout layout = Layout::contiguous);
  Buffer(Buffer &&other) noexcept : view_(std::exchange(other.view_, Py_buffer{})) {}
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(view_, other.view_);
    return *this;
  }
  ~Buffer() { PyBuffer_Release(&view_); }

  /// The first element.
  void *data() const { return view_.buf; }
  std::int64_t bytes() const { return view_.len; }
  /// The kind of its elements as numpy.dtype.kind, and their bytes: "f8".
  std::string type() const;
  /// Axes, elements and strides in bytes; strides for Layout::strided only.
  const Py_buffer &view() const { return view_; }

 private:
  Py_buffer view_{};
};

template <class T>
nb::tuple tuple_of(const T *values, int count) {
  nb::list list;
  for (int d = 0; d < count; ++d) list.append(values[d]);
  return nb::tuple(list);
}

void define_context(nb::module_ &module);
void define_halo(nb::module_ &module);
void define_index_halo(nb::module_ &module);
void define_blocks(nb::module_ &module);
void define_sparse(nb::module_ &module);
void define_exchange(nb::module_ &module);
void define_segment(nb::module_ &module);
void define_allreduce(nb::module_ &module);

}  // namespace halocline::python
