// The thread MPI: sends, receives, requests. Small messages, and most larger ones, are copied when they are sent, and their sends are
// complete at once. For others the receiver copies from the sender's buffer, no earlier than it tests its request.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "threads/mpi/world.hpp"

namespace halocline::threads {
namespace {

constexpr std::size_t kEagerBytes = 64;

bool fits(const Request &receive, const Message &message) {
  return receive.tag == message.tag && (receive.peer == MPI_ANY_SOURCE || receive.peer == message.source);
}

void begin_send(Request &request) {
  auto message = std::make_shared<Message>();
  message->source = request.comm->me();
  message->tag = request.tag;
  message->data = request.data;
  message->bytes = request.bytes;
  if ((request.bytes <= kEagerBytes || !dice(4)) && !request.synchronous) {
    message->buffered = true;
    message->copy.resize(request.bytes);
    copy(message->copy.data(), request.data, request.bytes, Seen::source);
    message->data = message->copy.data();
  }
  message->hidden = dice(2) ? 8 : 0;
  message->sent.give();
  request.message = message;
  Mailbox &mailbox = request.comm->mailboxes[static_cast<std::size_t>(request.peer)];
  const auto receive = std::find_if(mailbox.posted.begin(), mailbox.posted.end(), [&](Request *r) { return fits(*r, *message); });
  if (receive == mailbox.posted.end()) {
    mailbox.unexpected.push_back(std::move(message));
    return;
  }
  (*receive)->message = std::move(message);
  mailbox.posted.erase(receive);
}

void begin_receive(Request &request) {
  Mailbox &mailbox = request.comm->mailboxes[static_cast<std::size_t>(request.comm->me())];
  auto &waiting = mailbox.unexpected;
  const auto message = std::find_if(waiting.begin(), waiting.end(), [&](const auto &m) { return fits(request, *m); });
  request.message = nullptr;
  if (message == waiting.end()) {
    mailbox.posted.push_back(&request);
    return;
  }
  request.message = *message;
  waiting.erase(message);
}

bool end_send(Request &request) {
  Message &message = *request.message;
  if (message.buffered) return true;
  if (message.taken) message.received.take();
  return message.taken;
}

bool end_receive(Request &request) {
  if (!request.message) return false;
  Message &message = *request.message;
  if (message.bytes > request.bytes) forbid("a message is larger than its receive");
  message.sent.take();
  copy(request.data, message.data, message.bytes, message.buffered ? Seen::target : Seen::both);
  message.received.give();
  message.taken = true;
  request.source = message.source;
  return true;
}

bool end_meeting(Request &request) {
  if (!is_complete(*request.comm, request.turn)) return false;
  leave(*request.comm, request.turn, request.first, request.last, request.take);
  return true;
}

bool end_bundle(Request &request) {
  bool all = true;
  for (auto &part : request.parts) all = try_complete(*part) && all;
  return all;
}

Request &at(MPI_Request handle) { return requests().at(handle); }

/// What MPI_Test does to a request that is complete.
void retire(MPI_Request *handle) {
  if (at(*handle).persistent) return;
  requests().remove(*handle);
  *handle = MPI_REQUEST_NULL;
}

bool is_idle(MPI_Request handle) { return handle == MPI_REQUEST_NULL || !at(handle).active; }

/// MPI_ERROR has a meaning only in statuses of several requests, so here it holds the bytes.
void describe(MPI_Status &status, int source, std::size_t bytes) {
  status.MPI_SOURCE = source;
  status.MPI_ERROR = static_cast<int>(bytes);
}

/// Now and then a test answers "not yet" although it could answer "done".
bool test(MPI_Request *handle, MPI_Status *status = MPI_STATUS_IGNORE) {
  if (is_idle(*handle)) return true;
  if (dice(4) || !try_complete(at(*handle))) return false;
  if (const Request &ended = at(*handle); status != MPI_STATUS_IGNORE && ended.kind == Request::Kind::receive)
    describe(*status, ended.source, ended.message->bytes);
  retire(handle);
  return true;
}

std::unique_ptr<Request> make(Request::Kind kind, const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  auto request = std::make_unique<Request>();
  request->kind = kind;
  request->data = static_cast<char *>(const_cast<void *>(data));
  request->bytes = static_cast<std::size_t>(count) * bytes_of(type);
  request->peer = peer;
  request->tag = tag;
  request->comm = &comm_at(comm);
  return request;
}

int launch(std::unique_ptr<Request> request, MPI_Request *handle) {
  begin(*requests().add(std::move(request), handle));
  return MPI_SUCCESS;
}

int keep(std::unique_ptr<Request> request, MPI_Request *handle) {
  request->persistent = true;
  requests().add(std::move(request), handle);
  return MPI_SUCCESS;
}

}  // namespace

Table<MPI_Request, Request> &requests() {
  static Table<MPI_Request, Request> table;
  return table;
}

void begin(Request &request) {
  if (request.active) forbid("a request is started that has not been completed");
  request.active = true;
  if (request.kind == Request::Kind::send) begin_send(request);
  if (request.kind == Request::Kind::receive) begin_receive(request);
  for (auto &part : request.parts) begin(*part);
}

bool try_complete(Request &request) {
  if (!request.active) return true;
  const bool done = request.kind == Request::Kind::send      ? end_send(request)
                    : request.kind == Request::Kind::receive ? end_receive(request)
                    : request.kind == Request::Kind::meeting ? end_meeting(request)
                                                             : end_bundle(request);
  request.active = !done;
  return done;
}

}  // namespace halocline::threads

