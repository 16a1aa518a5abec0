# shellcheck shell=bash
# The project's environment: finds a Python, makes the virtual environment, installs
# into it once. Sourced by ops/run, ops/glasnost and ops/test; runs nothing by itself.
#
#   GLASNOST_PYTHON  the Python to build with (a command or a path); default: the first
#                    of python3.12, python3.11, python3, ~/.pyenv that is usable, of those
#                    built with optimisations if there are any
#   GLASNOST_VENV    where the environment lives; default: .venv in the project
#   GLASNOST_EXTRAS  the extras to install with it (postgres,parquet); what is there stays
#
# The warm path reads a few small files and starts one process (`cksum`).
set -euo pipefail

GLASNOST_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
GLASNOST_VENV=${GLASNOST_VENV:-$GLASNOST_ROOT/.venv}
case $GLASNOST_VENV in /*) ;; *) GLASNOST_VENV=$PWD/$GLASNOST_VENV ;; esac
export GLASNOST_VENV
unset PYTHONHOME

say() { printf 'glasnost: %s\n' "$*" >&2; }

die() {
    say "$@"
    exit 1
}

# usable_python COMMAND [VERSION [optimised]]: prints "real-path full-version" of a Python that
# runs, is 3.11 or newer (and VERSION, if given), was built with optimisations (if asked for) and
# can make a virtual environment.
usable_python() {
    local probe='
import os, sys
import ensurepip, venv
wanted = sys.argv[1]
found = ".".join(map(str, sys.version_info[:3]))
if sys.version_info < (3, 11) or (wanted and not (found + ".").startswith(wanted + ".")):
    sys.exit(1)
if sys.argv[2]:
    import sysconfig
    flags = (sysconfig.get_config_var("CONFIG_ARGS") or "") + (sysconfig.get_config_var("PY_CFLAGS") or "")
    if "--enable-optimizations" not in flags and "-fprofile-use" not in flags:
        sys.exit(1)
print(os.path.realpath(sys.executable), found)'
    command -v "$1" >/dev/null 2>&1 || return 1
    "$1" -I -c "$probe" "${2:-}" "${3:-}" 2>/dev/null </dev/null
}

# find_python [VERSION]: the first usable Python, as usable_python prints it: one that was built
# with optimisations where there is one, for it runs a move in three quarters of the time.
find_python() {
    local version=${1:-} candidate optimised
    if [ -n "${GLASNOST_PYTHON:-}" ] && usable_python "$GLASNOST_PYTHON" "$version"; then
        return 0
    fi
    for optimised in optimised ''; do
        for candidate in ${version:+"python$version"} python3.12 python3.11 python3 \
            "${HOME:-}"/.pyenv/versions/*/bin/python3; do
            usable_python "$candidate" "$version" "$optimised" && return 0
        done
    done
    return 1
}

# venv_says VENV KEY: what a virtual environment's own file tells: the "home" of its Python, say.
venv_says() {
    local key value
    while IFS=' =' read -r key value || [ -n "$key" ]; do
        if [ "$key" = "$2" ]; then
            printf '%s\n' "$value"
            return 0
        fi
    done 2>/dev/null <"$1/pyvenv.cfg"
    return 1
}

# venv_version VENV: the full version of the Python a virtual environment was made with.
venv_version() { venv_says "$1" version; }

# extras: the extras of pyproject.toml, with a blank between them.
extras() {
    local line inside= found=
    while read -r line; do
        case $line in
            '[project.optional-dependencies]') inside=1 ;;
            '['*) inside= ;;
            *' = ['*) [ -z "$inside" ] || found="$found${found:+ }${line%% *}" ;;
        esac
    done <"$GLASNOST_ROOT/pyproject.toml"
    printf '%s\n' "$found"
}

# holds LIST NAME: is it one of these names?
holds() { case " $1 " in *" $2 "*) ;; *) return 1 ;; esac; }

# choose_extras SET: leaves in $wanted the extras to have: those that GLASNOST_EXTRAS names, and
# with SET "test" every one. Ends where there is no such extra.
choose_extras() {
    local known name IFS=', '
    wanted=
    [ "$1" = test ] || [ -n "${GLASNOST_EXTRAS:-}" ] || return 0
    known=$(extras)
    set -f
    for name in ${GLASNOST_EXTRAS:-}; do
        holds "$known" "$name" ||
            die "GLASNOST_EXTRAS names the extra \"$name\", which there is not; there are: ${known// /, }"
        holds "$wanted" "$name" || wanted="$wanted${wanted:+ }$name"
    done
    set +f
    [ "$1" != test ] || wanted=$known
}

