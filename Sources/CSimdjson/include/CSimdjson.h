#ifndef LIVECUE_CSIMDJSON_H
#define LIVECUE_CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#include "CaptureLine.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A parser with its buffers. One thread at a time.
typedef struct livecue_json_parser livecue_json_parser;

/// How a parse ended. Only what the caller treats differently has a value of its own.
typedef enum livecue_json_status {
  livecue_json_ok = 0,
  /// Nested deeper than `max_depth`.
  livecue_json_depth = 1,
  /// A byte sequence that is not UTF-8.
  livecue_json_utf8 = 2,
  /// A string with a bad escape; a lone surrogate is one.
  livecue_json_string = 3,
  /// A number that is bad, or does not fit 64 bits or a double.
  livecue_json_number = 4,
  /// Anything else that is not JSON.
  livecue_json_other = 5,
  /// No memory, or more than 4 GiB: nothing is known about the payload.
  livecue_json_memory = 6,
} livecue_json_status;

/// What a successful parse left in the parser's buffers: valid until the next parse with it.
///
/// The tape has one word a value: the type's character in the top byte, a payload of 56 bits below.
/// `{` `[`: the low 32 bits are the index past the matching end, the 24 above it the number of members.
/// `"`: the offset of a string in `strings`. `l` `u` `d`: the value is the next word.
/// A string is its length (4 bytes, this machine's order), its bytes and a NUL.
typedef struct livecue_json_document {
  const uint64_t *tape;
  size_t tape_count;
  /// The buffer of all strings; up to `readable_bytes` it may be read.
  const uint8_t *strings;
  size_t readable_bytes;
  /// Bytes of it that hold strings of this document.
  size_t string_bytes;
} livecue_json_document;

/// A new parser; NULL if there is no memory.
livecue_json_parser *livecue_json_create(void);

/// Frees the parser and all that `livecue_json_parse` returned.
void livecue_json_destroy(livecue_json_parser *parser);

/// Parses a payload of at most `max_depth` nested containers. The bytes are copied: they need no padding.
livecue_json_status livecue_json_parse(livecue_json_parser *parser, const uint8_t *bytes, size_t count,
                                       size_t max_depth, livecue_json_document *document);

/// Bytes of payload that the buffers hold now, for tests: it follows the payloads up and down.
size_t livecue_json_capacity(const livecue_json_parser *parser);

#ifdef __cplusplus
}
#endif

#endif
