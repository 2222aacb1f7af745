import MediaComposition
import Tagging

/// The bytes of a WAV beside its sound.
///
/// Follows Microsoft's "Multimedia Programming Interface and Data Specifications 1.0" (RIFF), and for
/// files past 4 GiB EBU Tech 3306 (RF64) or ITU-R BS.2088 (BW64): a first chunk that is `JUNK` then
/// becomes `ds64`, with the sizes that do not fit into 32 bits.
package struct WaveFile: Sendable {
  /// A chunk beside the sound.
  package struct Chunk: Sendable, Hashable {
    /// Four characters.
    package var name: String
    /// Its content, without the byte that follows an odd one.
    package var content: [UInt8]

    package init(_ name: String, _ content: [UInt8]) { (self.name, self.content) = (name, content) }

    /// The room for `ds64` without a table.
    static let room = Chunk("JUNK", [UInt8](repeating: 0, count: 28))

    /// Whether it is, or can become, a `ds64`.
    var holdsSizes: Bool { content.count >= 28 && ["JUNK", "ds64"].contains(name) }

    /// Its head, its content, and the byte that follows an odd one.
    var bytes: [UInt8] { ChunkWalk.Layout.riff.chunk(name, content) ?? [] }
  }

  /// What a file is called, and when.
  package struct Form: Sendable, Hashable {
    /// `RF64` or `BW64`.
    var longName: String
    /// Whether a file of less than 4 GiB is called so, too.
    var isAlwaysLong: Bool

    /// RIFF, which becomes RF64 past 4 GiB.
    package static let riff = Form(longName: "RF64", isAlwaysLong: false)

    /// What a job asks for.
    init(_ container: WaveContainer) {
      self =
        container == .riff ? .riff : Form(longName: container.name, isAlwaysLong: true)
    }

    init(longName: String, isAlwaysLong: Bool) {
      (self.longName, self.isAlwaysLong) = (longName, isAlwaysLong)
    }
  }

  /// All bytes before the sound, without sizes.
  private let start: [UInt8]
  /// The chunks behind the sound, in order.
  package var trailing: [Chunk]
  private let form: Form
  /// The place of the number of frames in `fact`, if there is one.
  private let fact: Int?
  /// Whether the first chunk can become `ds64`.
  private let hasRoom: Bool
  /// Bytes of a frame, or of a block of several, and how many these are.
  private let (blockSize, blockLength): (Int64, Int64)

  /// A WAV of these chunks.
  ///
  /// - Parameters:
  ///   - format: How the sound is stored: blocks have a byte or more.
  ///   - leading: All chunks before the sound, in order; one of them is `fmt `.
  ///   - trailing: All chunks behind it, in order.
  ///   - form: What it is called.
  package init(
    of format: WaveFormat, leading: [Chunk], trailing: [Chunk] = [], as form: Form = .riff
  ) {
    var start = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WAVE".utf8)
    var fact: Int?
    for chunk in leading {
      if chunk.name == "fact", chunk.content.count >= 4 { fact = start.count + 8 }
      start += chunk.bytes
    }
    start += Array("data".utf8) + [0, 0, 0, 0]
    hasRoom = leading.first?.holdsSizes ?? false
    (self.start, self.fact, self.trailing, self.form) = (start, fact, trailing, form)
    (blockSize, blockLength) = (Int64(format.blockSize), Int64(format.blockLength))
  }

  /// A WAV with room for `ds64`, a format, and nothing else.
  package init(_ format: WaveFormat) {
    self.init(of: format, leading: Self.leading(format))
  }

  /// The chunks that no WAV of a format lacks before its sound; `first` comes before `fmt `.
  static func leading(_ format: WaveFormat, first: [Chunk] = []) -> [Chunk] {
    let fact = Chunk("fact", [0, 0, 0, 0])
    return [.room] + first + [Chunk("fmt ", format.content)] + (format.needsFact ? [fact] : [])
  }

  /// Where the sound begins.
  package var soundStart: Int64 { Int64(start.count) }

  /// The whole frames among so many bytes behind the head, in bytes.
  private func wholeFrames(_ size: Int64) -> Int64 { max(0, size) / blockSize * blockSize }

  /// The bytes before the sound of a file of which so many bytes are sound; parts of a frame are left
  /// out. `isComplete` where what follows the sound follows it.
  package func head(soundSize: Int64, isComplete: Bool = false) -> [UInt8] {
    var bytes = start
    func put(_ number: Int64, _ count: Int, at index: Int) {
      for byte in 0..<count { bytes[index + byte] = UInt8(number >> (8 * byte) & 0xFF) }
    }
    let sound = wholeFrames(soundSize)
    let frameCount = sound / blockSize * blockLength
    let riff = fileSize(soundSize: soundSize, isComplete: isComplete) - 8
    let most = Int64(UInt32.max)
    let isLong = hasRoom && (form.isAlwaysLong || riff > most)
    if isLong {
      // What filled the room is no table of sizes.
      let isNew = !bytes[12..<16].elementsEqual("ds64".utf8)
      if isNew { put(0, 4, at: 44) }
      bytes.replaceSubrange(0..<4, with: form.longName.utf8)
      bytes.replaceSubrange(12..<16, with: "ds64".utf8)
      put(riff, 8, at: 20)
      put(sound, 8, at: 28)
      // A BW64 may leave the number of frames out (ITU-R BS.2088, 4.1: a dummy).
      let countsFrames = isNew || bytes[36..<44].contains { $0 != 0 }
      if countsFrames { put(frameCount, 8, at: 36) }
    }
    put(isLong ? most : min(riff, most), 4, at: 4)
    put(isLong ? most : min(sound, most), 4, at: start.count - 4)
    if let fact, !hasEnd(bytes[fact..<fact + 4], within: frameCount) {
      put(min(frameCount, most), 4, at: fact)
    }
    return bytes
  }

  /// Whether a kept number of frames ends within the last of the blocks that hold so many.
  private func hasEnd(_ told: ArraySlice<UInt8>, within frameCount: Int64) -> Bool {
    let told = told.reversed().reduce(0) { $0 << 8 | Int64($1) }
    return told > 0 && frameCount - blockLength < told && told <= frameCount
  }

  /// All bytes of a file, of which so many behind its head are sound: with parts of a frame while it
  /// grows.
  private func fileSize(soundSize: Int64, isComplete: Bool) -> Int64 {
    guard isComplete else { return soundStart + soundSize }
    let sound = wholeFrames(soundSize)
    return soundStart + sound + sound % 2 + trailing.reduce(0) { $0 + Int64($1.bytes.count) }
  }

  /// The bytes behind a sound, from its last whole frame on.
  package func tail(soundSize: Int64) -> [UInt8] {
    let padding = [UInt8](repeating: 0, count: Int(wholeFrames(soundSize) % 2))
    return trailing.reduce(into: padding) { $0 += $1.bytes }
  }

  /// Where the last whole frame of a sound ends.
  package func soundEnd(soundSize: Int64) -> Int64 { soundStart + wholeFrames(soundSize) }
}
