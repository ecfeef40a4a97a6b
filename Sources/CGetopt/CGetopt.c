#include "CGetopt.h"

void cgetopt_reset(void) {
  // Not 1: glibc then keeps its place in a word like -xyz of which it has read one letter only.
  optind = 0;
  opterr = 0;
}

int cgetopt_next(int argc, char *const *argv, const char *short_options, const struct option *long_options,
                 const char **argument, int *index) {
  int value = getopt_long(argc, argv, short_options, long_options, 0);
  *argument = optarg;
  *index = optind;
  return value;
}
