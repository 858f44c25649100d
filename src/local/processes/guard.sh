#!/bin/sh
# Runs one process of local mode and ends it when standard input closes: that is when the supervisor asks for it, and also
# when the supervisor is killed and can ask no more. Has to be the leader of its own process group, which it ends with
# itself, so that nothing the process started is left; therefore it writes the exit code to file descriptor 3.
# usage: guard.sh GRACE_SECONDS COMMAND [ARGUMENT...]
grace=$1
shift
exec 4<&0 </dev/null
"$@" 3>&- 4<&- &
child=$!
{
  while read -r line; do :; done <&4
  kill -s TERM "$child" 2>/dev/null
  sleep "$grace"
  kill -s KILL -- "-$$"
} 3>&- >/dev/null 2>&1 &
exec 4<&-
wait "$child"
code=$?
# A killed supervisor does not read it.
trap '' PIPE
echo "$code" >&3
kill -s KILL -- "-$$"
