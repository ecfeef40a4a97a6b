/// The candidate that was probably meant, or nil: at most a third of the letters differ, case apart.
/// The first of equally near ones. Costs the product of the lengths, so long texts have none.
func suggestion(for text: String, among candidates: [String]) -> String? {
  let typed = Array(text.lowercased().utf8)
  guard typed.count <= 64 else { return nil }
  var best: (distance: Int, candidate: String)?
  for candidate in candidates {
    let distance = editDistance(typed, Array(candidate.lowercased().utf8))
    guard distance <= max(1, candidate.utf8.count / 3) else { continue }
    if distance < best?.distance ?? .max { best = (distance, candidate) }
  }
  return best?.candidate
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for row in 0..<left.count {
    var current = [row + 1]
    for column in 0..<right.count {
      var least = last[column] + (left[row] == right[column] ? 0 : 1)
      least = min(least, last[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
        least = min(least, beforeLast[column - 1] + 1)
      }
      current.append(least)
    }
    beforeLast = last
    last = current
  }
  return last[right.count]
}
