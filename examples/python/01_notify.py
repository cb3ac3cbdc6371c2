"""A put with a notification: a token goes round the ring of ranks, and each adds its number. There is no barrier.

Run:   mpiexec -n 4 python 01_notify.py    prints: 01_notify: 4 ranks, sum 6: ok
SPDX-License-Identifier: BSD-3-Clause
"""
import halocline


def receive(segment):
    """Waits for notification 0, takes it, and returns the token that it announces."""
    segment.reset(segment.wait())
    return int(segment.array[0])


with halocline.Context() as context:
    right = (context.rank + 1) % context.size
    segment = halocline.Segment(context, 1, "i8", notifications=1)

    # Rank 0 sends the token, all others receive it first. The notification never precedes its own data.
    got = 0 if context.rank == 0 else receive(segment)
    segment.put_notify(right, got + context.rank, id=0, value=1)
    if context.rank == 0:
        got = receive(segment)
        n = context.size
        print(f"01_notify: {n} ranks, sum {got}: {'ok' if got == n * (n - 1) // 2 else 'WRONG'}")
    segment.flush(right)
