/// The chunk `smpl` of a WAV: the pitch of a sound that an instrument plays, and its loops (Microsoft,
/// "New Multimedia Data Types and Data Techniques 3.0", "Sampler Chunk").
package struct SamplerChunk: Sendable, Hashable, Codable {
  /// Sound that repeats while a note is held.
  package struct Loop: Sendable, Hashable, Codable {
    /// A cue's number, where a cue names the loop.
    package var id: UInt32
    /// 0: forwards; 1: forwards and backwards; 2: backwards; others are those of samplers.
    package var type: UInt32
    /// The first frame.
    package var first: UInt32
    /// The last frame that sounds: a loop of one frame has the same twice.
    package var last: UInt32
    /// Parts of a frame that the loop is longer by, in 1/2³².
    package var fraction: UInt32
    /// How often it sounds; 0 without end.
    package var count: UInt32
    /// Whether it sounds when the note is not held any more, as AIFF and CAF can say; a WAV cannot.
    package var isRelease: Bool

    package init(
      id: UInt32 = 0, type: UInt32 = 0, first: UInt32, last: UInt32, fraction: UInt32 = 0,
      count: UInt32 = 0, isRelease: Bool = false
    ) {
      (self.id, self.type, self.first, self.last) = (id, type, first, last)
      (self.fraction, self.count, self.isRelease) = (fraction, count, isRelease)
    }

    /// Frames of one turn.
    package var length: Int64 { Int64(last) - Int64(first) + 1 }
  }

  /// Numbers of the MIDI Manufacturers Association; 0 for none.
  package var manufacturer: UInt32 = 0
  package var product: UInt32 = 0
  /// Nanoseconds of a frame, see `period(sampleRate:)`.
  package var period: UInt32 = 0
  /// The MIDI note at which the sound has its own pitch; 60 is middle C.
  package var unityNote: UInt32 = 60
  /// What the pitch lies above that note, in 1/2³² of a semitone.
  package var pitchFraction: UInt32 = 0
  /// Frames a second of the offset: 0 (none), 24, 25, 29 (30 drop) or 30.
  package var smpteFormat: UInt32 = 0
  /// Hours (signed), minutes, seconds and frames, from the highest byte on.
  package var smpteOffset: UInt32 = 0
  package var loops: [Loop] = []
  /// What a sampler added, behind the loops.
  package var samplerData: [UInt8] = []

  package init() {}

  private static let chunk = "smpl"
  private static let (fixedSize, loopSize) = (36, 24)

  /// The length of a frame, to the next nanosecond; 0 without a rate.
  package static func period(sampleRate: Int) -> UInt32 {
    guard sampleRate > 0 else { return 0 }
    return UInt32(clamping: (1_000_000_000 + sampleRate / 2) / sampleRate)
  }

  /// Reads the chunk's content; nil where its fields are not whole. O(n)
  package init?(_ bytes: [UInt8], isBigEndian: Bool = false, defects: inout [ChunkDefect]) {
    guard bytes.count >= Self.fixedSize else {
      defects.note(Self.chunk, .unreadable(has: bytes.count, needs: Self.fixedSize))
      return nil
    }
    var reader = ChunkReader(Self.chunk, bytes, isBigEndian: isBigEndian)
    (manufacturer, product) = (reader.number(), reader.number())
    (period, unityNote, pitchFraction) = (reader.number(), reader.number(), reader.number())
    (smpteFormat, smpteOffset) = (reader.number(), reader.number())
    let announced = reader.number(UInt32.self)
    let dataSize = reader.number(UInt32.self)
    for _ in 0..<reader.count(UInt64(announced), of: Self.loopSize, &defects) {
      let (id, type): (UInt32, UInt32) = (reader.number(), reader.number())
      let (first, last): (UInt32, UInt32) = (reader.number(), reader.number())
      let (fraction, count): (UInt32, UInt32) = (reader.number(), reader.number())
      guard last >= first else {
        defects.note(Self.chunk, .badLoop(first: first, last: last))
        continue
      }
      loops.append(
        Loop(id: id, type: type, first: first, last: last, fraction: fraction, count: count))
    }
    samplerData = Array(reader.bytes(Int(dataSize)))
  }

  /// The chunk's content. O(n)
  package func bytes(isBigEndian: Bool = false) -> [UInt8] {
    var writer = ChunkWriter(isBigEndian: isBigEndian)
    let loops = loops.prefix(ChunkLimits.entries)
    for number in [
      manufacturer, product, period, unityNote, pitchFraction, smpteFormat, smpteOffset,
      UInt32(loops.count), UInt32(clamping: samplerData.count),
    ] { writer.append(number) }
    for loop in loops {
      for number in [loop.id, loop.type, loop.first, loop.last, loop.fraction, loop.count] {
        writer.append(number)
      }
    }
    writer.append(samplerData)
    return writer.bytes
  }
}
