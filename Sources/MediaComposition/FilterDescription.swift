import Diagnosis

/// Audio filters of libavfilter in a row, as FFmpeg describes them: `crystalizer=i=1,bass=g=2`.
///
/// Only filters of the allow-list can be in it (`FilterTable`), so it opens nothing, and keeps time
/// and channels. libavfilter reads the arguments, when a graph is made.
public struct FilterDescription: Sendable, Hashable {
  /// One filter.
  package struct Filter: Sendable, Hashable {
    /// libavfilter's.
    package let name: String
    /// Without the quotes of the row; empty for none.
    package let arguments: String
  }

  /// As written.
  package let text: String
  /// In order, at least one.
  package let filters: [Filter]

  /// The most bytes of a description.
  private static let longest = 4096
  /// The most filters in a row.
  private static let most = 32

  /// Reads a description by FFmpeg's rules of quoting: `'…'` is literal, and so is a character behind
  /// `\` (ffmpeg-filters, "Notes on filtergraph escaping").
  ///
  /// - Throws: `FilterRefusal` for another syntax, and for filters that are not allowed.
  /// - Complexity: O(length)
  package init(parsing text: String) throws(FilterRefusal) {
    guard text.utf8.count <= Self.longest else {
      throw FilterRefusal("a filter of more than \(Self.longest) bytes", help: "write several")
    }
    var reader = Reader(text: Array(text.unicodeScalars))
    var filters: [Filter] = []
    repeat {
      let name = try reader.token(endingAt: ["=", ",", ";", "[", "]"])
      var arguments = ""
      if reader.take("=") { arguments = try reader.token(endingAt: [",", ";", "[", "]"]) }
      guard reader.isAtEnd || reader.isAtComma else {
        throw FilterRefusal(
          "a label, or a second chain, in a filter",
          help: "write filters in a row, as 'treble=g=2,bass=g=-1'")
      }
      filters.append(try Self.allowed(Filter(name: name, arguments: arguments)))
    } while reader.take(",")
    guard filters.count <= Self.most else {
      throw FilterRefusal("a row of \(filters.count) filters", help: "\(Self.most) are the most")
    }
    (self.text, self.filters) = (text, filters)
  }

  private static func allowed(_ filter: Filter) throws(FilterRefusal) -> Filter {
    guard !filter.name.isEmpty else {
      throw FilterRefusal("a filter without a name", help: "write one, as 'treble=g=2'")
    }
    if let reason = FilterTable.refused[filter.name] {
      throw FilterRefusal("'\(filter.name)' \(reason.why)", help: reason.instead)
    }
    guard FilterTable.allowed.contains(filter.name) else {
      let names = FilterTable.allowed.sorted()
      throw FilterRefusal(
        "'\(filter.name)' is no filter that is allowed here",
        help: Spelling.help(for: filter.name, among: names)
          ?? "the filters are \(names.joined(separator: ", "))")
    }
    // The arguments' own quotes are libavfilter's to read, and expressions are read without any
    // blanks (av_expr_parse, isspace(3)).
    var plain = filter.arguments
    plain.unicodeScalars.removeAll { "\\' \t\n\u{B}\u{C}\r".unicodeScalars.contains($0) }
    if let word = FilterTable.unboundedFunctions.first(where: plain.containsScalars) {
      throw FilterRefusal(
        "'\(word))' in the arguments of '\(filter.name)' \(FilterTable.unboundedReason)",
        help: "write an expression without it")
    }
    return filter
  }
}

/// Why a description of filters is refused.
package struct FilterRefusal: Error, Sendable, Hashable {
  /// One line.
  package var message: String
  /// What to write instead.
  package var help: String

  init(_ message: String, help: String) {
    self.message = message
    self.help = help
  }
}

extension FilterDescription: Codable, CustomStringConvertible {
  /// As written.
  public var description: String { text }

  /// Reads the text of a description.
  ///
  /// - Throws: `DecodingError` where it is refused.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do throws(FilterRefusal) {
      try self.init(parsing: text)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
    }
  }

  /// Writes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// Reads tokens as libavutil's `av_get_token` does, but for quotations that do not end.
private struct Reader {
  let text: [Unicode.Scalar]
  private var position = 0

  init(text: [Unicode.Scalar]) { self.text = text }

  var isAtEnd: Bool { position == text.count }
  var isAtComma: Bool { !isAtEnd && text[position] == "," }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard position < text.count, text[position] == scalar else { return false }
    position += 1
    return true
  }

  /// What stands before one of `ends`, or before the end of the text, without blanks around it.
  mutating func token(endingAt ends: Set<Unicode.Scalar>) throws(FilterRefusal) -> String {
    var token = String.UnicodeScalarView()
    /// The length of the token without blanks at its end; quoted ones belong to it.
    var length = 0
    while position < text.count, Self.isBlank(text[position]) { position += 1 }
    while position < text.count, !ends.contains(text[position]) {
      let scalar = text[position]
      position += 1
      switch scalar {
      case "\\":
        guard position < text.count else {
          throw FilterRefusal(
            "a '\\' at the end of a filter", help: "write '\\\\', or leave it out")
        }
        token.append(text[position])
        position += 1
        length = token.count
      case "'":
        while position < text.count, text[position] != "'" {
          token.append(text[position])
          position += 1
        }
        guard take("'") else {
          throw FilterRefusal(
            "a quotation in a filter does not end", help: "end it with another quote")
        }
        length = token.count
      default:
        token.append(scalar)
        if !Self.isBlank(scalar) { length = token.count }
      }
    }
    return String(String.UnicodeScalarView(token.prefix(length)))
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    " \n\t\r".unicodeScalars.contains(scalar)
  }
}
