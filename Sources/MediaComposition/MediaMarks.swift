import JSON
import Tagging

/// What a file says of its sound beside tags and chapters: the chunks of Broadcast Wave, of samplers and
/// of radio, in frames of the sound, and where its other chunks lie. docs/broadcast.md has the rules.
package struct MediaMarks: Sendable, Hashable {
  /// A named moment or region. Most are chapters of the asset, too; what a chapter has no place for is
  /// found by the frame.
  package struct Cue: Sendable, Hashable, Codable {
    /// Where it begins.
    package var frame: Int64
    /// Frames of a region; nil of a moment.
    package var length: Int64?
    /// Its name; nil where the file has none.
    package var label: String?
    /// A longer text.
    package var note: String?

    package init(frame: Int64, length: Int64? = nil, label: String? = nil, note: String? = nil) {
      (self.frame, self.length, self.label, self.note) = (frame, length, label, note)
    }
  }

  /// What the markers at the ends of a loop say beside their places.
  package struct LoopMarkers: Sendable, Hashable, Codable {
    /// Texts of one of them.
    package struct Words: Sendable, Hashable, Codable {
      /// Its name; nil where it is none of its own.
      package var label: String?
      /// A longer text.
      package var note: String?

      package init(label: String? = nil, note: String? = nil) {
        (self.label, self.note) = (label, note)
      }
    }

    /// The loop's.
    package var frames: Range<Int64>
    /// The loop's: that of a held note and that behind it may have the same frames.
    package var isRelease: Bool
    package var begin: Words
    package var end: Words

    package init(frames: Range<Int64>, isRelease: Bool = false, begin: Words, end: Words) {
      (self.frames, self.isRelease) = (frames, isRelease)
      (self.begin, self.end) = (begin, end)
    }
  }

  /// A chunk of the file, without its head and its padding.
  package struct StoredChunk: Sendable, Hashable, Codable {
    /// Its four characters; `LIST adtl` and its like of a list.
    package var name: String
    /// Bytes of the file.
    package var content: Range<Int64>

    package init(name: String, content: Range<Int64>) {
      (self.name, self.content) = (name, content)
    }
  }

  /// `bext`.
  package var broadcast: BroadcastExtension?
  /// `cart`.
  package var cart: CartChunk?
  /// `iXML`.
  package var iXML: IXML?
  /// `cue ` and `adtl`, `MARK` and `COMT`, `mark` and `strg`: all of them, in order of time.
  package var cues: [Cue] = []
  /// The numbers of `cues` in a WAV with loops, in their order: a loop may be named by one.
  package var cueNumbers: [UInt32] = []
  /// `smpl`, and what AIFF's `INST` says of notes and loops.
  package var sampler: SamplerChunk?
  /// Of those loops whose markers have words.
  package var loopMarkers: [LoopMarkers] = []
  /// `inst`, and what AIFF's `INST` says beside.
  package var instrument: InstrumentChunk?
  /// The cue sheet of a FLAC, of which `cues` has the times.
  package var cueSheet: CueSheetBlock?
  /// The loops that a job gives the sound, in place of the file's; nil: those of the file.
  package var givenLoops: [Range<Int64>]?
  /// All chunks in the order of the file, also those that are read above; of a FLAC those in its
  /// APPLICATION blocks. Empty where there is nothing but the sound and its tags.
  package var chunks: [StoredChunk] = []
  /// Whether the tags of a FLAC were changed since the chunks in it were made: then the tags count.
  package var hasEditedTags = false

  package init() {}

  /// Whether there is nothing.
  package var isEmpty: Bool { self == MediaMarks() }
}

extension MediaMarks: Codable {
  private enum CodingKeys: String, CodingKey {
    case broadcast, cart, iXML, cues, cueNumbers, sampler, instrument, givenLoops, chunks
    case hasEditedTags, cueSheet, loopMarkers
  }

