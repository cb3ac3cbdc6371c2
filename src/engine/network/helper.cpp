// Starting the helper, and the slot of this rank.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/helper.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine/communicator/collective.hpp"
#include "engine/communicator/wait_until.hpp"
#include "engine/memory/node_memory.hpp"

namespace halocline::core {
namespace {

constexpr std::int64_t kLongestEnd_ns = 5'000'000'000;

/// The helper's program file: in a folder of its own beside the library.
std::string find_program() {
  constexpr char name[] = "halocline/halocline-helper";
  Dl_info library;
  char path[PATH_MAX] = "";
  if (!dladdr(reinterpret_cast<void *>(&find_program), &library) || !library.dli_fname || !realpath(library.dli_fname, path)) return name;
  const std::string file = path;
  return file.substr(0, file.rfind('/') + 1) + name;
}

/// Determined when the library is loaded: its path may be relative to the folder in which the program was started.
const std::string program = find_program();

/// What the child sets up before it runs the program: none of this process's streams, the two file descriptors at their numbers, no signal
/// blocked.
class Preparation {
 public:
  Preparation(int object, int pipe) : object_(fcntl(object, F_DUPFD_CLOEXEC, kFree)), pipe_(fcntl(pipe, F_DUPFD_CLOEXEC, kFree)) {
    if (object_ < 0 || pipe_ < 0) error_ = errno;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    note(posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDWR, 0));
    note(posix_spawn_file_actions_adddup2(&actions_, 0, 1));
    note(posix_spawn_file_actions_adddup2(&actions_, 0, 2));
    note(posix_spawn_file_actions_adddup2(&actions_, object_, kHelperObject));
    note(posix_spawn_file_actions_adddup2(&actions_, pipe_, kHelperPipe));
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  Preparation(const Preparation &) = delete;
  Preparation &operator=(const Preparation &) = delete;
  ~Preparation() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
    if (object_ >= 0) close(object_);
    if (pipe_ >= 0) close(pipe_);
  }

  int run(pid_t *child) const {
    std::string name = "halocline-helper";
    char *const arguments[] = {name.data(), nullptr};
    return error_ != 0 ? error_ : posix_spawn(child, program.c_str(), &actions_, &attributes_, arguments, environ);
  }

 private:
  static constexpr int kFree = 10;  // above the numbers that the two file descriptors get

  void note(int error) {
    if (error_ == 0) error_ = error;
  }

  int object_, pipe_, error_ = 0;
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

void close_file(int &file) {
  if (file >= 0) close(file);
  file = -1;
}

}  // namespace

Status Helper::start(const NetworkEndpoint &network, const transport::Choice &choice, const SharedMemory &addresses) {
  HLC_TRY(agree(communicator_, communicator_.comm(), create_shared_memory(communicator_, sizeof(HelperPart), memory_, ObjectFile::kept)));
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] { return communicator_.member() == 0 ? launch(network, choice) : Status::ok; }));
  memory_.close();
  return prepare(communicator_, communicator_.comm(), [&] {
    HLC_TRY(open_pipe());
    if (communicator_.member() != 0) return Status::ok;
    HelperRequest book;
    HelperReply reply;
    book.bytes = addresses.part_bytes(0);
    if (addresses.describe(book.object) != 0) return fail(Status::state, "the address table has no file");
    return request(book, &reply);
  });
}

Status Helper::launch(const NetworkEndpoint &network, const transport::Choice &choice) {
  transport::shm::ObjectAddress object;
  if (memory_.describe(object) != 0 || pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0)
    return fail(Status::memory, "rank %d cannot start a helper process: %s", communicator_.rank(), std::strerror(errno));
  HLC_TRY(fill_state(network, choice));
  pid_t child = 0;
  if (const int error = Preparation(object.file, pipe_[0]).run(&child); error != 0)
    return fail(Status::unsupported, "rank %d cannot start a helper process (HALOCLINE_PROGRESS=helper): %s: %s", communicator_.rank(),
                program.c_str(), std::strerror(error));
  child_ = child;
  state().process = transport::shm::Process::of(child);
  return await_ready();
}

Status Helper::fill_state(const NetworkEndpoint &network, const transport::Choice &choice) {
  HelperState &state = this->state();
  struct stat pipe;
  const transport::shm::Region &doorbells = communicator_.doorbell().region();
  if (fstat(pipe_[1], &pipe) != 0 || doorbells.describe(state.doorbells) != 0)
    return fail(Status::state, "rank %d cannot pass its files to the helper process: %s", communicator_.rank(), std::strerror(errno));
  state.build = kHelperBuild;
  state.ranks = communicator_.size();
  state.members = communicator_.members();
  state.one_host = communicator_.one_host() ? 1 : 0;
  state.choice = choice;
  state.doorbell_distance = doorbells.part_bytes(0);
  state.pipe = {getpid(), pipe_[1], pipe.st_dev, pipe.st_ino, ""};
  std::snprintf(state.library, sizeof state.library, "%s", network.library_file().c_str());
  return Status::ok;
}

Status Helper::await_ready() {
  const HelperState &state = this->state();
  // SYNC helper-ready (pairs with Server::open)
  const auto has_begun = [&] { return state.state.load(std::memory_order_acquire) != HelperState::State::starting; };
  HLC_TRY(await(has_begun));
  if (state.state.load(std::memory_order_relaxed) == HelperState::State::ready) return Status::ok;
  return fail(static_cast<Status>(state.status), "rank %d: helper process of its node: %s", communicator_.rank(), state.message);
}

