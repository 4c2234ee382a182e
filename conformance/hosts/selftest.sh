# Runs the C programs of this folder with each launcher: on 2 hosts x 2, on 4 x 1, and with a host that is cut off. Sourced.

. "$here/hosts/launchers.sh"

compile() {
    case $1 in
        openmpi) printf '%s\n' mpicc.openmpi mpicc ;;
        mpich) echo mpicc.mpich ;;
        shmem) echo shmemcc ;;
    esac | while read -r compiler; do
        if command -v "$compiler" >/dev/null; then
            local source=ping_mpi.c
            if [ "$1" = shmem ]; then source=ping_shmem.c; fi
            "$compiler" -O1 -Wall -Wextra "$here/hosts/$source" -o "$programs/ping_$1" -pthread
            break
        fi
    done
    [ -x "$programs/ping_$1" ]
}

# Says what is done, and does it. On failure says so and goes on.
attempt() {
    echo "-- $1"
    shift
    if ! on_hosts "$@"; then
        echo "hosts: that failed" >&2
        failures=$((failures + 1))
    fi
}

selftest() {
    local programs tried=0 failures=0 each
    programs=${CARGO_TARGET_DIR:-$here/../target}/hosts
    mkdir -p "$programs"
    for each in ${launcher:-openmpi mpich shmem}; do
        if ! installed "$each" || ! compile "$each"; then
            echo "hosts: $each is not installed, or lacks its compiler: skipped" >&2
            continue
        fi
        tried=$((tried + 1))
        export HOSTS_LAUNCHER=$each
        HOSTS_COUNT=2 HOSTS_IMAGES=2 attempt "$each: 2 hosts x 2" run 0 0 "$programs/ping_$each"
        HOSTS_COUNT=4 HOSTS_IMAGES=1 attempt "$each: 4 hosts x 1" run 0 0 "$programs/ping_$each"
        HOSTS_COUNT=2 HOSTS_IMAGES=2 HOSTS_WHEN=passed HOSTS_EXPECT="has heard nothing for" \
            attempt "$each: 2 hosts x 2, cut" cut 1 COARRAY_PEER_TIMEOUT=5 0 "$programs/ping_$each" for ever
    done
    if [ "$tried" -eq 0 ]; then skip "none of the launchers is installed"; fi
    if [ "$failures" -gt 0 ]; then
        echo "hosts: $failures of the selftest's jobs failed" >&2
        return 1
    fi
    echo "hosts: the selftest passed"
}
