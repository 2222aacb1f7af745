import MediaTime

/// Cues of WebVTT that come one by one with their times, as containers have them.
package struct WebVTTTrack: Sendable {
  private var found: [(range: TimeRange, sample: WebVTTSample)] = []

  /// A track without cues.
  package init() {}

  /// How many it has.
  package var count: Int { found.count }

  /// Cues that may be shown at one time, and go on in the next sample.
  private static let mostAtOnce = 32

  /// Adds what is shown in a range; a cue that goes on where its last part ended is one with that.
  package mutating func add(_ sample: WebVTTSample, in range: TimeRange) {
    for index in found.indices.suffix(Self.mostAtOnce)
    where found[index].range.end == range.start && found[index].sample.isContinued(by: sample) {
      found[index].range = TimeRange(start: found[index].range.start, end: range.end)
      return
    }
    found.append((range, sample))
  }

  /// Its cues, one for each voice. O(bytes)
  package var cues: [Cue] { found.flatMap { $1.cues(in: $0) } }
}

extension WebVTTSample {
  fileprivate func cues(in range: TimeRange) -> [Cue] {
    let settings = Self.line(settings).split(whereSeparator: \.isWhitespace)
      // Regions stand in the head of a file, and are not carried.
      .filter { !$0.hasPrefix("region:") }.joined(separator: " ").nonEmpty
    let voices = VoiceSplitter.voices(
      of: String(decoding: payload, as: UTF8.self), from: range.start, to: range.end,
      momentsMovedBy: shift(in: range))
    return voices.enumerated().map { index, voice in
      var cue = Cue(voice.text, in: range, speaker: voice.speaker, words: voice.words)
      cue.markup = voice.markup
      cue.settings = settings
      // Names are unique.
      cue.identifier = index == 0 ? Self.line(identifier).nonEmpty : nil
      return cue
    }
  }

  /// What is added to times within its text.
  private func shift(in range: TimeRange) -> Time {
    switch clock {
    case .file(let start): Time.zero - start
    case .cue: range.start
    case .text(let bytes):
      range.start - ((try? CaptionTime.clock(bytes[...], mark: ".").time) ?? .zero)
    }
  }

  private static func line(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).tidiedLines.replacing("\n", with: " ")
  }
}
