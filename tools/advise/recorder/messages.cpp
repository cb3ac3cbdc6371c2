// Messages between two ranks, blocking, non-blocking and persistent.
// SPDX-License-Identifier: BSD-3-Clause
#include "calls.hpp"

using namespace advise;

#define HLC_ADVISE_TO (const void *data, HLC_ADVISE_COUNT count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
#define HLC_ADVISE_TO_STARTED \
  (const void *data, HLC_ADVISE_COUNT count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request)
#define HLC_ADVISE_FROM_STARTED \
  (void *data, HLC_ADVISE_COUNT count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request)

#define HLC_ADVISE_SEND(name)                                                \
  HLC_ADVISE_CALL(name, HLC_ADVISE_TO, (data, count, type, peer, tag, comm), \
                  record_message(call, Kind::send, {count, type, peer, tag, comm});)
#define HLC_ADVISE_STARTED_SEND(name, kind)                                                   \
  HLC_ADVISE_CALL(name, HLC_ADVISE_TO_STARTED, (data, count, type, peer, tag, comm, request), \
                  record_message(call, Kind::kind, {count, type, peer, tag, comm}, number(*request));)
#define HLC_ADVISE_STARTED_RECEIVE(name, kind)                                                  \
  HLC_ADVISE_CALL(name, HLC_ADVISE_FROM_STARTED, (data, count, type, peer, tag, comm, request), \
                  record_message(call, Kind::kind, {count, type, peer, tag, comm}, number(*request));)

/// A receive from any source asks the status, its own if the program wants none.
#define HLC_ADVISE_RECEIVE(name)                                                                                                       \
  HLC_ADVISE_AROUND(name, (void *data, HLC_ADVISE_COUNT count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *into), \
                    (data, count, type, peer, tag, comm, into), MPI_Status own;                                                        \
                    if (into == MPI_STATUS_IGNORE) into = &own,                                                                        \
                    record_message(call, Kind::receive, {count, type, into->MPI_SOURCE, into->MPI_TAG, comm});)

#define HLC_ADVISE_SENDRECV(name)                                                                                                        \
  HLC_ADVISE_AROUND(name,                                                                                                                \
                    (const void *data, HLC_ADVISE_COUNT count, MPI_Datatype type, int to, int tag, void *place, HLC_ADVISE_COUNT room,   \
                     MPI_Datatype kind, int from, int tag_in, MPI_Comm comm, MPI_Status *into),                                          \
                    (data, count, type, to, tag, place, room, kind, from, tag_in, comm, into), MPI_Status own;                           \
                    if (into == MPI_STATUS_IGNORE) into = &own, record_message(call, Kind::sendrecv_send, {count, type, to, tag, comm}); \
                    record_message(call, Kind::sendrecv_receive, {room, kind, into->MPI_SOURCE, into->MPI_TAG, comm});)
#define HLC_ADVISE_SENDRECV_REPLACE(name)                                                                                              \
  HLC_ADVISE_AROUND(                                                                                                                   \
      name,                                                                                                                            \
      (void *data, HLC_ADVISE_COUNT count, MPI_Datatype type, int to, int tag, int from, int tag_in, MPI_Comm comm, MPI_Status *into), \
      (data, count, type, to, tag, from, tag_in, comm, into), MPI_Status own;                                                          \
      if (into == MPI_STATUS_IGNORE) into = &own, record_message(call, Kind::sendrecv_send, {count, type, to, tag, comm});             \
      record_message(call, Kind::sendrecv_receive, {count, type, into->MPI_SOURCE, into->MPI_TAG, comm});)

#define HLC_ADVISE_MESSAGES(suffix)                           \
  HLC_ADVISE_SEND(Send##suffix)                               \
  HLC_ADVISE_SEND(Ssend##suffix)                              \
  HLC_ADVISE_SEND(Bsend##suffix)                              \
  HLC_ADVISE_SEND(Rsend##suffix)                              \
  HLC_ADVISE_STARTED_SEND(Isend##suffix, start_send)          \
  HLC_ADVISE_STARTED_SEND(Issend##suffix, start_send)         \
  HLC_ADVISE_STARTED_SEND(Ibsend##suffix, start_send)         \
  HLC_ADVISE_STARTED_SEND(Irsend##suffix, start_send)         \
  HLC_ADVISE_STARTED_SEND(Send_init##suffix, init_send)       \
  HLC_ADVISE_STARTED_SEND(Ssend_init##suffix, init_send)      \
  HLC_ADVISE_STARTED_SEND(Bsend_init##suffix, init_send)      \
  HLC_ADVISE_STARTED_SEND(Rsend_init##suffix, init_send)      \
  HLC_ADVISE_STARTED_RECEIVE(Irecv##suffix, start_receive)    \
  HLC_ADVISE_STARTED_RECEIVE(Recv_init##suffix, init_receive) \
  HLC_ADVISE_RECEIVE(Recv##suffix)                            \
  HLC_ADVISE_SENDRECV(Sendrecv##suffix)                       \
  HLC_ADVISE_SENDRECV_REPLACE(Sendrecv_replace##suffix)

#define HLC_ADVISE_COUNT int
HLC_ADVISE_MESSAGES()
#undef HLC_ADVISE_COUNT
#if MPI_VERSION >= 4
#define HLC_ADVISE_COUNT MPI_Count
HLC_ADVISE_MESSAGES(_c)
#undef HLC_ADVISE_COUNT
#endif
