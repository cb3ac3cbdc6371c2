# Steps with a title, a log and their seconds. Sourced by ./go; everything noisy runs through step or try_step.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
log_dir=$root/build/log
ticker=

say() { printf '%s\n' "$*"; }

fail() {
  printf '\n%s\n' "$*" >&2
  exit 1
}

# The command line is wrong: nothing has been done.
refuse() {
  printf '%s\n' "./go: $*" >&2
  exit 2
}

# ./go builds inside the tree.
need_writable_tree() {
  said=$({ mkdir -p "$log_dir" && touch "$log_dir/writable"; } 2>&1) || fail "This tree cannot be written, and ./go builds inside it: $said
Tried: mkdir -p $log_dir && touch $log_dir/writable
Copy the tree to a folder of yours, and run ./go there."
}

# Runs a command that is noted in the log, for the message of a step that fails.
shown() {
  printf '+ %s\n' "$*"
  "$@"
}

# step TITLE COMMAND...: runs the command with its output in a log. If it fails, shows the end of the log and stops ./go.
step() {
  try_step "$@" && return 0
  tail -n 40 "$log" >&2
  fail "'$title' failed$(cause_in "$log").
Tried: $(sed -n 's/^+ //p' "$log" | tail -n 1)
The whole log: $log"
}

# Prints what makes steps fail that is not the project's, if a log speaks of it.
cause_in() {
  if grep -qE 'Temporary failure (in name )?resol|Network is unreachable|connection broken by|Could not resolve|Failed to (establish|fetch)' "$1"; then
    printf ': the network cannot be reached'
  elif grep -q 'No space left on device' "$1"; then
    printf ': the disk is full'
  elif grep -q 'require a different python version' "$1"; then
    printf ': %s is not a Python that these packages support' "$(command -v python3)"
  elif grep -q 'Permission denied' "$1"; then
    printf ': %s' "$(grep -m 1 'Permission denied' "$1" | cut -c 1-200)"
  fi
}

# try_step TITLE COMMAND...: as step, but returns the command's status; $log names the log.
try_step() {
  title=$1
  shift
  name_log
  step_began=$(date +%s)
  start_ticker
  "$@" </dev/null >"$log" 2>&1
  status=$?
  stop_ticker
  if [ "$status" -eq 0 ]; then
    printf '%s s\n' "$(($(date +%s) - step_began))"
  else
    printf 'failed after %s s\n' "$(($(date +%s) - step_began))"
  fi
  return "$status"
}

# Sets log to the log of the step called $title.
name_log() {
  mkdir -p "$log_dir"
  log=$log_dir/$(printf '%s' "$title" | tr -cs 'A-Za-z0-9' '-').log
}

# begin TITLE COMMAND...: runs the command beside what follows, one at a time; finish waits for it, and returns as try_step does.
begin() {
  title=$1
  shift
  name_log
  beside_title=$title
  "$@" </dev/null >"$log" 2>&1 &
  beside=$!
  trap 'kill "$beside" 2>/dev/null' EXIT
}

finish() {
  title=$beside_title
  name_log
  printf '%s (begun before) ... ' "$title"
  wait "$beside"
  status=$?
  trap - EXIT
  if [ "$status" -eq 0 ]; then
    say 'done'
  else
    say 'failed'
  fi
  return "$status"
}

# On a terminal the running step shows its seconds and, of a build, how far it is ("[12/143]"); elsewhere it is one plain line.
start_ticker() {
  printf '%s ... ' "$title"
  [ -t 1 ] || return 0
  (
    while sleep 1; do
      printf '\r\033[K%s ... %s s %s' "$title" "$(($(date +%s) - step_began))" "$(tail -n 1 "$log" | sed -n 's/^\(\[[0-9]*\/[0-9]*\]\).*/\1/p')"
    done
  ) &
  ticker=$!
  trap 'stop_ticker; exit 130' INT TERM
}

stop_ticker() {
  [ -n "$ticker" ] || return 0
  kill "$ticker" 2>/dev/null
  wait "$ticker" 2>/dev/null
  ticker=
  trap - INT TERM
  printf '\r\033[K%s ... ' "$title"
}