# is_current: the environment holds what pyproject.toml and the constraints say now, and $wanted.
# Side effect: leaves in $stamp what the stamp's first line would be, and in $had the extras that
# were installed last, also where they are out of date.
is_current() {
    local version said= python name IFS=' '
    had=
    version=$(venv_version "$GLASNOST_VENV") || version=none
    stamp="python $version sum $(cat "$GLASNOST_ROOT/pyproject.toml" \
        "$GLASNOST_ROOT/ops/constraints.txt" | cksum) at $GLASNOST_ROOT"
    { read -r said && read -r had; } 2>/dev/null <"$GLASNOST_VENV/.glasnost-runtime" || true
    [ "$said" = "$stamp" ] || return 1
    [ -x "$GLASNOST_VENV/bin/python" ] && [ ! -e "$GLASNOST_VENV/.glasnost-installing" ] || return 1
    if [ -n "${GLASNOST_PYTHON:-}" ]; then
        read -r python 2>/dev/null <"$GLASNOST_VENV/.glasnost-python" || return 1
        [ "$python" = "$GLASNOST_PYTHON" ] || return 1
    fi
    for name in $wanted; do
        holds "$had" "$name" || return 1
    done
}

# Runs "$@" while holding the environment's lock: flock where the system has it, else a
# directory that names its owner.
with_lock() {
    local lock=$GLASNOST_VENV/.glasnost-lock status=0 owner reported=
    if command -v flock >/dev/null 2>&1; then
        (
            if ! flock -n 9; then
                say "another start is installing; waiting for it ..."
                flock 9
            fi
            "$@"
        ) 9>"$lock" || status=$?
        return "$status"
    fi
    until mkdir "$lock.d" 2>/dev/null; do
        owner=$(cat "$lock.d/pid" 2>/dev/null || true)
        if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then
            rm -rf "$lock.d" # its owner was killed
        fi
        [ -n "$reported" ] || say "another start is installing ($lock.d); waiting for it ..."
        reported=1
        sleep 0.2
    done
    echo "$$" >"$lock.d/pid"
    ("$@") || status=$?
    rm -rf "$lock.d"
    return "$status"
}

# quietly LOG COMMAND...: runs it into the log; on failure shows the log's tail.
quietly() {
    local log=$1
    shift
    "$@" >>"$log" 2>&1 </dev/null && return 0
    say "installing failed. The last lines of $log:"
    grep -v -e '^WARNING: Location' -e '^Looking in links' "$log" | tail -n 15 | sed 's/^/    /' >&2
    return 1
}

# choose_python: leaves in $found what find_python prints, or says what to install.
choose_python() {
    if [ -n "${GLASNOST_PYTHON:-}" ]; then
        found=$(usable_python "$GLASNOST_PYTHON") ||
            die "GLASNOST_PYTHON=$GLASNOST_PYTHON is not a Python 3.11 or newer that runs and has venv and ensurepip." \
                "Set it to one that is, or unset it."
    else
        found=$(find_python) ||
            die "no usable Python found: 3.11 or newer with venv and ensurepip is needed. Install one" \
                "(Debian, Ubuntu: python3 and python3-venv; macOS: brew install python@3.12; any system: pyenv" \
                "or python.org), or point GLASNOST_PYTHON at one, and start again."
    fi
}

# make_venv LOG: an environment of $found, unless one that will do is there.
make_venv() {
    local python=${found% *}
    if [ -x "$GLASNOST_VENV/bin/python" ] && [ ! -e "$GLASNOST_VENV/.glasnost-installing" ]; then
        # What runs stays, unless another Python was asked for by name.
        if [ -z "${GLASNOST_PYTHON:-}" ] && "$GLASNOST_VENV/bin/python" -I -c \
            'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            return 0
        fi
        [ "$(readlink -f "$GLASNOST_VENV/bin/python")" != "$python" ] || return 0
    fi
    # A new one, or one that was interrupted, or one of another Python. The browser stays.
    find "$GLASNOST_VENV" -mindepth 1 -maxdepth 1 \
        ! -name browser ! -name '.glasnost-*' -exec rm -rf {} + || return 1
    : >"$GLASNOST_VENV/.glasnost-installing"
    quietly "$1" "$python" -m venv "$GLASNOST_VENV"
}