/// Opens both ends at once, so that the pipe always has a reader.
Status Helper::open_pipe() {
  if (communicator_.member() == 0) return Status::ok;
  const transport::shm::ObjectAddress &there = state().pipe;
  char path[64];
  struct stat pipe;
  std::snprintf(path, sizeof path, "/proc/%lld/fd/%d", static_cast<long long>(there.maker), there.file);
  pipe_[1] = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (pipe_[1] < 0 || fstat(pipe_[1], &pipe) != 0)
    return fail(Status::unsupported, "rank %d cannot reach the helper process of its node: %s: %s", communicator_.rank(), path,
                std::strerror(errno));
  if (pipe.st_dev == there.device && pipe.st_ino == there.inode) return Status::ok;
  return fail(Status::unsupported, "rank %d cannot reach the helper process of its node: %s is not its pipe", communicator_.rank(), path);
}

Status Helper::look_for_death() const {
  if (state().process.alive()) return Status::ok;
  return fail(Status::peer_died, "rank %d: the helper process of its node has ended", communicator_.rank());
}

Status Helper::find_failure(const Wait &wait) const {
  HLC_TRY(look_for_death());
  if (!wait.timed_out()) return Status::ok;
  return fail(Status::timeout, "rank %d timed out after %lld s waiting for the helper process of its node (HALOCLINE_TIMEOUT)",
              communicator_.rank(), static_cast<long long>(communicator_.timeout_ns() / 1'000'000'000));
}

template <class There>
Status Helper::await(There there) {
  Wait wait(communicator_, WakeUp::by_polling);
  return wait_until(wait, [&] { return there() ? Status::ok : Status::again; }, [&] { return find_failure(wait); });
}

/// Without `reply` this call does not wait for the reply; the next request does.
Status Helper::request(const HelperRequest &request, HelperReply *reply) {
  const std::lock_guard lock(mutex_);
  HelperSlot &slot = this->slot();
  // SYNC reply-before-answered (pairs with Server::look_at)
  const auto is_free = [&] { return slot.answered.load(std::memory_order_acquire) == slot.asked.load(std::memory_order_relaxed); };
  HLC_TRY(await(is_free));
  slot.request = request;
  slot.request.rank = communicator_.rank();
  // SYNC request-before-asked (pairs with Server::look_at)
  slot.asked.fetch_add(1, std::memory_order_release);
  ring();
  if (!reply) return Status::ok;
  HLC_TRY(await(is_free));
  *reply = slot.reply;
  const auto status = static_cast<Status>(reply->status);
  return failed(status) ? fail(status, "rank %d: helper process of its node: %s", communicator_.rank(), reply->message) : Status::ok;
}

/// A failed write is harmless: a full pipe has woken the helper already, or no process reads it any more.
void Helper::ring() const {
  const ssize_t written = write(pipe_[1], "", 1);
  static_cast<void>(written);
}

Status Helper::serve(std::uint32_t segment, const SharedMemory &memory, Member member, const Served &mine, HelperReply *reply) {
  const char *part = memory.part(member);
  HelperRequest request;
  request.kind = HelperRequest::Kind::serve;
  request.segment = segment;
  request.begin = part - memory.part(0);
  request.bytes = memory.part_bytes(member);
  request.data = mine.data - part;
  request.data_bytes = mine.bytes;
  request.dummy_target = request.data - kDummyTarget;
  request.notifications = mine.words.notifications.count();
  request.elsewhere = mine.notifications_object ? 1 : 0;
  request.takes_signals = mine.words.numbers.count > 0 ? 1 : 0;
  if (mine.notifications_object)
    request.notifications_object = *mine.notifications_object;
  else
    request.first_notification = mine.words.notifications.memory() - memory.part(0);
  request.monotonic = mine.words.monotonic_count;
  request.monotonic_words = reinterpret_cast<const char *>(mine.words.monotonic) - part;
  if (memory.describe(request.object) != 0)
    return fail(Status::state, "rank %d: the memory of a segment has no file", communicator_.rank());
  return this->request(request, reply);
}

void Helper::stop_serving(std::uint32_t segment) {
  HelperRequest request;
  request.kind = HelperRequest::Kind::stop;
  request.segment = segment;
  static_cast<void>(this->request(request, nullptr));
}

Helper::~Helper() {
  const bool others_may_need_it = communicator_.lost();
  if (child_ != 0 && !others_may_need_it) {
    state().over.store(1, std::memory_order_relaxed);
    ring();
  }
  close_file(pipe_[0]);
  close_file(pipe_[1]);
  if (child_ != 0 && !others_may_need_it) reap();
}

/// Waits for the child; the application may have done so already, with a wait for all its children.
void Helper::reap() {
  constexpr std::timespec moment{0, 1'000'000};
  const std::int64_t begin = now_ns();
  while (waitpid(child_, nullptr, WNOHANG) == 0) {
    if (now_ns() - begin > kLongestEnd_ns) kill(child_, SIGKILL);
    nanosleep(&moment, nullptr);
  }
}

}  // namespace halocline::core