using namespace halocline::threads;
using Kind = Request::Kind;

extern "C" {

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  const Inside inside;
  return launch(make(Kind::send, data, count, type, to, tag, comm), request);
}

int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  const Inside inside;
  auto made = make(Kind::send, data, count, type, to, tag, comm);
  made->synchronous = true;
  return launch(std::move(made), request);
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  const Inside inside;
  return launch(make(Kind::receive, data, count, type, from, tag, comm), request);
}

int MPI_Send_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  const Inside inside;
  return keep(make(Kind::send, data, count, type, to, tag, comm), request);
}

int MPI_Recv_init(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  const Inside inside;
  return keep(make(Kind::receive, data, count, type, from, tag, comm), request);
}

int MPI_Start(MPI_Request *request) {
  const Inside inside;
  begin(at(*request));
  return MPI_SUCCESS;
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  Inside inside;
  const auto request = make(Kind::receive, data, count, type, from, tag, comm);
  begin(*request);
  inside.wait_for([&] { return request->message != nullptr; });
  try_complete(*request);
  if (status != MPI_STATUS_IGNORE) describe(*status, request->source, request->message->bytes);
  return MPI_SUCCESS;
}

/// A probe may not find a message yet, although one that was sent later has arrived.
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  const Inside inside;
  Comm &mine = comm_at(comm);
  const auto &waiting = mine.mailboxes[static_cast<std::size_t>(mine.me())].unexpected;
  const auto found = std::find_if(waiting.begin(), waiting.end(),
                                  [&](const auto &m) { return m->tag == tag && (from == MPI_ANY_SOURCE || from == m->source); });
  *flag = found != waiting.end() && (*found)->hidden-- <= 0;
  if (*flag && status != MPI_STATUS_IGNORE) describe(*status, (*found)->source, (*found)->bytes);
  return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count) {
  *count = status->MPI_ERROR / static_cast<int>(bytes_of(type));
  return MPI_SUCCESS;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *) {
  const Inside inside;
  *flag = test(request);
  return MPI_SUCCESS;
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status[]) {
  const Inside inside;
  *flag = std::all_of(requests, requests + count, is_idle) || !dice(4);
  for (int i = 0; i < count; ++i)
    if (!is_idle(requests[i])) *flag = try_complete(at(requests[i])) && *flag;
  for (int i = 0; *flag && i < count; ++i)
    if (requests[i] != MPI_REQUEST_NULL) retire(&requests[i]);
  return MPI_SUCCESS;
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
  const Inside inside;
  *index = MPI_UNDEFINED;
  *flag = std::all_of(requests, requests + count, is_idle);
  for (int i = 0; !*flag && i < count; ++i)
    if (!is_idle(requests[i]) && test(&requests[i], status)) {
      *flag = 1;
      *index = i;
    }
  return MPI_SUCCESS;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status[]) {
  Inside inside;
  // All progress together: the completion of one may be what a peer's request waits for, and through it another of this rank's.
  for (bool done = false; !done;) {
    int open = 0, ended = 0;
    inside.wait_for([&] {
      open = ended = 0;
      for (int i = 0; i < count; ++i)
        if (!is_idle(requests[i])) ++(try_complete(at(requests[i])) ? ended : open);
      return open == 0 || ended > 0;
    });
    done = open == 0;
  }
  for (int i = 0; i < count; ++i)
    if (requests[i] != MPI_REQUEST_NULL) retire(&requests[i]);
  return MPI_SUCCESS;
}

int MPI_Request_free(MPI_Request *request) {
  const Inside inside;
  if (at(*request).active) forbid("a request is freed that has not been completed");
  ::requests().remove(*request);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

}  // extern "C"
