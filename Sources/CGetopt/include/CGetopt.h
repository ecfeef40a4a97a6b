// getopt_long keeps its state in global variables, which Swift 6 rightly refuses to touch.
// These two functions keep them on the C side; the caller is single-threaded at that point.
#ifndef CGETOPT_H
#define CGETOPT_H

#include <getopt.h>

/// Starts over at the first argument and lets getopt_long print nothing itself.
void cgetopt_reset(void);

/// One step of getopt_long: the option's `val`, '?' or ':' for a fault, -1 at the end.
/// `argument` gets the option's argument or NULL, `index` the position of the next argument.
int cgetopt_next(int argc, char *const *argv, const char *short_options, const struct option *long_options,
                 const char **argument, int *index);

#endif
