/* To be loaded into a launcher: removing a folder takes longer than an engine waits for an answer, as where the disk is busy. */
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

int rmdir(const char *path)
{
    static atomic_flag was_slow = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&was_slow))
        usleep(2500000);
    return (int)syscall(SYS_unlinkat, -100 /* AT_FDCWD */, path, 0x200 /* AT_REMOVEDIR */);
}
