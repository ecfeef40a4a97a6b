#ifndef LIVECUE_CAPTURE_LINE_H
#define LIVECUE_CAPTURE_LINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A reader of capture lines with its buffers. One thread at a time.
typedef struct livecue_line_reader livecue_line_reader;

/// A piece of a line; `count` is 0 if the member was not there.
typedef struct livecue_line_piece {
  size_t start;
  size_t count;
} livecue_line_piece;

/// What stood on a line. Pieces are byte ranges of the line as it was given, undecoded: a payload keeps every
/// byte that came over the wire, and its own faults are for the decoder of payloads to find.
typedef struct livecue_line {
  /// `at`; `has_at` is 0 if it was not there or no integer.
  int64_t at;
  int has_at;
  /// `topic`, with its quotes.
  livecue_line_piece topic;
  /// `payload`.
  livecue_line_piece payload;
  /// `base64`, with its quotes.
  livecue_line_piece base64;
  /// `away`: the instants between which the daemon was away.
  int64_t away_from;
  int64_t away_to;
  int has_away;
} livecue_line;

/// A new reader; NULL if there is no memory.
livecue_line_reader *livecue_line_create(void);

/// Frees the reader.
void livecue_line_destroy(livecue_line_reader *reader);

/// Reads a line. Returns 0, or what is wrong with it as a constant text of simdjson in `*fault` and 1.
int livecue_line_read(livecue_line_reader *reader, const uint8_t *bytes, size_t count, livecue_line *line,
                      const char **fault);

#ifdef __cplusplus
}
#endif

#endif
