#include "CSimdjson.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace {

constexpr size_t smallest_capacity = 16 << 10;
// Buffers are about 14 times the payload, so those of a rare giant go when this many parses needed much less.
constexpr unsigned parses_between_looks = 256;
constexpr size_t largest_payload = size_t(1) << 31;

size_t rounded_up(size_t count) {
  size_t capacity = smallest_capacity;
  while (capacity < count) capacity *= 2;
  return capacity;
}

char type_of(uint64_t word) { return char(word >> 56); }

// The index of the value after the one at `index`.
size_t next_value(const uint64_t *tape, size_t index) {
  switch (type_of(tape[index])) {
  case '{':
  case '[': return uint32_t(tape[index]);
  case 'l':
  case 'u':
  case 'd': return index + 2;
  default: return index + 1;
  }
}

// The bytes up to the end of the last string of the document. simdjson does not keep this number. Strings
// lie in the order of the payload, so it is enough to go down into the last container that has any.
size_t used_string_bytes(const uint64_t *tape, const uint8_t *strings, size_t begin, size_t end) {
  size_t last_string = SIZE_MAX, last_container = SIZE_MAX;
  for (size_t index = begin; index < end; index = next_value(tape, index)) {
    char type = type_of(tape[index]);
    if (type == '"') last_string = index, last_container = SIZE_MAX;
    // An empty container is two words.
    if ((type == '{' || type == '[') && uint32_t(tape[index]) > index + 2) last_container = index;
  }
  if (last_container != SIZE_MAX) {
    size_t inner = used_string_bytes(tape, strings, last_container + 1, uint32_t(tape[last_container]) - 1);
    if (inner > 0) return inner;
    // The last container has no string, one before it may: look at each word before it, without going down
    // again.
    for (size_t index = begin; index < last_container;) {
      char type = type_of(tape[index]);
      if (type == '"') last_string = index;
      index += type == 'l' || type == 'u' || type == 'd' ? 2 : 1;
    }
  }
  if (last_string == SIZE_MAX) return 0;
  size_t offset = size_t(tape[last_string] & 0x00FFFFFFFFFFFFFFull);
  uint32_t length;
  std::memcpy(&length, strings + offset, sizeof length);
  return offset + sizeof length + length + 1;
}

// How deep the containers of a tape are nested at most.
size_t nesting(const uint64_t *tape, size_t count) {
  size_t depth = 0, deepest = 0;
  for (size_t index = 1; index < count - 1;) {
    char type = type_of(tape[index]);
    if (type == '{' || type == '[') deepest = std::max(deepest, ++depth);
    if (type == '}' || type == ']') depth--;
    index += type == 'l' || type == 'u' || type == 'd' ? 2 : 1;
  }
  return deepest;
}

livecue_json_status status_of(simdjson::error_code error) {
  switch (error) {
  case simdjson::SUCCESS: return livecue_json_ok;
  case simdjson::DEPTH_ERROR: return livecue_json_depth;
  case simdjson::UTF8_ERROR: return livecue_json_utf8;
  case simdjson::STRING_ERROR: return livecue_json_string;
  case simdjson::NUMBER_ERROR:
  case simdjson::NUMBER_OUT_OF_RANGE: return livecue_json_number;
  case simdjson::MEMALLOC:
  case simdjson::CAPACITY: return livecue_json_memory;
  default: return livecue_json_other;
  }
}

} // namespace

struct livecue_json_parser {
  std::unique_ptr<simdjson::dom::parser> parser;
  std::unique_ptr<uint8_t[]> padded;
  size_t capacity = 0;
  size_t stack = SIZE_MAX;
  size_t peak = 0;
  unsigned parses = 0;

  bool allocate(size_t wanted) {
    // The old buffers go first: two giants at once are not needed.
    parser.reset();
    padded.reset();
    capacity = 0;
    parser.reset(new (std::nothrow) simdjson::dom::parser());
    padded.reset(new (std::nothrow) uint8_t[wanted + simdjson::SIMDJSON_PADDING]);
    if (!parser || !padded) return false;
    if (parser->doc.allocate(wanted) != simdjson::SUCCESS) return false;
    capacity = wanted;
    stack = SIZE_MAX;
    return true;
  }

  bool prepare(size_t count) {
    peak = std::max(peak, count);
    size_t wanted = std::max(capacity, rounded_up(count));
    if (++parses >= parses_between_looks) {
      size_t enough = rounded_up(peak * 2);
      if (enough * 4 <= capacity) wanted = enough;
      parses = 0;
      peak = count;
    }
    return wanted == capacity || allocate(wanted);
  }

  // Parses what lies in the padded buffer with room for `levels` containers one in another.
  simdjson::error_code parse(size_t count, size_t levels) {
    if (levels != stack) {
      // Two rooms may have different limits; once the buffers are there this replaces two small stacks only.
      simdjson::error_code error = parser->allocate(capacity, levels);
      if (error != simdjson::SUCCESS) return error;
      stack = levels;
    }
    return parser->parse(padded.get(), count, false).error();
  }
};

extern "C" livecue_json_parser *livecue_json_create(void) {
  return new (std::nothrow) livecue_json_parser();
}

extern "C" void livecue_json_destroy(livecue_json_parser *parser) { delete parser; }

extern "C" size_t livecue_json_capacity(const livecue_json_parser *parser) { return parser->capacity; }

extern "C" livecue_json_status livecue_json_parse(livecue_json_parser *self, const uint8_t *bytes,
                                                  size_t count, size_t max_depth,
                                                  livecue_json_document *document) {
  if (count > largest_payload || !self->prepare(count)) return livecue_json_memory;
  if (count > 0) std::memcpy(self->padded.get(), bytes, count);
  std::memset(self->padded.get() + count, 0, simdjson::SIMDJSON_PADDING);
  // With N levels simdjson takes N - 1 nested containers, and an empty one in the innermost. So N =
  // max_depth takes nothing that is too deep; what it refuses may be just deep enough, which is rare and
  // worth a second look.
  simdjson::error_code error = self->parse(count, max_depth);
  bool is_deep = error == simdjson::DEPTH_ERROR;
  if (is_deep) error = self->parse(count, max_depth + 1);
  if (error != simdjson::SUCCESS) return status_of(error);

  const simdjson::dom::document &parsed = self->parser->doc;
  if (is_deep && nesting(parsed.tape.get(), uint32_t(parsed.tape[0])) > max_depth) return livecue_json_depth;
  const uint8_t *strings = parsed.string_buf.get();
  document->tape = parsed.tape.get();
  // The first word is the document itself; it says where the tape ends.
  document->tape_count = uint32_t(parsed.tape[0]);
  document->strings = strings;
  // What simdjson allocates for this capacity (document::allocate), less what it adds by rounding up.
  document->readable_bytes = 5 * self->capacity / 3 + simdjson::SIMDJSON_PADDING;
  document->string_bytes = used_string_bytes(document->tape, strings, 1, document->tape_count - 1);
  return livecue_json_ok;
}