  /// Fields, not chunks: a text in another character set may be longer than its field in UTF-8. The
  /// iXML stays the bytes that it is, in Base64.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(broadcast, forKey: .broadcast)
    try container.encodeIfPresent(cart, forKey: .cart)
    try container.encodeIfPresent(iXML.flatMap { JSONValue.base64($0.bytes).text }, forKey: .iXML)
    try container.encodeIfPresent(sampler, forKey: .sampler)
    try container.encodeIfPresent(instrument, forKey: .instrument)
    try container.encodeIfPresent(cueSheet, forKey: .cueSheet)
    try container.encode(cues, forKey: .cues)
    if !cueNumbers.isEmpty { try container.encode(cueNumbers, forKey: .cueNumbers) }
    if !loopMarkers.isEmpty { try container.encode(loopMarkers, forKey: .loopMarkers) }
    try container.encodeIfPresent(givenLoops, forKey: .givenLoops)
    try container.encode(chunks, forKey: .chunks)
    if hasEditedTags { try container.encode(true, forKey: .hasEditedTags) }
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    broadcast = try container.decodeIfPresent(BroadcastExtension.self, forKey: .broadcast)
    cart = try container.decodeIfPresent(CartChunk.self, forKey: .cart)
    // Reported when the file was read.
    var defects: [ChunkDefect] = []
    iXML = try container.decodeIfPresent(String.self, forKey: .iXML)
      .flatMap { JSONValue.text($0).base64Bytes }.map { IXML($0, defects: &defects) }
    sampler = try container.decodeIfPresent(SamplerChunk.self, forKey: .sampler)
    instrument = try container.decodeIfPresent(InstrumentChunk.self, forKey: .instrument)
    cueSheet = try container.decodeIfPresent(CueSheetBlock.self, forKey: .cueSheet)
    cues = try container.decode([Cue].self, forKey: .cues)
    cueNumbers = try container.decodeIfPresent([UInt32].self, forKey: .cueNumbers) ?? []
    loopMarkers = try container.decodeIfPresent([LoopMarkers].self, forKey: .loopMarkers) ?? []
    givenLoops = try container.decodeIfPresent([Range<Int64>].self, forKey: .givenLoops)
    chunks = try container.decode([StoredChunk].self, forKey: .chunks)
    hasEditedTags = try container.decodeIfPresent(Bool.self, forKey: .hasEditedTags) ?? false
  }
}

extension MediaMarks {
  /// Whether a file could have these: what was written down somewhere may be damaged.
  package var isPlausible: Bool {
    let frames = Int64(0)...1 << 48
    return cues.allSatisfy { frames.contains($0.frame) && frames.contains($0.length ?? 0) }
      && chunks.allSatisfy { $0.content.lowerBound >= 0 }
      && ((givenLoops ?? []) + loopMarkers.map(\.frames)).allSatisfy {
        $0.lowerBound >= 0 && $0.upperBound <= 1 << 48
      }
  }
}

extension Asset {
  /// A loop in frames, with what samplers say of it.
  package struct Loop: Sendable, Hashable {
    package var frames: Range<Int64>
    /// `SamplerChunk.Loop.type`
    package var type: UInt32 = 0
    /// How often it sounds; 0 without end.
    package var count: UInt32 = 0
    /// `SamplerChunk.Loop.isRelease`
    package var isRelease = false
    /// `SamplerChunk.Loop.fraction`
    package var fraction: UInt32 = 0
    /// `SamplerChunk.Loop.id`, where a chunk says one.
    package var id: UInt32?
    /// `LoopTags.isShortened`
    package var isShortened = false
  }

  /// Its loops: those that a job gives it, else those of samplers, else that of its tags.
  package var loops: [Loop] {
    if let given = marks?.givenLoops { return given.map { Loop(frames: $0) } }
    if let sampler = marks?.sampler, !sampler.loops.isEmpty {
      return sampler.loops.compactMap { loop in
        let first = Int64(loop.first)
        guard loop.length > 0, first + loop.length <= frameCount else { return nil }
        return Loop(
          frames: first..<first + loop.length, type: loop.type, count: loop.count,
          isRelease: loop.isRelease, fraction: loop.fraction,
          id: loop.id == 0 && marks?.cueNumbers.contains(0) != true ? nil : loop.id)
      }
    }
    let tags = metadata.items.lazy.map { (key: $0.key, value: $0.value) }
    return LoopTags(tags, sampleRate: sampleRate, frameCount: frameCount)
      .map { [Loop(frames: $0.frames, isShortened: $0.isShortened)] } ?? []
  }

  /// Whether a sampler has loops that end behind the sound, which are none.
  package var hasLoopsBehindEnd: Bool {
    guard marks?.givenLoops == nil, let sampler = marks?.sampler else { return false }
    return sampler.loops.contains { $0.length > 0 && Int64($0.first) + $0.length > frameCount }
  }

  /// The keys of its tags of a loop.
  package var loopKeys: [String] {
    metadata.items.map(\.key).filter { TagClass(of: $0) == .place(.loop) }
  }

  /// What a note calls its loops.
  package var loopNames: [String] { hasLoopsOfTags ? loopKeys : ["loops"] }

  /// Whether `loops` are those of its tags.
  package var hasLoopsOfTags: Bool {
    marks?.givenLoops == nil && marks?.sampler?.loops.isEmpty != false && !loopKeys.isEmpty
  }
}
