#!/usr/bin/env bash
# Several hosts on one machine: starts a job across network namespaces that share no memory and reach each other by TCP only.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
    cat <<'END'
usage: hosts.sh run      [options] -- PROGRAM [ARGUMENT...]   start PROGRAM across the hosts
       hosts.sh cut      [options] -- PROGRAM [ARGUMENT...]   cut the last host off in the middle; the job must end by itself
       hosts.sh selftest [options]                            both with small C programs: is it the network or the library?

  --launcher openmpi|mpich|shmem who starts it: mpirun, mpiexec.hydra or shmemrun (default: openmpi; selftest: all three)
  --hosts N                      how many hosts (default: 2)
  --images-per-host N            how many processes on each (default: 2)
  --peer-timeout SECONDS         sets COARRAY_PEER_TIMEOUT (cut: default 5)
  --env NAME=VALUE               a variable for the processes; may be repeated. Those named COARRAY_* are passed on in any case
  --option WORD                  a word more for the launcher's command line; may be repeated
  --tcp-retries N                how often the hosts resend before a connection counts as broken (default: 4, about 7 s; Linux
                                 has 15, a quarter of an hour); daemons of launchers stay that long on a host that is cut off
  --limit SECONDS                the whole job is killed after so long (default: 120)

and for cut:
  --when REGEX                   cut once the program has printed this (default: once all its processes run)
  --after SECONDS                and so long has passed since (default: 2)
  --within SECONDS               the job must have ended so long after the cut, and nothing be left of it (default: 30)
  --expect REGEX                 a line printed after the cut that tells what has happened (default: anything)

The hosts are host1, host2, ...: each has a network interface eth0, and a host name, /dev/shm, System V memory and process numbers of its
own. The launcher runs on a machine `front` on the same network. It passes on no variables but those named above, as a remote
shell would not. All of it vanishes with this script, however that ends.

Exit code: that of the launcher for run; 0 or 1 for cut and selftest; 2 if the command line is wrong; 124 if the limit was reached;
77 if nothing was run, because this machine does not allow namespaces or lacks the launcher.
END
}

wrong() {
    echo "hosts: $1; see hosts.sh --help" >&2
    exit 2
}

skip() {
    echo "hosts: skipped: $1" >&2
    exit 77
}

whole() {
    [[ $2 =~ ^[1-9][0-9]*$ ]] || wrong "$1 takes a whole number from 1 on, not '$2'"
}

decimal() {
    [[ $2 =~ ^[0-9]+(\.[0-9]+)?$ ]] || wrong "$1 takes a number of seconds, not '$2'"
}

launcher= hosts=2 images=2 peer_timeout= retries=4 limit=120 when= after=2 within=30 expect=.
variables=() words=() program=()
read_command_line() {
    case ${1-} in
        run | cut | selftest) task=$1 ;;
        -h | --help) usage; exit 0 ;;
        *) wrong "say what to do: run, cut or selftest" ;;
    esac
    shift
    while [ $# -gt 0 ]; do
        case $1 in
            -h | --help) usage; exit 0 ;;
            --) shift; program=("$@"); break ;;
            --launcher | --hosts | --images-per-host | --peer-timeout | --env | --option | --tcp-retries | --limit | --when | --after | --within | --expect)
                [ $# -ge 2 ] || wrong "$1 lacks its value" ;;
            *) wrong "unknown option '$1' (the program comes after --)" ;;
        esac
        case $1 in
            --launcher) [[ $2 =~ ^(openmpi|mpich|shmem)$ ]] || wrong "unknown launcher '$2'"; launcher=$2 ;;
            --hosts) whole "$1" "$2"; [ "$2" -le 200 ] || wrong "200 hosts are the most"; hosts=$2 ;;
            --images-per-host) whole "$1" "$2"; images=$2 ;;
            --peer-timeout) whole "$1" "$2"; peer_timeout=$2 ;;
            --env) [[ $2 =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] || wrong "--env takes NAME=VALUE, not '$2'"; variables+=("$2") ;;
            --option) words+=("$2") ;;
            --tcp-retries) whole "$1" "$2"; retries=$2 ;;
            --limit) whole "$1" "$2"; limit=$2 ;;
            --when) when=$2 ;;
            --after) decimal "$1" "$2"; after=$2 ;;
            --within) whole "$1" "$2"; within=$2 ;;
            --expect) expect=$2 ;;
        esac
        shift 2
    done
    if [ "$task" = selftest ]; then
        [ ${#program[@]} -eq 0 ] || wrong "selftest brings programs of its own"
        return
    fi
    [ ${#program[@]} -gt 0 ] || wrong "which program? It comes after --"
    command -v "${program[0]}" >/dev/null || wrong "there is no program '${program[0]}'"
    launcher=${launcher:-openmpi}
    if [ "$task" = cut ]; then peer_timeout=${peer_timeout:-5}; fi
}

# How to become the front: as root, or as root of a user namespace, where ordinary users may have those.
# The front dies with the process that unshares, and that one with this script.
find_out_how_to_unshare() {
    command -v ip >/dev/null || skip "the command ip is missing (Debian: iproute2)"
    unshare=(setpriv --pdeathsig KILL unshare --net --mount --pid --ipc --uts --fork --kill-child --mount-proc)
    local complaint
    if complaint=$(probe 2>&1); then return; fi
    unshare+=(--map-root-user)
    if probe >/dev/null 2>&1; then return; fi
    skip "this machine does not allow network namespaces, which takes root or CAP_SYS_ADMIN and CAP_NET_ADMIN (${complaint//$'\n'/; })"
}

probe() {
    "${unshare[@]}" sh -ec '
        ip link add bridge type bridge
        ip link add one type veth peer name other
        mount -t tmpfs tmpfs /dev/shm
        unshare --net --mount --pid --ipc --uts --fork --mount-proc hostname host'
}

front=
remove_front() {
    trap - EXIT
    if [ -n "$front" ]; then
        # Disowned, it dies without a remark of the shell.
        disown "$front"
        kill -KILL "$front" 2>/dev/null || true
        while kill -0 "$front" 2>/dev/null; do sleep 0.02; done
    fi
}

# Builds the hosts, and runs the job (or does what else the front is asked to) on them.
on_hosts() {
    local code=0
    "${unshare[@]}" "$here/hosts/front" "$@" &
    front=$!
    wait "$front" || code=$?
    front=
    return "$code"
}

read_command_line "$@"
trap remove_front EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
find_out_how_to_unshare
if [ -n "$peer_timeout" ]; then variables+=("COARRAY_PEER_TIMEOUT=$peer_timeout"); fi
export HOSTS_LAUNCHER=$launcher HOSTS_COUNT=$hosts HOSTS_IMAGES=$images HOSTS_RETRIES=$retries HOSTS_LIMIT=$limit
export HOSTS_WHEN=$when HOSTS_AFTER=$after HOSTS_WITHIN=$within HOSTS_EXPECT=$expect
if [ "$task" = selftest ]; then
    # shellcheck source=hosts/selftest.sh
    . "$here/hosts/selftest.sh"
    selftest
else
    # shellcheck source=hosts/launchers.sh
    . "$here/hosts/launchers.sh"
    installed "$launcher" || skip "$launcher is not installed: there is no $(launcher_command "$launcher")"
    on_hosts "$task" "${#variables[@]}" "${variables[@]}" "${#words[@]}" "${words[@]}" "${program[@]}"
fi
