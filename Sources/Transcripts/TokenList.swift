/// The pieces of words that are compared, in order: `well-known` has two.
struct TokenList: Sendable {
  struct Token {
    var text: String
    /// The index of its word.
    var word: Int
    var isFirst: Bool
    var isLast: Bool
  }

  let list: [Token]
  /// The places of each token in the list, in order.
  let places: [String: [Int]]

  /// The pieces of `words`. O(n)
  init(_ words: [SpokenWords.Word], _ pieces: (String) -> [String]) {
    var list: [Token] = []
    var places: [String: [Int]] = [:]
    for (index, word) in words.enumerated() {
      let pieces = pieces(word.text)
      for (place, piece) in pieces.enumerated() {
        places[piece, default: []].append(list.count)
        list.append(
          Token(
            text: piece, word: index, isFirst: place == 0, isLast: place == pieces.count - 1))
      }
    }
    self.list = list
    self.places = places
  }

  /// Where `wanted` stands, also within words; the places may overlap. O(places of its first piece · its
  /// length)
  func places(of wanted: [String]) -> [Range<Int>] {
    guard let first = wanted.first else { return [] }
    return (places[first] ?? []).compactMap { place in
      let end = place + wanted.count
      guard end <= list.count, zip(list[place..<end], wanted).allSatisfy({ $0.text == $1 }) else {
        return nil
      }
      return place..<end
    }
  }

  /// Whether a place, which is not empty, begins and ends with words.
  func isWhole(_ place: Range<Int>) -> Bool {
    list[place.lowerBound].isFirst && list[place.upperBound - 1].isLast
  }

  /// The words of which a place, which is not empty, has some.
  func words(_ place: Range<Int>) -> Range<Int> {
    list[place.lowerBound].word..<list[place.upperBound - 1].word + 1
  }
}
