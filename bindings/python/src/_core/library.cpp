// Exceptions, waits and buffers.
// SPDX-License-Identifier: BSD-3-Clause
#include "library.hpp"

#include <pthread.h>

#include <cstring>
#include <optional>

namespace halocline::python {
namespace {

bool forked = false;
// Whether this thread waits in a call of the extension: the library also calls the check in threads of others.
thread_local bool in_wait = false;
// What a handler has raised in this thread.
thread_local std::optional<nb::python_error> pending;

void note_fork() { forked = true; }

/// Python's handlers run here, in the main thread. A handler that raises ends the wait.
int handle_signals() {
  if (!in_wait) return 0;
  const PyGILState_STATE state = PyGILState_Ensure();
  const bool raised = PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;
  PyGILState_Release(state);
  return raised;
}

[[noreturn]] void raise(hlc_status status, const char *message) {
  const nb::object error = nb::module_::import_("halocline._errors").attr("made")(hlc_status_name(status), message);
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
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

void raise(hlc_status status) { raise(status, hlc_error_message()); }
void refuse(const std::string &message) { raise(HLC_ERR_ARGUMENT, message.c_str()); }
void refuse_now(const std::string &message) { raise(HLC_ERR_STATE, message.c_str()); }

bool is_forked() noexcept { return forked; }

Unlocked::Unlocked() noexcept : state_(PyEval_SaveThread()), outer_(std::exchange(in_wait, true)) {}

Unlocked::~Unlocked() {
  in_wait = outer_;
  PyEval_RestoreThread(state_);
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
  hlc_set_wait_check(handle_signals);
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
