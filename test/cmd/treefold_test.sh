#!/usr/bin/env bash
# test/cmd/treefold_test.sh PREFIX - the command `treefold`, and settings as a program meets them.
set -u
prefix=$(cd "${1:?usage: test/cmd/treefold_test.sh PREFIX}" && pwd)
. "$(dirname "$0")/lib.sh"
treefold=$prefix/bin/treefold
unset "${!TREEFOLD_@}"

says 'info names the version' 'Treefold' "$treefold" info
says 'info names the prefix' "$(cd "$prefix" && pwd -P)" "$treefold" info
says 'info names the ABI' 'MPI 5.0, ABI 1.0' "$treefold" info
says 'info lists the transports' 'shm ' "$treefold" info
says 'info shows a default' 'TREEFOLD_SHM_BACKING=memfd (the default)' "$treefold" info
says 'info shows a value set' 'TREEFOLD_EAGER_LIMIT=4096 (from the environment)' env TREEFOLD_EAGER_LIMIT=4K "$treefold" info
says 'info shows the SIMD level' 'SIMD        baseline' env TREEFOLD_SIMD=sse2 "$treefold" info
says 'info finds a misspelt variable' 'TREEFOLD_VERBOS is in the environment, but' env TREEFOLD_VERBOS=1 "$treefold" info
says 'a bad value is explained' 'TREEFOLD_SPIN is "x"; it must be a whole number' env TREEFOLD_SPIN=x "$treefold" info
says 'version' 'Treefold' "$treefold" --version
says 'help' 'Usage: treefold' "$treefold" help
check 'an unknown command fails' bash -c '! "$1" frobnicate' - "$treefold"
says 'an unknown command is named' 'there is no command "frobnicate"' "$treefold" frobnicate
says 'and with words behind it' 'there is no command "frobnicate"' "$treefold" frobnicate x
says 'what is too much is named' 'rules takes nothing behind it, such as "x"' "$treefold" rules x
says 'why wants a process' 'PID is "-1"; it must be the number of a process' "$treefold" why -1
says 'plan wants a network' '--network is ""' "$treefold" plan allreduce --np 2 --count 1 --network ''
for command in info rules version 'plan reduce -n 4 --count 8'; do
    check "$command on a full disk fails" bash -c '! "$1" $2 >/dev/full' - "$treefold" "$command"
    says "$command says why" 'cannot write the output' bash -c '"$1" $2 >/dev/full' - "$treefold" "$command"
done
finish
