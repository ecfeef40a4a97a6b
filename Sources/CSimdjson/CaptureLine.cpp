#include "CaptureLine.h"

#include <new>
#include <simdjson.h>
#include <string_view>

using namespace simdjson;

struct livecue_line_reader {
  ondemand::parser parser;
  padded_string line;
};

extern "C" livecue_line_reader *livecue_line_create(void) { return new (std::nothrow) livecue_line_reader(); }

extern "C" void livecue_line_destroy(livecue_line_reader *reader) { delete reader; }

namespace {

livecue_line_text text_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

/// A raw token runs to the next structural character: the spaces before that are not its own.
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

error_code raw(ondemand::value value, std::string_view &text) {
  ondemand::json_type type;
  if (auto fault = value.type().get(type)) return fault;
  if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (auto fault = value.get_array().get(array)) return fault;
    return array.raw_json().get(text);
  }
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (auto fault = value.get_object().get(object)) return fault;
    return object.raw_json().get(text);
  }
  text = value.raw_json_token();
  return SUCCESS;
}

error_code read_away(ondemand::value value, livecue_line &line) {
  ondemand::object away;
  if (auto fault = value.get_object().get(away)) return fault;
  if (auto fault = away.find_field_unordered("from").get_int64().get(line.away_from)) return fault;
  if (auto fault = away.find_field_unordered("to").get_int64().get(line.away_to)) return fault;
  line.has_away = 1;
  return SUCCESS;
}

error_code read(ondemand::parser &parser, const padded_string &text, livecue_line &line) {
  ondemand::document document;
  if (auto fault = parser.iterate(text).get(document)) return fault;
  ondemand::object members;
  if (auto fault = document.get_object().get(members)) return fault;
  for (auto member : members) {
    std::string_view key;
    if (auto fault = member.unescaped_key().get(key)) return fault;
    ondemand::value value;
    if (auto fault = member.value().get(value)) return fault;
    if (key == "at") {
      if (auto fault = value.get_int64().get(line.at)) return fault;
      line.has_at = 1;
    } else if (key == "away") {
      if (auto fault = read_away(value, line)) return fault;
    } else if (key == "payload") {
      std::string_view found;
      if (auto fault = raw(value, found)) return fault;
      line.payload = text_of(trimmed(found));
    } else if (key == "topic" || key == "base64") {
      std::string_view found;
      if (auto fault = value.get_string().get(found)) return fault;
      (key == "topic" ? line.topic : line.base64) = text_of(found);
    }
  }
  return SUCCESS;
}

}  // namespace

extern "C" int livecue_line_read(livecue_line_reader *reader, const uint8_t *bytes, size_t count,
                                 livecue_line *line, const char **fault) {
  *line = {};
  reader->line = padded_string(reinterpret_cast<const char *>(bytes), count);
  auto error = read(reader->parser, reader->line, *line);
  if (error == SUCCESS) return 0;
  *fault = error_message(error);
  return 1;
}
