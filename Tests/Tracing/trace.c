// Writes down, in order, what a process reads and writes on its sockets and what it writes and syncs of its store.
// Preloaded (LD_PRELOAD), it stands before the C library's functions; the file that TRACE names gets a line each:
//   read DESCRIPTOR BYTES | write DESCRIPTOR BYTES   a socket's bytes, in hexadecimal
//   store PATH BYTES | sync PATH                     a file's whose name holds "livecue.db"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int trace = -1;

__attribute__((constructor)) static void open_trace(void) {
  const char *path = getenv("TRACE");
  if (path) trace = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static void put(const char *bytes, size_t count) {
  while (count > 0) {
    long written = syscall(SYS_write, trace, bytes, count);
    // A trace with holes would show an order that never was.
    if (written <= 0) abort();
    bytes += written;
    count -= (size_t)written;
  }
}

/// Writes a line. A line of bytes is written in pieces, so nothing else may come between.
static void note(const char *head, const void *bytes, size_t count) {
  static const char digits[] = "0123456789abcdef";
  static char piece[8192];
  int error = errno;
  pthread_mutex_lock(&lock);
  put(head, strlen(head));
  const unsigned char *byte = bytes;
  for (size_t length = 0; count > 0;) {
    piece[length++] = digits[*byte >> 4];
    piece[length++] = digits[*byte++ & 15];
    if (--count == 0 || length == sizeof piece) {
      put(piece, length);
      length = 0;
    }
  }
  put("\n", 1);
  pthread_mutex_unlock(&lock);
  errno = error;
}

static int is_socket(int descriptor) {
  struct stat status;
  int error = errno;
  int is = trace >= 0 && fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode);
  errno = error;
  return is;
}

static void note_socket(const char *what, int descriptor, const void *bytes, ssize_t count) {
  if (count <= 0 || !is_socket(descriptor)) return;
  char head[64];
  snprintf(head, sizeof head, "%s %d ", what, descriptor);
  note(head, bytes, (size_t)count);
}

static void note_store(const char *what, int descriptor, const void *bytes, ssize_t count) {
  if (trace < 0 || count < 0) return;
  char link[64], path[4096], head[4200];
  int error = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  errno = error;
  if (length <= 0) return;
  path[length] = 0;
  if (!strstr(path, "livecue.db")) return;
  snprintf(head, sizeof head, count > 0 ? "%s %s " : "%s %s", what, path);
  note(head, bytes, (size_t)count);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t read(int descriptor, void *bytes, size_t count) {
  ssize_t done = NEXT(read)(descriptor, bytes, count);
  note_socket("read", descriptor, bytes, done);
  return done;
}

ssize_t recv(int descriptor, void *bytes, size_t count, int flags) {
  ssize_t done = NEXT(recv)(descriptor, bytes, count, flags);
  if (!(flags & MSG_PEEK)) note_socket("read", descriptor, bytes, done);
  return done;
}

// What leaves is noted before it leaves, and a sync when it is done: so an order that is seen is one that was.
ssize_t write(int descriptor, const void *bytes, size_t count) {
  // Of what the socket does not take all at once the rest comes again: written down as often as it is tried.
  note_socket("write", descriptor, bytes, (ssize_t)count);
  return NEXT(write)(descriptor, bytes, count);
}

ssize_t send(int descriptor, const void *bytes, size_t count, int flags) {
  note_socket("write", descriptor, bytes, (ssize_t)count);
  return NEXT(send)(descriptor, bytes, count, flags);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  ssize_t done = NEXT(pwrite)(descriptor, bytes, count, offset);
  note_store("store", descriptor, bytes, done);
  return done;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  ssize_t done = NEXT(pwrite64)(descriptor, bytes, count, offset);
  note_store("store", descriptor, bytes, done);
  return done;
}

int fsync(int descriptor) {
  int code = NEXT(fsync)(descriptor);
  if (code == 0) note_store("sync", descriptor, "", 0);
  return code;
}

int fdatasync(int descriptor) {
  int code = NEXT(fdatasync)(descriptor);
  if (code == 0) note_store("sync", descriptor, "", 0);
  return code;
}
