# test/cmd/lib.sh - the few words the shell tests are written in.  Sourced.

passed=0
failed=0
skipped=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check NAME COMMAND...: passes if the command succeeds; what it printed is shown if not.
check()
{
    local name=$1 output
    shift
    if output=$(timeout -k 5 "${LIMIT:-120}" "$@" 2>&1 </dev/null); then
        echo "ok - $name"
        passed=$((passed + 1))
    else
        echo "not ok - $name"
        sed 's/^/    /' <<<"status of \`$*' is not 0
$output"
        failed=$((failed + 1))
    fi
}

# equal NAME WANTED GOT
equal()
{
    if [ "$2" = "$3" ]; then
        echo "ok - $1"
        passed=$((passed + 1))
    else
        echo "not ok - $1"
        printf '    wanted: %s\n    got:    %s\n' "$2" "$3"
        failed=$((failed + 1))
    fi
}

# says NAME WORDS COMMAND...: the command's output, with whatever status, contains the words.
says()
{
    local name=$1 words=$2
    shift 2
    check "$name" bash -c 'words=$1; shift; out=$("$@" 2>&1); printf %s "$out"; [[ $out == *"$words"* ]]' - "$words" "$@"
}

skip()
{
    echo "skipped - $1: $2"
    skipped=$((skipped + 1))
}

# The last line, and the exit status.
finish()
{
    local words="$passed passed, $failed failed"
    [ $skipped -eq 0 ] || words="$words, $skipped skipped"
    echo "$words"
    [ $failed -eq 0 ]
    exit
}
