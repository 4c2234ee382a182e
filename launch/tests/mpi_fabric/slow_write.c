/* To be loaded into a job: MPICH's launcher passes its input on late, as where the processors are busy. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t write(int file, const void *bytes, size_t length)
{
    if (strcmp(program_invocation_short_name, "mpiexec.hydra") == 0)
        usleep(20000);
    return syscall(SYS_write, file, bytes, length);
}
