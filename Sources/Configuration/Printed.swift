/// A value as YAML. Items stay apart so that a file can give each its line.
enum Printed: Equatable {
  case inline(String)
  case items([String])

  /// All on one line.
  var flow: String {
    switch self {
    case .inline(let text): text
    case .items(let items): "[" + items.joined(separator: ", ") + "]"
    }
  }
}

/// A text as YAML: quoted unless it cannot be taken for anything else.
func yamlText(_ text: String) -> String {
  let isPlain =
    text.first.map { $0.isASCII && ($0.isLetter || $0.isNumber) } ?? false
    && text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F: true
      default: false
      }
    }
  if isPlain && text != "null" { return text }
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case " "..."~": result.unicodeScalars.append(scalar)
    default:
      let digits = String(scalar.value, radix: 16)
      result += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
    }
  }
  return result + "\""
}

/// A path's word in a message: quoted where it would not read as one word.
func pathComponent(_ key: String) -> String {
  let isWord =
    !key.isEmpty
    && key.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
      default: false
      }
    }
  return isWord ? displayed(key) : "'\(displayed(key))'"
}
