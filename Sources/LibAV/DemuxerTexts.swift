internal import CFFmpeg

/// Streams of texts.
extension Stream {
  /// The name of an MP4's sample entry, such as `wvtt`, or another container's number for the codec;
  /// empty where that is no name of four letters.
  package var sampleEntry: String {
    let letters = (0..<4).map { UInt8(truncatingIfNeeded: parameters.codec_tag >> (8 * $0)) }
    return letters.allSatisfy { 0x20...0x7E ~= $0 } ? String(decoding: letters, as: UTF8.self) : ""
  }

  /// Whether it is one that players show without being asked (`AV_DISPOSITION_DEFAULT`).
  package var isDefault: Bool { pointer.pointee.disposition & AV_DISPOSITION_DEFAULT != 0 }

  /// Whether its texts are not what is said: parts in another language than that of the sound,
  /// descriptions of the picture, data for programs.
  package var isBesideSpeech: Bool {
    let others =
      AV_DISPOSITION_FORCED | AV_DISPOSITION_DESCRIPTIONS | AV_DISPOSITION_METADATA
    return pointer.pointee.disposition & others != 0
  }
}

extension Stream {
  /// Whether it is WebVTT as `S_TEXT/WEBVTT` has it, with the first lines of a file as its header, and
  /// settings and names of texts beside them.
  ///
  /// libavformat gives it no codec, up to its version 62 at least. Its own WebVTT of Matroska has settings and
  /// names in the text, so that a stream with that codec would lose the texts of these blocks.
  var isWebVTTOfBlocks: Bool {
    parameters.codec_type == AVMEDIA_TYPE_SUBTITLE
      && [AV_CODEC_ID_NONE, AV_CODEC_ID_WEBVTT].contains(parameters.codec_id)
      && header.starts(with: "WEBVTT".utf8)
  }
}

extension Packet {
  /// A block of `S_TEXT/WEBVTT` as libavformat has other WebVTT. Beside its text it has its settings in the
  /// first line, its name in the second, and comments behind them; times within the text count from its
  /// start, and then from that of the file.
  func webVTT(ofBlocksOf stream: Stream) throws(LibAVError) -> Packet {
    let bytes = withBytes { Array($0) }
    let start = av_rescale_q(
      timestamp ?? 0, stream.pointer.pointee.time_base, AVRational(num: 1, den: 1000))
    let text = InnerTimes.moved(bytes, by: start)
    let packet =
      text == bytes
      ? self
      : try text.span.withUnsafeBytes { text throws(LibAVError) in
        try Packet(joining: [], text, [], like: self)
      }
    guard packet.textSettings.isEmpty, packet.textIdentifier.isEmpty else { return packet }
    let lines = blockAddition.split(
      separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
    let kinds = [AV_PKT_DATA_WEBVTT_SETTINGS, AV_PKT_DATA_WEBVTT_IDENTIFIER]
    for (kind, line) in zip(kinds, lines) {
      try packet.setSideData(line.filter { $0 != UInt8(ascii: "\r") }, kind)
    }
    return packet
  }

  /// The name of a text of WebVTT (`AV_PKT_DATA_WEBVTT_IDENTIFIER`); empty where it has none.
  package var textIdentifier: [UInt8] { sideData(AV_PKT_DATA_WEBVTT_IDENTIFIER) }

  /// What a block of Matroska has beside its data (RFC 9559, `BlockAdditional`) under number 1; empty
  /// where there is nothing.
  private var blockAddition: [UInt8] {
    let data = sideData(AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL)
    guard data.count >= 8, data.prefix(8).elementsEqual([0, 0, 0, 0, 0, 0, 0, 1]) else { return [] }
    return Array(data.dropFirst(8))
  }
}

/// Times within texts of WebVTT, as `<00:00:01.500>`.
package enum InnerTimes {
  /// More bytes than a time has.
  private static let longest = 20

  /// A text whose times are so many milliseconds later; one that leaves the range of numbers stays as it
  /// is, since a packet may be at any place.
  package static func moved(_ text: [UInt8], by milliseconds: Int64) -> [UInt8] {
    placed(text) { time in
      let (sum, isOutOfRange) = time.addingReportingOverflow(milliseconds)
      return isOutOfRange ? time : max(0, sum)
    }
  }

  /// A text with its times at other places, in milliseconds, and without those that have none. O(n)
  package static func placed(_ text: [UInt8], _ place: (Int64) -> Int64?) -> [UInt8] {
    var (placed, rest) = ([] as [UInt8], text[...])
    while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
      placed += rest[..<open]
      rest = rest[open...]
      guard let close = rest.dropFirst().prefix(longest).firstIndex(of: UInt8(ascii: ">")),
        let time = time(rest[(open + 1)..<close])
      else {
        placed.append(rest.removeFirst())
        continue
      }
      if let time = place(time) { placed += "<\(self.text(time))>".utf8 }
      rest = rest[(close + 1)...]
    }
    return placed + rest
  }

  /// The milliseconds of a time as WebVTT writes it, with hours or without.
  private static func time(_ bytes: ArraySlice<UInt8>) -> Int64? {
    let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    let last = parts.last?.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard 2...3 ~= parts.count, let last, last.count == 2, last[1].count == 3 else { return nil }
    var sum: Int64 = 0
    let scales: [Int64] = [3_600_000, 60_000, 1000, 1]
    for (part, scale) in zip(parts.dropLast() + last, scales.suffix(parts.count + 1)) {
      guard !part.isEmpty, part.allSatisfy({ 0x30...0x39 ~= $0 }),
        let number = Int64(String(decoding: part, as: UTF8.self)), number < 1 << 40
      else { return nil }
      sum += number * scale
    }
    return sum
  }

  private static func text(_ milliseconds: Int64) -> String {
    func digits(_ number: Int64, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    return
      "\(digits(seconds / 3600, 2)):\(digits(seconds / 60 % 60, 2)):\(digits(seconds % 60, 2))."
      + digits(rest, 3)
  }
}
