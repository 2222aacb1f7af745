// openat2(2), which glibc has no function for; declared under a name of our own, so that it meets
// no other declaration.
#pragma once
#include <sys/vfs.h>
#include <linux/magic.h>
#include <sys/statfs.h>

// struct open_how and RESOLVE_… of <linux/openat2.h>
typedef struct {
  unsigned long long flags, mode, resolve;
} avjob_open_how;
enum {
  avjob_resolve_no_magic_links = 0x02,
  avjob_resolve_no_symlinks = 0x04,
  avjob_resolve_beneath = 0x08,
};

// renameat2(2), and RENAME_NOREPLACE of <linux/fs.h>
int avjob_renameat2(int from, const char *path, int to, const char *target, unsigned flags)
    __asm__("renameat2");
enum { avjob_rename_noreplace = 1 };

// fgetxattr(2) and its kin, whose header Swift's Glibc leaves out
long avjob_flistxattr(int file, char *names, unsigned long size) __asm__("flistxattr");
long avjob_fgetxattr(int file, const char *name, void *value, unsigned long size)
    __asm__("fgetxattr");
int avjob_fsetxattr(int file, const char *name, const void *value, unsigned long size, int flags)
    __asm__("fsetxattr");
int avjob_fremovexattr(int file, const char *name) __asm__("fremovexattr");

// Whether the kernel makes up what a file holds: it lies in procfs or sysfs (fstatfs(2)).
static inline _Bool avjob_is_made_by_kernel(int file) {
  struct statfs facts;
  return fstatfs(file, &facts) == 0
      && (facts.f_type == PROC_SUPER_MAGIC || facts.f_type == SYSFS_MAGIC);
}

// O_PATH of <fcntl.h>, which is there only under _GNU_SOURCE
enum { avjob_o_path = 010000000 };

long avjob_syscall(long number, ...) __asm__("syscall");

// The new descriptor, or -1 with errno set.
static inline int avjob_openat2(int folder, const char *path, const avjob_open_how *how) {
  enum { number = 437 };  // SYS_openat2, the same for every architecture
  return (int)avjob_syscall(number, folder, path, how, sizeof *how);
}

// inotify(7), whose header Swift's Glibc leaves out
int avjob_inotify_init(int flags) __asm__("inotify_init1");
int avjob_inotify_add_watch(int notifier, const char *path, unsigned mask)
    __asm__("inotify_add_watch");
int avjob_inotify_rm_watch(int notifier, int watch) __asm__("inotify_rm_watch");
typedef struct {
  int watch;
  unsigned mask, cookie, length;
} avjob_inotify_event;
enum {
  avjob_in_modify = 0x2,
  avjob_in_attrib = 0x4,
  avjob_in_close_write = 0x8,
  avjob_in_moved_from = 0x40,
  avjob_in_moved_to = 0x80,
  avjob_in_create = 0x100,
  avjob_in_delete = 0x200,
  avjob_in_delete_self = 0x400,
  avjob_in_move_self = 0x800,
  avjob_in_overflow = 0x4000,
  avjob_in_ignored = 0x8000,
  avjob_in_onlydir = 0x1000000,
  avjob_in_mask_add = 0x20000000,
};

/// Whether a file's server decides on leases: NFS, CIFS and SMB (`linux/magic.h`); true where it cannot
/// be known.
static inline int avjob_is_on_network(int descriptor) {
  struct statfs system;
  if (fstatfs(descriptor, &system) != 0) return 1;
  switch ((unsigned)system.f_type) {
    case 0x6969: case 0xFF534D42: case 0xFE534D42: return 1;
    default: return 0;
  }
}
