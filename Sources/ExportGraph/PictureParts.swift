import JSON
import MediaComposition
import MediaTime

/// How many pictures of an output are copied from sources, and how many are encoded.
package struct PictureCount: Sendable, Hashable, Codable {
  /// Their bits are the source's.
  package var copied: Int
  /// They are new.
  package var encoded: Int

  /// So many.
  package init(copied: Int = 0, encoded: Int = 0) {
    (self.copied, self.encoded) = (copied, encoded)
  }

  /// As every document has it.
  package var json: JSONValue { ["copied": .count(copied), "encoded": .count(encoded)] }
}

/// Pictures of a span, one after the other, that are all copied or all encoded.
package struct PicturePart: Sendable, Hashable, Encodable {
  /// Why pictures are encoded.
  package enum Reason: String, Sendable, Hashable, Encodable {
    /// They are shown before the first picture with which decoding can begin.
    case start
    /// They refer to pictures behind the end.
    case end
    /// A fade changes them, or some of them.
    case fade
    /// They stand between others, and cannot be copied.
    case middle
    /// No picture of the span is one with which decoding can begin.
    case whole
  }

  /// When they are shown, in the output's time.
  package var target: TimeRange
  /// How many they are; nil: not counted, as of copied ones not all are looked at.
  package var count: Int?
  /// nil: they are copied.
  package var reason: Reason?
  /// When the key picture behind them is shown, in the source's own time; nil where there is none.
  package var key: Time?

  /// Pictures that are copied, or encoded for a reason.
  package init(target: TimeRange, count: Int?, reason: Reason? = nil, key: Time? = nil) {
    (self.target, self.count, self.reason, self.key) = (target, count, reason, key)
  }
}

extension PicturePart {
  /// For people: `30 pictures encoded before the key picture at 0:08.342`.
  var text: String {
    guard let reason else { return "copied" }
    let pictures =
      (count.map { $0 == 1 ? "1 picture" : "\($0) pictures" } ?? "pictures")
      + " encoded"
    let place = key.map { "the key picture at \($0.clockText(decimals: 3))" }
    switch reason {
    case .start: return pictures + " before " + (place ?? "the first key picture")
    case .end: return pictures + " at the end"
    case .fade: return pictures + " for a fade"
    case .middle: return pictures + " in the middle, which cannot be copied behind a cut"
    case .whole: return pictures + ", with no key picture among them to copy from"
    }
  }

  var json: JSONValue {
    .members([
      "start": .time(target.start), "end": .time(target.end), "copied": .boolean(reason == nil),
      "pictures": count.map { .count($0) }, "reason": reason.map { .text($0.rawValue) },
      "key_picture": key.map { .time($0) },
    ])
  }
}

extension PicturePlan {
  /// When another range or another still begins, in the output's time: not where a range goes on with what
  /// follows in its source.
  package var joins: [Time] {
    guard spans.isEmpty else {
      return zip(spans, spans.dropFirst()).compactMap { one, next in
        let goesOn =
          one.asset == next.asset && one.source.end == next.source.start
          && one.target.end == next.target.start
        return goesOn ? nil : next.target.start
      }
    }
    return stills.dropFirst().map(\.start)
  }

  /// How its pictures come to be, for programs.
  private var method: String {
    guard encoding == nil else { return stills.isEmpty ? "encoded" : "stills" }
    return spans.isEmpty ? "copied" : "cut"
  }

  /// A member `picture` of an output of a plan (`docs/json.md`).
  var json: JSONValue {
    .members([
      "method": .text(method), "strict": isStrict ? true : nil,
      "codec": (encoding?.codec.codecName ?? assets.first?.videoCodec).map { .text($0) },
      "spans": .list(spans.isEmpty ? stillsJSON : spans.map(spanJSON)),
      "left_out": lost.isEmpty ? nil : .list(lost.map { .text($0.text) }),
    ])
  }

  private func spanJSON(_ span: PictureSpan) -> JSONValue {
    .medium(
      assets[span.asset].location,
      [
        "source_start": .time(span.source.start), "source_end": .time(span.source.end),
        "start": .time(span.target.start), "end": .time(span.target.end),
        "parts": span.parts.map { .list($0.map(\.json)) },
      ])
  }

  private var stillsJSON: [JSONValue] {
    stillRanges.map { still, range in
      .medium(
        still.picture.location, ["start": .time(range.start), "end": .time(range.end)])
    }
  }

  /// Its stills, and when each is shown.
  private var stillRanges: [(still: StillPicture, range: TimeRange)] {
    stills.indices.map { index in
      let end = index + 1 < stills.count ? stills[index + 1].start : duration
      return (stills[index], TimeRange(start: stills[index].start, end: end))
    }
  }
}

extension PicturePlan {
  /// Spans that a plan lists for people; of ten thousand the first ones say how the others are.
  private static let mostListed = 12

  /// What is shown when, and what is done to it, for people: a line for each span, and one for all.
  var spanTexts: [String] {
    let lines =
      spans.isEmpty
      ? stillRanges.prefix(Self.mostListed).map { still, range in
        "\(range.clockText)  \(still.picture.location)"
      } : spans.prefix(Self.mostListed).map(spanText)
    let count = max(spans.count, stills.count)
    var texts = Array(lines)
    if count > texts.count { texts.append("and \(count - texts.count) more") }
    return texts + [totalText].compactMap(\.self)
  }

  private func spanText(_ span: PictureSpan) -> String {
    let source = "\(assets[span.asset].location) \(span.source.clockText)"
    let line = "\(span.target.clockText)  \(source)"
    guard encoding == nil else { return line }
    guard let parts = span.parts else { return line + ": not looked at" }
    return line + ": "
      + (parts.isEmpty ? "no picture" : parts.map(\.text).joined(separator: ", "))
  }

  /// Of all spans together, where that is more than one line says.
  private var totalText: String? {
    let known = spans.compactMap(\.parts)
    let encoded = known.flatMap(\.self).filter { $0.reason != nil }
    guard encoding == nil, !known.isEmpty, spans.count > 1 else { return nil }
    let sum = encoded.reduce(0) { $0 + ($1.count ?? 0) }
    let rest = spans.count - known.count
    return "in all \(sum == 1 ? "1 picture" : "\(sum) pictures") encoded"
      + (rest == 0 ? "" : ", and \(rest == 1 ? "1 part" : "\(rest) parts") not looked at")
  }
}
