# How each launcher starts a job on several hosts, by TCP only. Sourced.

launcher_command() {
    case $1 in
        openmpi) if command -v mpirun.openmpi >/dev/null; then echo mpirun.openmpi; else echo mpirun; fi ;;
        mpich) echo mpiexec.hydra ;;
        shmem) echo shmemrun ;;
    esac
}

installed() {
    command -v "$(launcher_command "$1")" >/dev/null
}

# Sets `launch` to the command that starts $2 processes on each of the hosts after the $3 names of `variables`.
# Usage: launch_command LAUNCHER IMAGES_PER_HOST AGENT HOST...
launch_command() {
    local launcher=$1 images=$2 agent=$3 name
    shift 3
    local names=${*/%/:$images} total=$(($# * images))
    launch=("$(launcher_command "$launcher")")
    case $launcher in
        openmpi | shmem)
            launch+=(-np "$total" --host "${names// /,}" --bind-to none --mca mpi_yield_when_idle 1)
            # The front starts the daemons of all hosts: a host cannot enter another.
            launch+=(--mca plm_rsh_agent "$agent" --mca plm_rsh_no_tree_spawn 1)
            launch+=(--mca oob_tcp_if_include eth0)
            for name in "${forwarded[@]}"; do launch+=(-x "$name"); done
            ;;
    esac
    case $launcher in
        openmpi) launch+=(--mca btl_tcp_if_include eth0 --mca pml ob1 --mca btl tcp,self --mca osc pt2pt) ;;
        shmem) launch+=(-x UCX_TLS=tcp,self -x UCX_NET_DEVICES=eth0) ;;
        mpich)
            names=$*
            launch+=(-launcher rsh -launcher-exec "$agent" -iface eth0 -hosts "${names// /,}" -ppn "$images" -n "$total")
            launch+=(-genv UCX_TLS tcp,self -genv UCX_NET_DEVICES eth0)
            ;;
    esac
}
