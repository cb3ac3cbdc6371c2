// A message of check mode is sent as one or several pieces, MPI messages of at most 64 MiB. MPI keeps those of one sender in order.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/communicator/check_mailbox.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <new>
#include <set>
#include <utility>

#include "engine/communicator/collective.hpp"

namespace halocline::core {
namespace {

constexpr int kTag = 1;
constexpr std::size_t kLongestPiece = std::size_t{64} << 20;

/// The header of a message as it is sent.
struct Head {
  std::uint64_t bytes;  // of the whole message, this head included
  std::int64_t plan;
  std::uint64_t round;
  Word word;
  int edge;
};

/// A number for the calling thread, unique in the process.
int thread_number() {
  static std::atomic<int> count{0};
  thread_local const int number = count++;
  return number;
}

}  // namespace

CheckMailbox::~CheckMailbox() {
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

Status CheckMailbox::open(MPI_Comm comm) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  many_threads_ = provided == MPI_THREAD_MULTIPLE;
  return check_mpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
}

/// A rank joins the barrier once its messages have been received; their sends are synchronous. It receives until all ranks have joined:
/// then no message is under way.
Status CheckMailbox::close(Communicator &communicator) {
  const Lock lock(mutex_);
  BoundedWait wait(communicator);
  MPI_Request barrier = MPI_REQUEST_NULL;
  const auto look = [&]() HLC_UNDER_LOCK_OF_MAKER {
    int done = 0;
    if (const Status received = receive_locked(); failed(received)) return wait.name_failure(received);
    if (barrier != MPI_REQUEST_NULL)
      HLC_TRY(check_mpi(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), "MPI_Test"));
    else if (sending_.empty())
      HLC_TRY(check_mpi(MPI_Ibarrier(comm_, &barrier), "MPI_Ibarrier"));
    return done ? Status::ok : Status::again;
  };
  HLC_TRY(wait.until(look));
  while (!receiving_.empty())
    if (const Status received = receive_locked(); failed(received)) return wait.name_failure(received);
  return check_mpi(MPI_Comm_free(&comm_), "MPI_Comm_free");
}

std::int64_t CheckMailbox::next_serial() {
  const Lock lock(mutex_);
  return next_serial_;
}

void CheckMailbox::enroll(std::int64_t serial, const std::string &label) {
  const Lock lock(mutex_);
  next_serial_ = serial + 1;
  records_[serial].label = label;
}

void CheckMailbox::strike(std::int64_t serial) {
  const Lock lock(mutex_);
  records_.erase(serial);
}

Status CheckMailbox::send(int rank, const CheckMessage &message) {
  const Head head{sizeof(Head) + message.text.size(), message.plan, message.round, message.word, message.edge};
  const auto bytes = std::make_shared<std::vector<char>>(head.bytes);
  std::memcpy(bytes->data(), &head, sizeof head);
  std::copy(message.text.begin(), message.text.end(), bytes->begin() + sizeof head);
  std::list<Sending> pieces;
  for (std::size_t done = 0; done < bytes->size(); done += kLongestPiece) pieces.push_back({message.plan, bytes, done, MPI_REQUEST_NULL});
  const Lock lock(mutex_);
  auto piece = pieces.begin();
  sending_.splice(sending_.end(), pieces);
  for (; piece != sending_.end(); ++piece) {
    const int count = static_cast<int>(std::min(kLongestPiece, bytes->size() - piece->first));
    HLC_TRY(check_mpi(MPI_Issend(bytes->data() + piece->first, count, MPI_BYTE, rank, kTag, comm_, &piece->request), "MPI_Issend"));
  }
  return Status::ok;
}

void CheckMailbox::keep(CheckMessage message) {
  const Lock lock(mutex_);
  if (const auto record = records_.find(message.plan); record != records_.end()) record->second.messages.push_back(std::move(message));
}

bool CheckMailbox::all_sent(std::int64_t serial) {
  const Lock lock(mutex_);
  return std::none_of(sending_.begin(), sending_.end(), [&](const Sending &sending) { return sending.plan == serial; });
}

Status CheckMailbox::receive() {
  const Lock lock(mutex_);
  return receive_locked();
}

Status CheckMailbox::receive_locked() {
  HLC_TRY(forget_sent());
  HLC_TRY(begin_receives());
  return end_receives();
}

/// A large message arrives only while its sender is inside MPI, so no receive may block. The caller holds the lock: no other thread
/// receives the message that the probe has found.
Status CheckMailbox::begin_receives() {
  while (true) {
    int there = 0, count = 0;
    MPI_Status status;
    HLC_TRY(check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, kTag, comm_, &there, &status), "MPI_Iprobe"));
    if (!there) return Status::ok;
    MPI_Get_count(&status, MPI_BYTE, &count);
    Receiving &piece =
        receiving_.emplace_back(Receiving{status.MPI_SOURCE, std::vector<char>(static_cast<std::size_t>(count)), MPI_REQUEST_NULL});
    const Status begun = check_mpi(MPI_Irecv(piece.bytes.data(), count, MPI_BYTE, piece.source, kTag, comm_, &piece.request), "MPI_Irecv");
    if (failed(begun)) return set_aside(std::prev(receiving_.end()), begun);
  }
}

