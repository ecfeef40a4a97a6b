import Screen
import Testing

/// Colours as numbers of a terminal.
@Suite struct StyleTests {
  @Test func aColourIsReadFromItsSixDigits() {
    #expect(Color(hex: "#00AEFF") == .rgb(0, 174, 255))
    #expect(Color(hex: "#ca2ee6") == .rgb(202, 46, 230))
    for text in ["", "#", "00AEFF", "#00AEF", "#00AEFG", "#+0AEFF", "#00AEFF0", "red", "#数数"] {
      #expect(Color(hex: text) == nil, "\(text)")
    }
  }

  @Test(arguments: [
    ("#000000", 16), ("#FFFFFF", 231), ("#FF0000", 196), ("#00AEFF", 39), ("#00A61C", 34), ("#808080", 244),
    ("#121212", 233), ("#FF8800", 208),
  ])
  func with256TheNearestIsChosen(hex: String, number: Int) {
    #expect(Color(hex: hex)?.number(of: 256) == Int16(number))
  }

  @Test(arguments: [
    ("#FF0000", 1), ("#00A61C", 2), ("#00AEFF", 6), ("#CA2EE6", 5), ("#FFFF00", 3), ("#101010", 7),
  ])
  func withEightItIsOneThatCanBeRead(hex: String, number: Int) {
    #expect(Color(hex: hex)?.number(of: 8) == Int16(number))
  }

  @Test func withoutColoursThereIsNone() {
    #expect(Color.rgb(1, 2, 3).number(of: 0) == nil)
    #expect(Color.basic(3).number(of: 2) == nil)
    #expect(Color.basic(3).number(of: 8) == 3)
  }
}
