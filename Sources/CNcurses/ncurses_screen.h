#pragma once

// The functions of ncurses as functions, and the wide ones among them.
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <stdio.h>
#include <wchar.h>

/// How many cells a character takes; -1: it cannot be shown. POSIX; ncurses counts by it.
extern int wcwidth(wchar_t character);

// What Swift cannot name: global variables, and macros that are no constants.

static const attr_t livecue_bold = A_BOLD;
static const attr_t livecue_dim = A_DIM;
static const attr_t livecue_reversed = A_REVERSE;

/// A screen on standard output with keys from standard input; NULL: the terminal is not known.
static inline SCREEN *livecue_open_screen(void) { return newterm(NULL, stdout, stdin); }

static inline WINDOW *livecue_window(void) { return stdscr; }

static inline int livecue_colors(void) { return COLORS; }

static inline int livecue_pairs(void) { return COLOR_PAIRS; }

/// Puts one cell's text, a character and what combines with it, ended by 0.
static inline int livecue_put(WINDOW *window, int row, int column, const wchar_t *text, attr_t attributes, short pair) {
  cchar_t cell;
  if (setcchar(&cell, text, attributes, pair, NULL) == ERR) return ERR;
  return mvwadd_wch(window, row, column, &cell);
}
