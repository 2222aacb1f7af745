import Diagnosis
import ExportGraph
import MediaComposition
import Tagging

/// How an AIFF stores an output's samples (Apple, "Audio Interchange File Format 1.3", "Common Chunk",
/// and "AIFF-C", "Compression Types").
struct AIFFFormat {
  private let samples: Output.SampleFormat
  private let sound: AudioFormat
  private let frameCount: Int64

  static let sizeProblem = "AIFF holds less than 4 GiB; write CAF or WAV"

  init(_ samples: Output.SampleFormat, _ sound: AudioFormat, frameCount: Int64) {
    (self.samples, self.sound, self.frameCount) = (samples, sound, frameCount)
  }

  /// Bytes of all samples.
  var soundSize: Int64 { frameCount * Int64(sound.channelLayout.count * samples.byteCount) }

  /// Whether a chunk is the `COMM` of such samples. Fewer bits than a sample's bytes hold are no others.
  func isTold(by chunk: WaveFile.Chunk, _ isCompressed: Bool) -> Bool {
    let content = chunk.content
    guard chunk.name == "COMM", content.count >= (isCompressed ? 22 : 18) else { return false }
    func number(_ range: Range<Int>) -> UInt64 { AtomHead.number(content[range]) }
    guard number(0..<2) == UInt64(sound.channelLayout.count), number(2..<6) == UInt64(frameCount),
      (number(6..<8) + 7) / 8 == UInt64(samples.byteCount),
      content[8..<18].elementsEqual(Self.extended(sound.sampleRate))
    else { return false }
    let compression = isCompressed ? EightBitText.windows1252(content[18..<22]) : "NONE"
    return switch samples {
    case .int16: ["NONE", "twos"].contains(compression)
    case .int24: ["NONE", "in24"].contains(compression)
    case .float32: ["fl32", "FL32"].contains(compression)
    case .uint8, .muLaw, .aLaw, .g722, .gsm, .ima4: false
    }
  }

  /// A rate in IEEE 754's extended precision: a sign and 15 bits of exponent, and 64 of the number.
  private static func extended(_ rate: Int) -> [UInt8] {
    let value = UInt64(max(1, rate))
    let exponent = UInt64(16_383 + 63 - value.leadingZeroBitCount)
    let mantissa = value << UInt64(value.leadingZeroBitCount)
    return [exponent >> 8, exponent].map { UInt8(truncatingIfNeeded: $0) }
      + (0..<8).map { UInt8(truncatingIfNeeded: mantissa >> UInt64(56 - 8 * $0)) }
  }
}

/// The chunks of an AIFF that an output with the same samples keeps.
struct AIFFChunks {
  private let stored: [WaveFile.Chunk]

  init(_ stored: [WaveFile.Chunk]) { self.stored = stored }

  private static let marks: Set = ["MARK", "COMT", "INST"]
  private static let tags: Set = ["NAME", "AUTH", "(c) ", "ANNO", "ID3 "]

  /// The comments of markers or of the file, as they are stored.
  private func comments(ofMarkers: Bool) -> [AIFFMarkers.StoredComment] {
    stored.filter { $0.name == "COMT" }
      .flatMap { AIFFMarkers.storedComments(in: $0.content) }
      .filter { ($0.marker != 0) == ofMarkers }
  }

  /// `COMT`, which holds both what marks and what tags say: the stored comments of what stays, and those
  /// of `own` of what is other now.
  private func comments(
    _ own: [WaveFile.Chunk], keepsMarks: Bool, keepsTags: Bool
  ) -> WaveFile.Chunk? {
    let new = own.filter { $0.name == "COMT" }
      .flatMap { AIFFMarkers.storedComments(in: $0.content) }
    let all =
      (keepsMarks ? comments(ofMarkers: true) : new)
      + (keepsTags ? comments(ofMarkers: false) : [])
    return AIFFMarkers.commentBytes(of: all).map { WaveFile.Chunk("COMT", $0) }
  }

  /// The chunks in their order, byte for byte, but for those of marks or of tags where these are others
  /// now: each of `own` then stands where one of its name stood, or behind all.
  func replaced(
    by own: [WaveFile.Chunk], keepsMarks: Bool, keepsTags: Bool
  ) -> [WaveFile.Chunk] {
    var gone = (keepsMarks ? [] : Self.marks).union(keepsTags ? [] : Self.tags)
    let isOther =
      !keepsMarks || !keepsTags && !comments(ofMarkers: false).isEmpty
    let both = comments(own, keepsMarks: keepsMarks, keepsTags: keepsTags)
    var own = own.filter { gone.contains($0.name) && $0.name != "COMT" }
    if isOther {
      gone.insert("COMT")
      own += both.map { [$0] } ?? []
    }
    let kept = stored.compactMap { chunk -> WaveFile.Chunk? in
      guard gone.contains(chunk.name) else { return chunk }
      guard let index = own.firstIndex(where: { $0.name == chunk.name }) else { return nil }
      return own.remove(at: index)
    }
    return kept + own
  }
}

extension SinkMarks {
  /// Whether places and instruments are as a source has them.
  func areThose(of source: Asset) -> Bool {
    let marks = source.marks ?? MediaMarks()
    return cues == marks.cues && sampler == marks.sampler && instrument == marks.instrument
  }
}

extension Sink {
  /// Whether its tags, chapters and words say what those of a source say, so that `tag` is no news.
  func hasTags(
    of source: Asset, written tag: [UInt8], _ picture: PictureReader
  ) throws(Failure) -> Bool {
    // What cannot be a chapter of such a file, as one at its end, is none of the source's either.
    let old = placeable(source.chapters)
    guard source.marks?.hasEditedTags != true, lyrics == nil, chapters.count == old.count,
      zip(chapters, old).allSatisfy({ own, other in
        (own.start, own.title, own.url) == (other.start, other.title, other.url)
          && own.image == other.image
      })
    else { return false }
    var twin = self
    twin.metadata = source.metadata
    return try id3Tag(of: twin, sampleRate: source.sampleRate, picture) == tag
  }
}
