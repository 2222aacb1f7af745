/// The sizes in the header of a WAV that grows, and the labels behind its sound.
///
/// Follows Microsoft's "Multimedia Programming Interface and Data Specifications 1.0" (RIFF, `cue
/// `, `adtl`), and EBU Tech 3306 for files past 4 GiB: the muxer's `JUNK` then becomes `ds64`.
package struct WAVSizes {
  struct Mark: Sendable, Hashable {
    var frame: Int64
    var label: String
  }

  private let start: [UInt8]
  /// The place of the number of frames in a `fact` chunk, if any.
  private let fact: Int?
  /// Bytes of a frame (`nBlockAlign`).
  private let frameSize: Int64
  /// The end of the sound; nil while it grows.
  private var soundEnd: Int64?

  /// Takes over a muxer's bytes before the first frame; nil where they are not RIFF with room for
  /// `ds64`, a format and a chunk of sound.
  package init?(header: [UInt8]) {
    func word(_ index: Int) -> UInt32 {
      header[index..<index + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    func name(_ index: Int) -> String { String(decoding: header[index..<index + 4], as: UTF8.self) }
    guard header.count > 48, name(0) == "RIFF", name(12) == "JUNK", word(16) == 28 else {
      return nil
    }
    var (fact, frameSize): (Int?, Int64) = (nil, 0)
    var index = 12
    while index + 8 < header.count {
      if name(index) == "fact" { fact = index + 8 }
      if name(index) == "fmt " {
        frameSize = Int64(header[index + 20]) | Int64(header[index + 21]) << 8
      }
      index += 8 + Int(word(index + 4)) + Int(word(index + 4) & 1)
    }
    guard index + 8 == header.count, name(index) == "data", frameSize > 0 else { return nil }
    (start, self.fact, self.frameSize) = (header, fact, frameSize)
  }

  /// The header for a file of so many bytes; bytes beyond whole frames are left out.
  package func header(fileSize: Int64) -> [UInt8] {
    var bytes = start
    func put(_ number: Int64, _ count: Int, at index: Int) {
      for byte in 0..<count { bytes[index + byte] = UInt8(number >> (8 * byte) & 0xFF) }
    }
    let held = (soundEnd ?? fileSize) - Int64(start.count)
    let frameCount = held / frameSize
    let (riff, sound) = (fileSize - 8, frameCount * frameSize)
    let most = Int64(UInt32.max)
    if riff > most {
      bytes.replaceSubrange(0..<4, with: "RF64".utf8)
      bytes.replaceSubrange(12..<16, with: "ds64".utf8)
      put(riff, 8, at: 20)
      put(sound, 8, at: 28)
      put(frameCount, 8, at: 36)
      put(0, 4, at: 44)
    }
    put(min(riff, most), 4, at: 4)
    put(riff > most ? most : sound, 4, at: start.count - 4)
    if let fact { put(min(frameCount, most), 4, at: fact) }
    return bytes
  }

  /// The chunks with the marks, for the end of a file of so many bytes, which has all its sound;
  /// from here on `header` has that sound's end.
  mutating func append(_ marks: [Mark], after fileSize: Int64) -> [UInt8] {
    let held = (fileSize - Int64(start.count)) / frameSize * frameSize
    soundEnd = Int64(start.count) + held
    guard !marks.isEmpty else { return [] }
    func word(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 0xFF) } }
    func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
      Array(name.utf8) + word(body.count) + body + [UInt8](repeating: 0, count: body.count % 2)
    }
    var points = word(marks.count)
    var labels = Array("adtl".utf8)
    for (index, mark) in marks.enumerated() {
      let frame = Int(min(mark.frame, Int64(UInt32.max)))
      points += word(index + 1) + word(frame) + Array("data".utf8) + word(0) + word(0) + word(frame)
      labels += chunk("labl", word(index + 1) + Array(mark.label.utf8) + [0])
    }
    return [UInt8](repeating: 0, count: Int(fileSize % 2)) + chunk("cue ", points)
      + chunk("LIST", labels)
  }
}
