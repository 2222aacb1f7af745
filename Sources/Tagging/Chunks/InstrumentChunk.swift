/// How an instrument plays a sound: the chunk `inst` of a WAV (Microsoft, "New Multimedia Data Types and
/// Data Techniques 3.0", "Instrument Chunk"), whose fields AIFF's `INST` has, too.
package struct InstrumentChunk: Sendable, Hashable, Codable {
  /// The MIDI note at which the sound has its own pitch, 0 to 127.
  package var unityNote: UInt8 = 60
  /// In hundredths of a semitone, −50 to 50.
  package var fineTune: Int8 = 0
  /// In dB; `inst` has −64 to 64.
  package var gain: Int16 = 0
  /// The notes, 0 to 127, and the velocities, 1 to 127, that the sound is for.
  package var lowNote: UInt8 = 0
  package var highNote: UInt8 = 127
  package var lowVelocity: UInt8 = 1
  package var highVelocity: UInt8 = 127

  package init() {}

  private static let size = 7

  /// Reads the content of `inst`, which has one order of bytes; nil where it is not whole.
  package init?(_ bytes: [UInt8], defects: inout [ChunkDefect]) {
    guard bytes.count >= Self.size else {
      defects.note("inst", .unreadable(has: bytes.count, needs: Self.size))
      return nil
    }
    (unityNote, fineTune, gain) = (
      bytes[0], Int8(bitPattern: bytes[1]), Int16(Int8(bitPattern: bytes[2]))
    )
    (lowNote, highNote, lowVelocity, highVelocity) = (bytes[3], bytes[4], bytes[5], bytes[6])
  }

  /// The content of `inst`, 7 bytes.
  package var bytes: [UInt8] {
    [
      unityNote, UInt8(bitPattern: fineTune), UInt8(bitPattern: Int8(clamping: gain)), lowNote,
      highNote, lowVelocity, highVelocity,
    ]
  }
}
