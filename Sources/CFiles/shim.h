// openat2(2), which glibc has no function for; declared under a name of our own, so that it meets
// no other declaration.
#pragma once

// struct open_how and RESOLVE_… of <linux/openat2.h>
typedef struct {
  unsigned long long flags, mode, resolve;
} avjob_open_how;
enum {
  avjob_resolve_no_magic_links = 0x02,
  avjob_resolve_no_symlinks = 0x04,
  avjob_resolve_beneath = 0x08,
};

// O_PATH of <fcntl.h>, which is there only under _GNU_SOURCE
enum { avjob_o_path = 010000000 };

long avjob_syscall(long number, ...) __asm__("syscall");

// The new descriptor, or -1 with errno set.
static inline int avjob_openat2(int folder, const char *path, const avjob_open_how *how) {
  enum { number = 437 };  // SYS_openat2, the same for every architecture
  return (int)avjob_syscall(number, folder, path, how, sizeof *how);
}
