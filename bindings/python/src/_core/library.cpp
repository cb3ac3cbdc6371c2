// Exceptions, waits and buffers.
// SPDX-License-Identifier: BSD-3-Clause
#include "library.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

namespace halocline::python {
namespace {

using Clock = std::chrono::steady_clock;

bool forked = false;
// Whether this thread waits in a call of the extension: the library also calls the check in threads of others.
thread_local bool in_wait = false;
// What a handler has raised in this thread.
thread_local std::optional<nb::python_error> pending;

// Threads in calls of the extension, changed under the interpreter's lock, and those of them that never return.
int waits = 0;
std::atomic<int> parked{0};

/// The end of the process, as `end_waits` has begun it.
struct End {
  std::thread::id thread;  // the one that ends it
  Clock::time_point limit;  // of its own waits
};
End the_end;
std::atomic<bool> has_end{false};

void note_fork() { forked = true; }

/// For a thread that Python has left behind. Before version 3.14 it would end the thread, through frames that allow no exception.
[[noreturn]] void park() noexcept {
  parked.fetch_add(1, std::memory_order_relaxed);
  for (;;) pause();
}

/// Takes the interpreter's lock again. While Python ends it may end the thread instead, as if by an exception: that one goes no further.
void relock(PyThreadState *state) noexcept {
  if (is_left_behind()) park();
  try {
    PyEval_RestoreThread(state);
  } catch (...) {
    park();
  }
}

/// Python's handlers run here, in the main thread. A handler that raises ends the wait.
bool has_raised() noexcept {
  try {
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool raised = PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;
    PyGILState_Release(state);
    return raised;
  } catch (...) {
    park();
  }
}

/// What the library calls in long waits.
int ends_wait() {
  if (!in_wait) return 0;
  // SYNC end-before-flag (pairs with end_waits)
  if (has_end.load(std::memory_order_acquire) && (is_left_behind() || Clock::now() > the_end.limit)) return 1;
  return has_raised();
}

/// Whether a format of the buffer protocol has Python objects, also in a field of a structure. Names stand between colons.
bool has_objects(const char *format) {
  bool in_name = false;
  for (; format && *format != '\0'; ++format) {
    if (*format == ':') in_name = !in_name;
    if (*format == 'O' && !in_name) return true;
  }
  return false;
}

char kind_of(char format) {
  constexpr std::pair<const char *, char> kKinds[] = {{"bhilqn", 'i'}, {"BHILQN", 'u'}, {"efdg", 'f'}, {"?", 'b'}, {"Z", 'c'}};
  for (const auto &[formats, kind] : kKinds)
    if (format != '\0' && std::strchr(formats, format)) return kind;
  return 'V';
}

}  // namespace

void raise(hlc_status status, const char *message) {
  const nb::object error = nb::module_::import_("halocline._errors").attr("made")(hlc_status_name(status), message);
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

void raise(hlc_status status) { raise(status, hlc_error_message()); }
void refuse(const std::string &message) { raise(HLC_ERR_ARGUMENT, message.c_str()); }
void refuse_now(const std::string &message) { raise(HLC_ERR_STATE, message.c_str()); }

bool is_forked() noexcept { return forked; }

// SYNC end-before-flag (pairs with end_waits)
bool is_left_behind() noexcept { return has_end.load(std::memory_order_acquire) && std::this_thread::get_id() != the_end.thread; }

void end_waits(double patience_s) {
  the_end.limit = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(patience_s));
  if (has_end.load(std::memory_order_relaxed)) return;
  the_end.thread = std::this_thread::get_id();
  // SYNC end-before-flag (pairs with is_left_behind, ends_wait)
  has_end.store(true, std::memory_order_release);
  // A wait looks every ten milliseconds. One inside MPI does not look.
  constexpr int kLongest_ms = 200;
  for (int waited = 0; waited < kLongest_ms && waits > parked.load(std::memory_order_relaxed); ++waited) {
    const nb::gil_scoped_release unlocked;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Unlocked::Unlocked() noexcept : outer_(std::exchange(in_wait, true)) {
  ++waits;
  state_ = PyEval_SaveThread();
}

Unlocked::~Unlocked() {
  in_wait = outer_;
  relock(state_);
  --waits;
}

void keep_pending() {
  if (PyErr_Occurred()) pending.emplace();
}

void raise_pending() {
  if (!pending) return;
  nb::python_error raised = std::move(*pending);
  pending.reset();
  throw raised;
}

void Uses::refuse_end(const char *name) const {
  if (is_ending_) refuse_now(std::string(name) + ": another thread is closing it");
  if (calls_ > 0) refuse_now(std::string(name) + ": another thread is in one of its calls");
}

void Uses::refuse_null(const char *name) const {
  refuse_now(std::string(name) + (is_ending_ ? ": another thread is closing it" : ": it has been closed"));
}

void handle_signals_in_waits() {
  pthread_atfork(nullptr, nullptr, note_fork);
  hlc_set_wait_check(ends_wait);
}

Buffer::Buffer(nb::handle object, Access access, const char *what, Layout layout) {
  const int order = layout == Layout::contiguous ? PyBUF_C_CONTIGUOUS : PyBUF_STRIDES;
  const int flags = PyBUF_ND | PyBUF_FORMAT | order | (access == Access::write ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object.ptr(), &view_, flags) == 0) {
    if (!has_objects(view_.format)) return;
    PyBuffer_Release(&view_);
    refuse(std::string(what) + ": the elements are Python objects, which cannot be moved between processes; use a numeric dtype");
  }
  view_ = Py_buffer{};
  PyErr_Clear();
  const std::string name = nb::type_name(object.type()).c_str();
  const char *needed = access == Access::write ? "writable and contiguous" : "contiguous (numpy.ascontiguousarray makes a copy that is)";
  refuse(std::string(what) + ": the " + name + " must have memory of its own that is " + needed);
}

std::string Buffer::type() const {
  const char *format = view_.format ? view_.format : "B";
  // Numbers in the order of bytes of other machines are moved, but not computed with.
  if (std::strchr(">!", *format) != nullptr && view_.itemsize > 1) return "V" + std::to_string(view_.itemsize);
  if (std::strchr("@=<>!", *format) != nullptr) ++format;
  return kind_of(*format) + std::to_string(view_.itemsize);
}

}  // namespace halocline::python
