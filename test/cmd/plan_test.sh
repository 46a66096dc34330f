#!/usr/bin/env bash
# test/cmd/plan_test.sh PREFIX - the command `treefold plan`: what it prints, what it refuses, what it draws.
set -u
prefix=$(cd "${1:?usage: test/cmd/plan_test.sh PREFIX}" && pwd)
. "$(dirname "$0")/lib.sh"
treefold=$prefix/bin/treefold

# says NAME WORDS ARGUMENT...: `treefold plan ARGUMENT...` succeeds, and its output contains the words.
says()
{
    local name=$1 words=$2
    shift 2
    # Not by a pipe into grep -q, which leaves as soon as it has seen the words and breaks the pipe.
    check "$name" bash -c 'words=$1; shift; said=$("$@") || exit; echo "$said"; grep -qF -e "$words" <<<"$said"' - \
        "$words" "$treefold" plan "$@"
}

# refuses NAME WORDS ARGUMENT...: it fails, prints nothing on standard output and the words on standard error.
refuses()
{
    local name=$1 words=$2
    shift 2
    check "$name" bash -c 'words=$1; shift; "$@" >out 2>err && exit 1; cat err out
        [ ! -s out ] && grep -qF -e "$words" err' - "$words" "$treefold" plan "$@"
}

cd "$work" || exit 1
rd=(allreduce --algo recursive_doubling)

says 'without arguments it lists collectives' 'reduce_scatter_block'
says 'and what algorithms need' 'needs an operator that commutes and an operator that may be applied to parts'
says 'help' 'Usage: treefold plan' --help
says 'it prints a plan' '   0  send INPUT[0] to rank 1 (message 0)' "${rd[@]}" --np 8 --count 100
says 'few ranks are printed all' 'Rank 3: ' "${rd[@]}" --np 4 --count 100
says 'of many one is' 'Rank 6: ' "${rd[@]}" --np 8 --count 100 --rank 6
says 'it proves' 'Proof     right on every rank' "${rd[@]}" --np 8 --count 100
says 'it leaves the proof out' 'Proof     left out, as --no-check says' "${rd[@]}" --np 8 --count 100 --no-check
says 'it counts rounds' 'rounds      3, ' "${rd[@]}" --np 8 --count 100
says 'it counts bytes' 'sent        2.344 KiB on every rank' "${rd[@]}" --np 8 --count 100
na=(neighbor_alltoall --grid 8x8 --rings --count 10 --domains 16)
says 'neighbors in a grid' 'Proof     right on every rank' neighbor_alltoallv --algo direct --grid 4x3x2 --count 10
says 'combined for each pair of domains' 'Proof     right on every rank' "${na[@]}" --algo two_level
says 'it wins where ranks share a port' 'Fastest is two_level' neighbor_alltoall --grid 8x8 --rings --count 10 \
    --latency 2 --overhead 0.3 --gap 0.5 --topology crossbar --ranks-per-node 16 --domain-latency 0.1 \
    --domain-overhead 0.1 --domain-gap 0.05
says 'edges between domains' 'Grid of 8x8: 56 edges between domains in rank order, 32 after reordering' --grid 8x8 --domains 8
says 'of rings' 'Grid of 8x8 in rings: 32 edges between domains in rank order, 32 after reordering' --grid 8x8 --rings --domains 16
says 'between nodes' 'edges between nodes in rank order' neighbor_allgather --grid 8x8 --count 1 --topology crossbar --ranks-per-node 8
says 'reordered ranks' 'Proof     right on every rank' "${na[@]}" --algo two_level --reorder
refuses 'no grid' '--grid says of which' neighbor_alltoall --np 4 --count 1
refuses 'another number of processes' '--np is 5, but the grid has 64 places' "${na[@]}" --np 5
refuses 'a grid that is none' '--grid is "8x"; it must be' --grid 8x --domains 4
refuses 'a grid for all' '--grid: allreduce does not go by neighbors' allreduce --grid 8x8 --count 1
refuses 'a grid without domains' 'needs --domains K' --grid 8x8
refuses 'rings of nothing' '--rings goes with --grid' allreduce --np 4 --count 1 --rings
says 'K is 1024' '2048 elements of 4 bytes (8 KiB)' "${rd[@]}" --np 2K --count 2K --type 4
says 'it says what the root has more' 'the most is 3 KiB, on rank 2' reduce --algo binomial --np 8 --count 128 --root 2
says 'in place' 'in place' "${rd[@]}" --np 8 --count 100 --inplace
says 'operators that do not commute' 'Proof     right' "${rd[@]}" --np 7 --count 100 --ordered --whole
says 'a barrier has no count' 'rounds      4, ' barrier --algo dissemination --np 9
says 'without --algo it compares' 'rabenseifner ' allreduce --np 8 --count 1M
says 'and says what does not fit' 'needs a power of two' allgather --np 6 --count 10

