# maint/common.sh - what maint/quickstart and maint/check share: looking for tools, building, saying what happens.
# Sourced by bash, with the top of the checkout as the working directory.

top=$PWD
prefix=${PREFIX:-$top/_install}
jobs=$(nproc 2>/dev/null || echo 2)

die()
{
    printf '\n%s\n' "$@" >&2
    exit 1
}

# run LABEL LOG COMMAND...: one line of the label and the time it took; the command's output goes to the log, whose end
# is shown if the command fails.
run()
{
    local label=$1 log=$2 start=$SECONDS
    shift 2
    mkdir -p "$(dirname "$log")"
    printf '  %-22s' "$label"
    if "$@" >"$log" 2>&1 </dev/null; then
        printf '%4d s\n' $((SECONDS - start))
    else
        local status=$?
        printf 'failed\n\n'
        tail -n 25 "$log" | sed 's/^/    /'
        die "$label: \`$*' ended with status $status; all it said is in $log"
    fi
}

# missing_packages NEED: the Debian packages of maint/deps for "build", "check" and so on whose test fails.
missing_packages()
{
    local need package probe
    while IFS='|' read -r need package probe; do
        read -r need <<<"$need"
        read -r package <<<"$package"
        [ "$need" = "$1" ] && ! (eval "$probe") >/dev/null 2>&1 </dev/null && echo "$package"
    done < <(grep -v '^#' maint/deps)
}

# apt_install NEED...: what is missing for them; one need at a time, since one unknown package stops all of a call.
apt_install()
{
    local sudo= need packages
    [ "$(id -u)" = 0 ] || sudo=sudo
    $sudo apt-get update
    for need; do
        mapfile -t packages < <(missing_packages "$need")
        [ ${#packages[@]} = 0 ] ||
            $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${packages[@]}"
    done
}

# get_tools NEED...: install what is missing.  Without the tools for "build" there is nothing to do; what only tests
# need, and what is built only where its library is there, may stay missing.
get_tools()
{
    local need packages needed log=_build/log/apt.log
    mapfile -t packages < <(for need; do missing_packages "$need"; done)
    if [ ${#packages[@]} = 0 ]; then
        printf '  %-22spresent\n' tools
        return
    fi
    if command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; }; then
        echo "  installing ${packages[*]}"
        mkdir -p _build/log
        apt_install "$@" >$log 2>&1 </dev/null
        rm -f _build*/configured # what was built before may have been left out for want of these
        mapfile -t packages < <(for need; do missing_packages "$need"; done)
        [ ${#packages[@]} = 0 ] && return
        echo "  apt-get failed; what it said is in $log"
    fi
    mapfile -t needed < <(missing_packages build)
    if [ ${#needed[@]} -gt 0 ]; then
        die "These are missing and this script cannot install them (the names are those of Debian's packages):" \
            "    ${needed[*]}" "Please install them, or have it done, and start again."
    fi
    echo "  missing, so what needs them is left out: ${packages[*]}"
}

# build DIRECTORY PREFIX LABEL CONFIGURE-ARGUMENT...: configure if that has not been done so, make, install.
build()
{
    local dir=$1 to=$2 label=$3
    shift 3
    local want="--prefix=$to $*"
    mkdir -p "$dir/log"
    # Libtool is a long script that runs once a source; configure would choose bash for it, which takes twice as long.
    local -x CONFIG_SHELL=${CONFIG_SHELL:-/bin/sh}
    [ -x configure ] || run "autotools" "$dir/log/autogen.log" ./autogen.sh
    if [ ! -x "$dir/config.status" ] || [ "$(cat "$dir/configured" 2>/dev/null)" != "$want" ]; then
        run "configure$label" "$dir/log/configure.log" env -C "$dir" "$top/configure" --prefix="$to" "$@"
        echo "$want" >"$dir/configured"
    fi
    run "build$label" "$dir/log/make.log" make -C "$dir" -j"$jobs"
    run "install$label" "$dir/log/install.log" make -C "$dir" install
}
