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
    let packets = try packets()
    // Apple Core Audio Format specification 1.0: the rate, 'aac ', 1024 frames in each packet, of
    // any size, and one channel.
    var description = MP4Bytes.big(Int(Double(44_100).bitPattern), 8) + Array("aac ".utf8)
    for number in [0, 0, 1024, 1, 0] { description += MP4Bytes.big(number) }
    var table = MP4Bytes.big(packets.count, 8) + MP4Bytes.big(valid, 8)
    table += MP4Bytes.big(priming) + MP4Bytes.big(remainder)
    for packet in packets {
      // 7 bits in each byte, of which all but the last have the highest bit.
      if packet.count > 127 { table.append(UInt8(0x80 | packet.count >> 7)) }
      table.append(UInt8(packet.count & 0x7F))
    }
    var file: [UInt8] = Array("caff".utf8) + [0, 1, 0, 0]
    for (name, body) in [("desc", description), ("kuki", cookie), ("pakt", table)] {
      file += Array(name.utf8)
      file += MP4Bytes.big(body.count, 8) + body
    }
    // Behind the number of edits.
    let data = MP4Bytes.big(0) + packets.flatMap { $0 }
    file += Array("data".utf8)
    file += MP4Bytes.big(ofUnknownSize ? -1 : data.count, 8) + data
    let path = folder.path("t\(valid)-\(priming)-\(ofUnknownSize).caf")
    try writeFile(path, file)
    return path
  }

  /// The descriptor of AAC LC at 44.1 kHz in mono (ISO 14496-1, 7.2.6.5; ISO 14496-3, 1.6.2.1),
  /// with sizes of four bytes, as Apple writes them.
  private var cookie: [UInt8] {
    func descriptor(_ tag: UInt8, _ body: [UInt8]) -> [UInt8] {
      [tag, 0x80, 0x80, 0x80, UInt8(body.count)] + body
    }
    var decoder: [UInt8] = [0x40, 0x15] + [UInt8](repeating: 0, count: 11)
    decoder += descriptor(5, [0x12, 0x08])
    return descriptor(3, [0, 0, 0] + descriptor(4, decoder) + descriptor(6, [2]))
  }

  /// What ffmpeg encodes, without the heads of ADTS (ISO 14496-3, 1.A.3.2): its muxer of CAF takes
  /// no AAC.
  private func packets() throws -> [[UInt8]] {
    try Tool.succeed(
      "sh", "-c",
      """
      cd \(folder.path(""))
      sox -R -n -r 44100 -c 1 -b 16 src.wav synth 5 sine 300-3000 gain -6
      ffmpeg -y -v error -i src.wav -c:a aac -aac_pns 0 made.aac
      """)
    let bytes = try readFile(folder.path("made.aac"))
    var packets: [[UInt8]] = []
    var at = 0
    while at + 7 < bytes.count {
      let size = Int(bytes[at + 3] & 3) << 11 | Int(bytes[at + 4]) << 3 | Int(bytes[at + 5] >> 5)
      packets.append(Array(bytes[at + 7..<at + size]))
      at += size
    }
    return packets
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
      #expect(whole[0].largestDifference(from: all[priming...]) < 0.001)
      try sound.expectSlices(of: whole)
    }
  }
}