# install: runs under the lock. The stamp is written last; `.glasnost-installing` marks an
# environment that was being changed when something died, which is then made anew. Extras that were
# there are installed again with the others, as far as they are still extras.
install() {
    local log=$GLASNOST_VENV/.glasnost-install.log known name what found pip
    is_current && return 0
    known=$(extras)
    for name in $had; do
        holds "$wanted" "$name" || ! holds "$known" "$name" || wanted="$wanted${wanted:+ }$name"
    done
    choose_python
    what="about 20 s"
    ! holds "$wanted" test || what="about 40 s"
    say "installing into ${GLASNOST_VENV#"$GLASNOST_ROOT/"}, $what ..."
    : >"$log"
    make_venv "$log" || exit 1
    : >"$GLASNOST_VENV/.glasnost-installing"
    pip=("$GLASNOST_VENV/bin/python" -I -m pip install --no-input --disable-pip-version-check
        --progress-bar off -c "$GLASNOST_ROOT/ops/constraints.txt")
    # The build tool stands in the environment, pinned like the rest, so that the
    # second step needs nothing that is not in the constraints.
    if ! (
        unset PIP_TARGET PIP_PREFIX PIP_USER PIP_REQUIRE_HASHES
        export PIP_ROOT_USER_ACTION=ignore
        quietly "$log" "${pip[@]}" setuptools &&
            quietly "$log" "${pip[@]}" --no-build-isolation -e "$GLASNOST_ROOT${wanted:+[${wanted// /,}]}"
    ); then
        grep -q '^Installing collected packages' "$log" || rm -f "$GLASNOST_VENV/.glasnost-installing"
        die "what is needed: a package index pip can reach (pip's own configuration names it) and about" \
            "1 GB of disk. Start again when it is there: nothing half-installed is used."
    fi
    printf '%s\n' "${GLASNOST_PYTHON:-}" >"$GLASNOST_VENV/.glasnost-python"
    rm -f "$GLASNOST_VENV/.glasnost-installing" "$GLASNOST_VENV/.glasnost-test"
    is_current || printf '%s\n' "$stamp" "$wanted" >"$GLASNOST_VENV/.glasnost-runtime"
}

# must_be_ours: ends with what to do where this user may not change the environment.
must_be_ours() {
    local lock=$GLASNOST_VENV/.glasnost-lock why="it does not hold what is needed now"
    [ -w "$GLASNOST_VENV" ] && { [ ! -e "$lock" ] || [ -w "$lock" ]; } && return 0
    if [ -L "$GLASNOST_VENV/bin/python" ] && [ ! -x "$GLASNOST_VENV/bin/python" ]; then
        why="its Python, in $(venv_says "$GLASNOST_VENV" home || echo "?"), is none that this user may run"
    fi
    die "$GLASNOST_VENV cannot be used: $why; and the user $(id -un) may not change it. As its owner run" \
        "${wanted:+GLASNOST_EXTRAS=${wanted// /,} }$GLASNOST_ROOT/ops/glasnost games, with a Python that everybody may run (GLASNOST_PYTHON names one;" \
        "none in a user's home). Or name another place with GLASNOST_VENV."
}

# ensure SET: SET is "runtime" or "test". Returns at once when all is there.
ensure() {
    choose_extras "$1"
    is_current && return 0
    mkdir -p "$GLASNOST_VENV" || die "cannot make $GLASNOST_VENV; name another place with GLASNOST_VENV."
    must_be_ours
    if [ ! -e "$GLASNOST_VENV/pyvenv.cfg" ] && [ ! -e "$GLASNOST_VENV/.glasnost-installing" ] &&
        [ -n "$(find "$GLASNOST_VENV" -mindepth 1 -maxdepth 1 ! -name browser ! -name '.glasnost-*')" ]; then
        die "GLASNOST_VENV=$GLASNOST_VENV holds other things; name a new or an empty directory."
    fi
    with_lock install
}
