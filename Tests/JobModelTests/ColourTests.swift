import MediaComposition
import Testing

@testable import JobModel

@Suite("Colours")
struct ColourTests {
  @Test("a colour is six hexadecimal digits behind a number sign")
  func colours() throws {
    #expect(try Quantity.colour("#ffCC01") == .init(red: 255, green: 204, blue: 1))
    for text in ["ffcc01", "#fc0", "#ffcc0g", "#+fcc01", "white", "#", "#ffcc01ff"] {
      #expect(throws: QuantityError.self, "\(text)") { try Quantity.colour(text) }
    }
  }
}