between=(inter_allreduce --algo tree --np 7 --first 3 --count 100)
says 'between groups' 'inter_allreduce/tree on 7 ranks in groups of 3 and 4, 100 elements' "${between[@]}"
says 'it proves between groups' 'Proof     right on every rank' "${between[@]}"
says 'with a root in the second' 'Proof     right' inter_gather --algo linear --np 7 --first 3 --count 10 --root 5
says 'it compares between groups' 'chain  ' inter_reduce_scatter --np 7 --first 3 --count 12
refuses 'groups that are not told' 'inter_allreduce needs --first N' inter_allreduce --np 7 --count 1
refuses 'groups where there are none' '--first: allreduce is not between two groups; inter_allreduce is' "${rd[@]}" \
    --np 7 --count 1 --first 3
refuses 'an empty group' '--first is 7; of 7 processes that leaves none' inter_allreduce --np 7 --count 1 --first 7
refuses 'a vector that groups cannot share' 'must be a multiple of the sizes of both groups, 3 and 4' \
    inter_reduce_scatter --np 7 --first 3 --count 8

# With o = 1, L = 10, G = 1 us a byte, nothing else: 3 rounds of 1 + 10 + 7 + 1 us.
says 'the price is LogGP'"'"'s' 'time        57 us on every rank' "${rd[@]}" --np 8 --count 1 --latency 10 \
    --overhead 1 --gap 0 --gap-per-byte 1000 --reduce-per-byte 0
# In domains of 4 ranks, two of the rounds have L = 2: 2 * (1 + 2 + 1) + 1 + 10 + 1 us.
says 'two levels have two prices' 'time        20 us on every rank' "${rd[@]}" --np 8 --count 1 --latency 10 \
    --overhead 1 --gap 0 --gap-per-byte 0 --reduce-per-byte 0 --domains 4 --domain-latency 2
refuses 'a price of domains that are not there' '--domain-latency goes with --domains or a network' "${rd[@]}" --np 8 \
    --count 1 --domain-latency 2

# Networks.  A ring of 4 nodes of one rank, o 1, L 10, 2 in each switch: 1 + 10 + 2 * 2 + 1 and, to the node opposite,
# 3 switches.
ring=(--topology torus --dims 4 --latency 10 --overhead 1 --gap 0 --gap-per-byte 0 --hop-latency 2 --reduce-per-byte 0)
says 'a network adds its switches' 'time        34 us on every rank' "${rd[@]}" -n 4 --count 1 "${ring[@]}"
says 'two ranks a node meet in it first' 'time        18 us on every rank' "${rd[@]}" -n 4 --count 1 "${ring[@]}" \
    --ranks-per-node 2 --domain-latency 0
says 'it names the busiest link' 'link        8.39% of the time, at the most, at the link of node 0 ahead' "${rd[@]}" -n 4 \
    --count 1 "${ring[@]}" --link-gap-per-byte 125
says 'bytes as a word' '8192 elements of 8 bytes (64 KiB)' allreduce 64K -n 4
says 'who wins' 'Fastest is recursive_multiplying; recursive_doubling takes ' allreduce 8 -n 256 --network hdr-fat-tree
says 'nodes are domains' 'two_level ' allreduce 8 -n 100 --network 10gbe
for machine in $("$treefold" plan --machines | sed -n 's/^machine //p'); do
    says "machine $machine" 'Fastest is' bcast 8 -n 2 --network "$machine"
done
"$treefold" plan --machines >machines.txt
says 'a file of machines' 'dragonfly of 128 groups' bcast 8 -n 64 --network machines.txt:dragonfly
printf 'machine mine\n topology crossbar # a comment\n latency 3\n' >mine.txt
says 'the first of a file' 'L 3 us' bcast 8 -n 4 --network mine.txt
says 'what the command line says goes before' 'L 5 us' bcast 8 -n 4 --network mine.txt --latency 5
says 'one node stands for all' 'Priced are the 2 ranks of one node' alltoall --algo pairwise 8 -n 10000 \
    --topology crossbar --ranks-per-node 2 --no-check
says 'memory' 'a connection in use (struct tf_tcp_link)' --memory -n 1000000 --ranks-per-node 64
check 'a rank that is never talked with takes at most 64 bytes' bash -c '
    "$@" | sed -n "s/.*a rank it never talks with *\([0-9]*\) .*/\1/p" | { read -r bytes && [ "$bytes" -le 64 ]; }' - \
    "$treefold" plan --memory -n 1000000 --ranks-per-node 64
refuses 'an unknown machine' 'there is no such machine, and no file mars (No such file' bcast 8 -n 4 --network mars
refuses 'a file without it' 'mine.txt has no machine yours' bcast 8 -n 4 --network mine.txt:yours
printf 'machine odd\nlatncy 3\n' >odd.txt
refuses 'a key that is none' 'odd.txt, line 2: a machine has no "latncy"' bcast 8 -n 4 --network odd.txt
printf 'machine bare\nlatency 3\n' >bare.txt
refuses 'a machine without a network' '--network bare.txt says no topology' bcast 8 -n 4 --network bare.txt
refuses 'an unknown topology' '--topology is "star"; there are crossbar, fat-tree, dragonfly, torus' bcast 8 -n 4 \
    --topology star
