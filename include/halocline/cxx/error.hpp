// What the other headers share: errors, modes by name, and the owner of a C handle.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HALOCLINE_CXX_ERROR_HPP
#define HALOCLINE_CXX_ERROR_HPP

#include <halocline/halocline.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace halocline {

/// A call that failed: what() is the library's sentence about it, status() its kind.
class Error : public std::runtime_error {
 public:
  /// An error with this message.
  Error(hlc_status status, const std::string &message) : std::runtime_error(message), status_(status) {}
  /// An error with the message of the last call of this thread that failed (hlc_error_message).
  explicit Error(hlc_status status) : Error(status, std::string(hlc_status_name(status)) + ": " + hlc_error_message()) {}
  /// The kind of the failure.
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

/// How data move (HLC_MODE_P2P and so on); standard is HLC_MODE_DEFAULT.
enum class Mode {
  standard = HLC_MODE_DEFAULT,
  p2p = HLC_MODE_P2P,
  neighbor = HLC_MODE_NEIGHBOR,
  fence = HLC_MODE_FENCE,
  pscw = HLC_MODE_PSCW,
  passive = HLC_MODE_PASSIVE,
  passive_naive = HLC_MODE_PASSIVE_NAIVE,
  notify = HLC_MODE_NOTIFY,
  direct = HLC_MODE_DIRECT,
  view = HLC_MODE_VIEW,
  notify_node = HLC_MODE_NOTIFY_NODE,
  automatic = HLC_MODE_AUTO  ///< "auto" is a word of the language
};
/// When the epochs of modes fence and pscw open (HLC_EPOCH_EARLY, HLC_EPOCH_LATE).
enum class Epoch { standard = HLC_EPOCH_DEFAULT, early = HLC_EPOCH_EARLY, late = HLC_EPOCH_LATE };
/// Whether mode fence moves the data by puts or by gets (HLC_DRIVE_PUT, HLC_DRIVE_GET).
enum class Drive { standard = HLC_DRIVE_DEFAULT, put = HLC_DRIVE_PUT, get = HLC_DRIVE_GET };
/// How a plan explains itself (HLC_FORMAT_TEXT, HLC_FORMAT_JSON).
enum class Format { text = HLC_FORMAT_TEXT, json = HLC_FORMAT_JSON };
/// Which cells around a block a swap fills: box with edges and corners, star the faces alone.
enum class Stencil { box = HLC_STENCIL_BOX, star = HLC_STENCIL_STAR };
/// Where the values of a field are along one dimension: in the cells, or on the nodes between them (hlc_stagger).
enum class Stagger { centred = HLC_CENTRED, nodes_shared = HLC_NODES_SHARED, nodes_owned = HLC_NODES_OWNED };

/// Returns the mode's name as HALOCLINE_MODE takes it.
inline std::string mode_name(Mode mode) { return hlc_mode_name(static_cast<hlc_mode>(mode)); }

/// Returns what a function of the kind of hlc_halo_explain writes about a plan.
template <class Plan>
std::string explanation(hlc_status (*explain)(const Plan *, hlc_format, char *, size_t, size_t *), const Plan *plan, Format format) {
  size_t length = 0;
  check(explain(plan, static_cast<hlc_format>(format), nullptr, 0, &length));
  std::string text(length + 1, '\0');
  check(explain(plan, static_cast<hlc_format>(format), text.data(), text.size(), &length));
  text.resize(length);
  return text;
}

/// Finds a mode by its name.
inline Mode mode_from_name(const std::string &name) {
  hlc_mode mode{};
  check(hlc_mode_from_name(name.c_str(), &mode));
  return static_cast<Mode>(mode);
}

namespace detail {

inline void report(const char *where) noexcept { std::fprintf(stderr, "halocline: %s: %s\n", where, hlc_error_message()); }

/// Owns one C handle. Closing is collective, so a handle that leaves its scope because of an exception on this rank alone must not wait for
/// the others. It is then left open. So is a handle that outlives MPI_Finalize.
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

}  // namespace halocline
#endif
