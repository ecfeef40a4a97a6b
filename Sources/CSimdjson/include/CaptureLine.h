#ifndef LIVECUE_CAPTURE_LINE_H
#define LIVECUE_CAPTURE_LINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A reader of capture lines with its buffers. One thread at a time.
typedef struct livecue_line_reader livecue_line_reader;

/// Bytes of a line or of the reader; `bytes` is NULL if the member was not there. Valid until the next read.
typedef struct livecue_line_text {
  const uint8_t *bytes;
  size_t count;
} livecue_line_text;

/// What stood on a line.
typedef struct livecue_line {
  /// `at`; `has_at` is 0 if it was not there.
  int64_t at;
  int has_at;
  /// `topic`, unescaped.
  livecue_line_text topic;
  /// `payload` as it stands on the line: its own faults are for the decoder of payloads to find.
  livecue_line_text payload;
  /// `base64`, unescaped.
  livecue_line_text base64;
  /// `away`: the instants between which the daemon was away.
  int64_t away_from;
  int64_t away_to;
  int has_away;
} livecue_line;

/// A new reader; NULL if there is no memory.
livecue_line_reader *livecue_line_create(void);

/// Frees the reader.
void livecue_line_destroy(livecue_line_reader *reader);

/// Reads a line. Returns 0, or 1 with what is wrong with it as a constant text of simdjson in `*fault`.
int livecue_line_read(livecue_line_reader *reader, const uint8_t *bytes, size_t count, livecue_line *line,
                      const char **fault);

#ifdef __cplusplus
}
#endif

#endif