/// Takes in the pieces of one sender in their order, even if a later one completes first.
Status CheckMailbox::end_receives() {
  std::set<int> late;
  for (auto piece = receiving_.begin(); piece != receiving_.end();) {
    int done = 0;
    if (late.count(piece->source) == 0)
      if (const Status tested = check_mpi(MPI_Test(&piece->request, &done, MPI_STATUS_IGNORE), "MPI_Test"); failed(tested))
        return set_aside(piece, tested);
    if (!done) late.insert(piece->source);
    if (done) take_in(piece->source, piece->bytes);
    piece = done ? receiving_.erase(piece) : std::next(piece);
  }
  return Status::ok;
}

/// A piece that MPI could not receive leaves a gap in its sender's messages: all later pieces of that sender are ignored.
Status CheckMailbox::set_aside(std::list<Receiving>::iterator piece, Status why) {
  lost_.splice(lost_.end(), receiving_, piece);
  return why;
}

Status CheckMailbox::forget_sent() {
  for (auto sending = sending_.begin(); sending != sending_.end();) {
    int done = 0;
    HLC_TRY(check_mpi(MPI_Test(&sending->request, &done, MPI_STATUS_IGNORE), "MPI_Test"));
    sending = done ? sending_.erase(sending) : std::next(sending);
  }
  return Status::ok;
}

/// If memory runs out the piece counts as not taken in, and is tried again at the next receive.
void CheckMailbox::take_in(int source, const std::vector<char> &piece) {
  if (std::any_of(lost_.begin(), lost_.end(), [&](const Receiving &lost) { return lost.source == source; })) return;
  std::vector<char> &whole = pieces_[source];
  const std::size_t before = whole.size();
  whole.insert(whole.end(), piece.begin(), piece.end());
  Head head;
  std::memcpy(&head, whole.data(), sizeof head);
  if (whole.size() < head.bytes) return;
  try {
    sort(source, whole);
  } catch (const std::bad_alloc &) {
    whole.resize(before);
    throw;
  }
  whole.clear();
}

/// Files a complete message under its plan. Messages for a plan that no longer exists are discarded.
void CheckMailbox::sort(int source, const std::vector<char> &bytes) {
  Head head;
  std::memcpy(&head, bytes.data(), sizeof head);
  const auto record = records_.find(head.plan);
  if (record == records_.end()) return;
  std::vector<char> text(bytes.begin() + sizeof head, bytes.end());
  if (head.word != Word::finishing) {
    record->second.messages.push_back({head.plan, head.round, head.word, head.edge, source, std::move(text)});
    return;
  }
  std::vector<std::int64_t> later(text.size() / sizeof(std::int64_t));
  if (!text.empty()) std::memcpy(later.data(), text.data(), text.size());
  record->second.finishes[source] = {head.round, std::move(later)};
}

std::vector<CheckMessage> CheckMailbox::take(std::int64_t serial) {
  const Lock lock(mutex_);
  return std::exchange(records_[serial].messages, {});
}

void CheckMailbox::note_start(std::int64_t serial) {
  const Lock lock(mutex_);
  Record &record = records_[serial];
  record.started += 1;
  record.thread = thread_number();
}

/// Whether the calling thread would finish a plan. Without MPI_THREAD_MULTIPLE it would. Else only a plan with a round under way has a
/// thread: the one that started it.
bool CheckMailbox::mine_to_finish(const Record &record) const {
  return !many_threads_ || (record.started > record.finished && record.thread == thread_number());
}

std::vector<char> CheckMailbox::note_finishing(std::int64_t serial) {
  const Lock lock(mutex_);
  records_[serial].finishing = true;
  records_[serial].thread = thread_number();
  std::vector<std::int64_t> later;
  for (const auto &[other, record] : records_)
    if (other != serial && mine_to_finish(record)) later.push_back(other);
  std::vector<char> text(later.size() * sizeof(std::int64_t));
  if (!text.empty()) std::memcpy(text.data(), later.data(), text.size());
  return text;
}

void CheckMailbox::note_finished(std::int64_t serial) {
  const Lock lock(mutex_);
  records_[serial].finishing = false;
  records_[serial].finished += 1;
}

bool CheckMailbox::finishes(std::int64_t serial, int rank, std::uint64_t round) {
  const Lock lock(mutex_);
  return records_[serial].finishes[rank].round >= round;
}

std::int64_t CheckMailbox::crosses(std::int64_t mine, int rank, std::string *what) {
  const Lock lock(mutex_);
  for (const auto &[other, record] : records_) {
    if (other == mine || record.finishing || !mine_to_finish(record)) continue;
    const auto finish = record.finishes.find(rank);
    if (finish == record.finishes.end() || finish->second.round <= record.finished) continue;
    const auto &later = finish->second.later;
    if (std::find(later.begin(), later.end(), mine) == later.end()) continue;
    *what = "swap " + std::to_string(finish->second.round) + " of " + record.label;
    return other;
  }
  return 0;
}

}  // namespace halocline::core
