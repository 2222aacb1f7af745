import Tagging

/// A file of chunks around its sound, without the sound itself: a WAV or an AIFF.
protocol ChunkFile: Sendable {
  /// Where the sound begins.
  var soundStart: Int64 { get }
  /// The chunks behind the sound, in order.
  var trailing: [WaveFile.Chunk] { get set }

  /// The bytes before a sound of so many bytes; `isComplete` where what follows the sound follows it.
  func head(soundSize: Int64, isComplete: Bool) -> [UInt8]

  /// The bytes behind a sound of so many bytes, from `soundEnd` on.
  func tail(soundSize: Int64) -> [UInt8]

  /// Where the last whole frame of a sound ends.
  func soundEnd(soundSize: Int64) -> Int64
}

extension WaveFile: ChunkFile {}

/// The bytes of an AIFF or AIFC that are those of another one with the same samples (Apple, "Audio
/// Interchange File Format 1.3" and its extension "AIFF-C"), but for some chunks.
///
/// Other AIFFs are libavformat's, which knows Apple's numbers of layouts.
struct AIFFFile: ChunkFile {
  /// All bytes before the first sample, without sizes.
  private let start: [UInt8]
  var trailing: [WaveFile.Chunk]
  /// Bytes of the sound's chunk before the first sample.
  private let soundHeadSize: Int64

  /// - Parameters:
  ///   - isCompressed: Whether it is an AIFC.
  ///   - chunks: All chunks in order. Of the sound, `SSND`, there is what stands before its first sample.
  init(isCompressed: Bool, _ chunks: [WaveFile.Chunk]) {
    let sound = chunks.firstIndex { $0.name == "SSND" } ?? chunks.endIndex
    let soundHead =
      sound < chunks.endIndex ? chunks[sound].content : [UInt8](repeating: 0, count: 8)
    var start = Array("FORM".utf8) + [0, 0, 0, 0] + Array((isCompressed ? "AIFC" : "AIFF").utf8)
    for chunk in chunks[..<sound] { start += Self.bytes(of: chunk) }
    self.start = start + Array("SSND".utf8) + [0, 0, 0, 0] + soundHead
    soundHeadSize = Int64(soundHead.count)
    trailing = Array(chunks[sound...].dropFirst())
  }

  private static func bytes(of chunk: WaveFile.Chunk) -> [UInt8] {
    ChunkWalk.Layout.aiff.chunk(chunk.name, chunk.content) ?? []
  }

  var soundStart: Int64 { Int64(start.count) }

  func soundEnd(soundSize: Int64) -> Int64 { soundStart + soundSize }

  func head(soundSize: Int64, isComplete: Bool) -> [UInt8] {
    var bytes = start
    func put(_ number: Int64, at index: Int) {
      for byte in 0..<4 {
        bytes[index + byte] = UInt8(truncatingIfNeeded: number >> (24 - 8 * byte))
      }
    }
    let end = soundEnd(soundSize: soundSize)
    put((isComplete ? size(soundSize: soundSize) : end) - 8, at: 4)
    put(soundHeadSize + soundSize, at: start.count - Int(soundHeadSize) - 4)
    return bytes
  }

  func tail(soundSize: Int64) -> [UInt8] {
    let padding = [UInt8](repeating: 0, count: Int((soundHeadSize + soundSize) % 2))
    return trailing.reduce(into: padding) { $0 += Self.bytes(of: $1) }
  }

  /// All bytes of the file.
  func size(soundSize: Int64) -> Int64 {
    soundEnd(soundSize: soundSize) + Int64(tail(soundSize: soundSize).count)
  }
}
