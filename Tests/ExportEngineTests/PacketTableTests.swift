import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// CAF files, whose packet tables say where the sound begins and ends.
@Suite("Reading packet tables of CAF")
struct PacketTableTests {
  private let folder = TestFolder()

  /// A CAF of five seconds of AAC, with such a table; of unknown size the data come last.
  private func make(
    valid: Int, priming: Int, remainder: Int, ofUnknownSize: Bool = false
  ) throws -> String {
    try Tool.succeed(
      "sh", "-c",
      """
      cd \(folder.path(""))
      sox -R -n -r 44100 -c 1 -b 16 src.wav synth 5 sine 300-3000 gain -6
      ffmpeg -y -v error -i src.wav -c:a aac -aac_pns 0 made.caf
      """)
    let bytes = try readFile(folder.path("made.caf"))
    var chunks: [(name: String, body: [UInt8])] = []
    var at = 8
    while at + 12 <= bytes.count {
      let size = bytes[at + 4..<at + 12].reduce(0) { $0 << 8 | Int($1) }
      let name = String(decoding: bytes[at..<at + 4], as: UTF8.self)
      chunks.append((name, Array(bytes[at + 12..<at + 12 + size])))
      at += 12 + size
    }
    var file = Array(bytes[..<8])
    for chunk in chunks where chunk.name != "data" {
      var body = chunk.body
      if chunk.name == "pakt" {
        let table = MP4Bytes.big(valid, 8) + MP4Bytes.big(priming) + MP4Bytes.big(remainder)
        body.replaceSubrange(8..<24, with: table)
      }
      file += Array(chunk.name.utf8) + MP4Bytes.big(body.count, 8) + body
    }
    for chunk in chunks where chunk.name == "data" {
      file += Array("data".utf8) + MP4Bytes.big(ofUnknownSize ? -1 : chunk.body.count, 8)
      file += chunk.body
    }
    let path = folder.path("t\(valid)-\(priming)-\(ofUnknownSize).caf")
    try writeFile(path, file)
    return path
  }

  @Test("the table's frames are the sound, also of data without a size", arguments: [false, true])
  func table(ofUnknownSize: Bool) throws {
    let plain = try PlayedSound(try make(valid: 222_208, priming: 0, remainder: 0))
    let all = try plain.whole()[0]
    for (valid, priming) in [(220_500, 1024), (200_000, 2048), (4321, 100_000)] {
      let path = try make(
        valid: valid, priming: priming, remainder: all.count - valid - priming,
        ofUnknownSize: ofUnknownSize)
      let sound = try PlayedSound(path)
      #expect(sound.asset.frameCount == Int64(valid))
      #expect(sound.asset.encoderDelay == priming)
      #expect(sound.asset.encoderPadding == all.count - valid - priming)
      #expect(sound.warnings == [])
      let whole = try sound.whole()
      #expect(zip(whole[0], all[priming...]).allSatisfy { abs($0 - $1) < 0.001 })
      try sound.expectSlices(of: whole)
    }
  }
}
