/* libsystemd's notification protocol, from Debian's libsystemd-dev. */
#include <systemd/sd-daemon.h>
