/* The parts of Linux that Swift's Glibc module leaves out. */

/* First what it has: without this, types such as timespec would have two homes, and Swift would pick either. */
#pragma clang module import SwiftGlibc

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
