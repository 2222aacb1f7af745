/// A loop as players of games have it in tags: `LOOPSTART` with `LOOPLENGTH` or `LOOPEND`, in any case,
/// also as `LOOP_START` and `LOOP-START`, in frames, or with a colon as a time
/// (doom-cross-port-collab/issue-tracker#25).
package struct LoopTags: Sendable, Hashable {
  /// What one of the tags says.
  package enum Part: Sendable, Hashable {
    case start, length, end

    /// nil for any other key.
    package init?(key: String) {
      // Files have many other tags.
      guard let first = key.utf8.first, "lL_-".utf8.contains(first) else { return nil }
      switch key.lowercased().filter({ $0 != "_" && $0 != "-" }) {
      case "loopstart": self = .start
      case "looplength": self = .length
      case "loopend": self = .end
      default: return nil
      }
    }
  }

  /// Of the file's rate.
  package var frames: Range<Int64>
  /// Whether it ends with the file's sound, and by the tags later.
  package private(set) var isShortened = false

  /// A loop of some frames.
  package init(_ frames: Range<Int64>) { self.frames = frames }

  /// The loop in a file's tags; nil where they have none that is not empty. Without an end it goes to
  /// the file's last frame.
  ///
  /// - Parameters:
  ///   - tags: Keys and values.
  ///   - sampleRate: The file's frames a second.
  ///   - frameCount: The file's frames.
  package init?(
    _ tags: some Sequence<(key: String, value: String)>, sampleRate: Int, frameCount: Int64
  ) {
    var parts: [Part: Int64] = [:]
    for (key, value) in tags {
      guard let part = Part(key: key), parts[part] == nil else { continue }
      parts[part] = Self.frames(value, sampleRate: sampleRate)
    }
    guard let start = parts[.start], start < frameCount else { return nil }
    let length = parts[.length].map { start.addingReportingOverflow($0) }
    let end =
      length.map { $0.overflow ? frameCount : $0.partialValue } ?? parts[.end] ?? frameCount
    guard start < min(end, frameCount) else { return nil }
    frames = start..<min(end, frameCount)
    isShortened = end > frameCount || length?.overflow == true
  }

  /// The value of a part, in frames.
  package subscript(part: Part) -> String {
    switch part {
    case .start: "\(frames.lowerBound)"
    case .length: "\(frames.upperBound - frames.lowerBound)"
    case .end: "\(frames.upperBound)"
    }
  }

  /// Whether the value of a part says a place or a length.
  package static func isValid(_ text: String) -> Bool { frames(text, sampleRate: 1) != nil }

  /// `144000`, or `1:02.5` and `0:01:02.5`, rounded to a frame; nil for anything else.
  private static func frames(_ text: String, sampleRate: Int) -> Int64? {
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    guard fields.count > 1 else {
      return Int64(text.filter { $0 != " " }).flatMap { $0 < 0 ? nil : $0 }
    }
    let last = fields[fields.count - 1].split(separator: ".", omittingEmptySubsequences: false)
    let fraction = last.count > 1 ? last[1] : ""
    guard fields.count <= 3, last.count <= 2, fraction.count <= 9 else { return nil }
    var seconds: Int64 = 0
    for field in fields.dropLast() + [last[0]] {
      guard field.count <= 6, let number = Int64(field), number >= 0 else { return nil }
      seconds = seconds * 60 + number
    }
    guard let ticks = Int64(fraction.isEmpty ? "0" : fraction), ticks >= 0 else { return nil }
    let scale = fraction.reduce(Int64(1)) { scale, _ in scale * 10 }
    return seconds * Int64(sampleRate) + (ticks * Int64(sampleRate) * 2 + scale) / (2 * scale)
  }
}