refuses 'more nodes than there is room for' 'the fat-tree has room for 800 nodes; the ranks take 1000' bcast 8 -n 1000 \
    --topology fat-tree --levels 2 --ports 40
refuses 'a dragonfly that does not reach' 'cannot link a group of a dragonfly to 99 others' bcast 8 -n 4 \
    --topology dragonfly --groups 100 --routers 4 --hosts 4 --global 4
refuses 'a torus without dimensions' '--dims is "8xx8"' bcast 8 -n 4 --topology torus --dims 8xx8
refuses 'ports without a network' '--ports goes with --network or --topology' bcast 8 -n 4 --ports 4
refuses 'domains and a network' '--domains: in a network the domains are its nodes' bcast 8 -n 4 --domains 2 \
    --topology crossbar
refuses 'bytes that are no elements' '10 bytes are no multiple' bcast 10 -n 4
refuses 'bytes twice' '--count and "16" both say' bcast 16 -n 4 --count 2
says 'each of a thousand ranks with a thousand blocks' 'rounds      1998, ' allreduce 1K --algo ring -n 1000
says 'a hundred thousand ranks' 'Proof     left out, being large' "${rd[@]}" --np 100000 --count 1K
says 'with a block each' 'rounds      34, ' allreduce --algo rabenseifner --np 100000 --count 1M

refuses 'an unknown collective' 'there is no collective "allreduc"; there are barrier, bcast' allreduc --np 2 --count 1
refuses 'an unknown algorithm' 'allreduce has no algorithm "rong"; it has recursive_doubling' allreduce --algo rong \
    --np 2 --count 1
refuses 'a number of ranks that does not fit' 'needs a power of two as number of processes; asked for are 6 processes' \
    allgather --algo recursive_doubling --np 6 --count 1
refuses 'an operator that does not fit' 'asked for are 6 processes, an operator that does not commute' allreduce \
    --algo ring --np 6 --count 1 --ordered
refuses 'no number of ranks' 'allreduce needs --np P' "${rd[@]}" --count 1
refuses 'no ranks' '--np is "0"; it must be a whole number from 1' "${rd[@]}" --np 0 --count 1
refuses 'no count' 'allreduce needs --count N' "${rd[@]}" --np 2
refuses 'a negative count' '--count is "-3"; it must be a whole number from 0' "${rd[@]}" --np 2 --count -3
refuses 'a count with a tail' '--count is "3x"' "${rd[@]}" --np 2 --count 3x
refuses 'a count beyond numbers' 'too many to add up' "${rd[@]}" --np 1000 --count 9007199254740993
refuses 'a root beyond the ranks' '--root is 4; with 4 processes it must be below 4' reduce --algo binomial --np 4 \
    --count 1 --root 4
refuses 'a root where there is none' '--root: allreduce has no root' "${rd[@]}" --np 2 --count 1 --root 0
refuses 'a rank beyond the ranks' '--rank is 9' "${rd[@]}" --np 8 --count 1 --rank 9
refuses 'in place where it is not' '--inplace: bcast does not take' bcast --algo binomial --np 2 --count 1 --inplace
refuses 'a count for a barrier' 'a barrier has no data' barrier --algo flat --np 2 --count 1
refuses 'a negative latency' '--latency is "-1"; it must be a number from 0' "${rd[@]}" --np 2 --count 1 --latency -1
refuses 'two collectives' 'one collective at a time; there are "bcast" and "reduce"' bcast reduce --np 2 --count 1
refuses 'options alone' 'which collective?' --np 2
refuses 'an option that is none' '--frobnicate' "${rd[@]}" --frobnicate
refuses 'a drawing of all algorithms' '--svg goes with one algorithm' allreduce --np 2 --count 1 --svg x.svg
refuses 'too many lanes' '--svg draws up to 64 ranks; there are 65' "${rd[@]}" --np 65 --count 1 --svg x.svg
check 'more steps than memory' bash -c '"$@" 2>&1 | grep -F "steps; up to 1.2e+08 can be priced"' - \
    "$treefold" plan alltoall --algo pairwise --np 100001 --count 1 --topology crossbar --ranks-per-node 7
check 'a file that cannot be written' bash -c '"$@" 2>&1 | grep -F "cannot write none/x.svg: No such file"' - \
    "$treefold" plan "${rd[@]}" --np 4 --count 1 --svg none/x.svg

says 'it draws' 'Timeline drawn to x.svg' "${rd[@]}" --np 8 --count 100 --svg x.svg
check 'the drawing is XML' python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse("x.svg")'
says 'it draws domains' 'Timeline drawn to y.svg' "${rd[@]}" --np 8 --count 1 --domains 4 --svg y.svg
equal 'the drawing marks the domains' 2 "$(grep -c 'class="domain"' y.svg)"
equal 'the drawing has a lane a rank' 8 "$(grep -c 'class="rank"' x.svg)"
equal 'the drawing has all messages' 24 "$(grep -c '<title>800 bytes from rank' x.svg)"
finish
