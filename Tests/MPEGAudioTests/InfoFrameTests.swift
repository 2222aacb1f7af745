import MPEGAudio
import TestSupport
import Testing

@Suite("InfoFrame")
struct InfoFrameTests {
  static let encoding = InfoFrame.Encoding(
    method: .variableMTRH, bitRate: 32_000, quality: 80, encoder: "LAME3.100", lowpass: 18500,
    sourceSampleRate: 44100, stereoMode: .joint, noiseShaping: 1, isUnwise: false,
    thresholdType: 5, hasSafeJointStereo: true, preset: 480)

  /// 44.1 kHz, joint stereo, 128 kbps.
  static let header: UInt32 = 0xFFFB_9064

  private func infoFrame(_ encoding: InfoFrame.Encoding = encoding) throws -> InfoFrame {
    InfoFrame(like: try #require(FrameHeader(bits: Self.header)), encoding: encoding)
  }

  @Test("the checksum is that of a bitwise sum, wherever the bytes are cut")
  func checksum() {
    var dice = Dice(1)
    #expect(CRC16.checksum("123456789".utf8) == 0xBB3D)  // CRC-16/ARC's own check value.
    for length in Array(0...40) + [1000] {
      let bytes = dice.bytes(length)
      let slow = bytes.reduce(into: UInt16(0)) { crc, byte in
        crc ^= UInt16(byte)
        for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xA001 }
      }
      let cut = Int.random(in: 0...length, using: &dice)
      let head = CRC16.checksum(bytes[..<cut])
      #expect(CRC16.checksum(bytes[cut...], continuing: head) == slow)
      #expect(CRC16.checksum(AnySequence(bytes)) == slow)
    }
  }

  @Test("the table of contents has true positions, exact up to 65,536 frames and close beyond")
  func contents() throws {
    var dice = Dice(2)
    var info = try infoFrame()
    var ends = [info.length]
    for count in [0, 1, 2, 99, 100, 101, 65_536, 65_537, 131_073, 300_000] {
      while ends.count <= count {
        // Quiet, then loud: the positions are no straight line.
        let length = Int.random(in: 1...(ends.count % 9000 < 4000 ? 4 : 30), using: &dice)
        info.add(frame: repeatElement(0x55, count: length))
        ends.append((ends.last ?? 0) + length)
      }
      let total = ends[count]
      let frame = info.encoded(delay: 0, padding: 0)
      for index in 0..<100 {
        let position = ends[index * count / 100]
        let found = Int(frame[52 + index])
        if count <= 65_536 {
          #expect(found == min(255, position * 256 / total), "entry \(index) of \(count) frames")
        } else {
          let error = Double(position) * 256 / Double(total) - Double(found)
          #expect(-1.0 / 32 <= error && error < 1 + 1.0 / 32, "entry \(index) of \(count) frames")
        }
      }
      #expect(frame[44..<48].reduce(0) { $0 << 8 | Int($1) } == count)
      #expect(frame[48..<52].reduce(0) { $0 << 8 | Int($1) } == total)
    }
  }

  @Test("every stream has room for it, and its place is reserved by a silent frame")
  func room() throws {
    for sync in [UInt32(0xFFE2_0003), 0xFFF2_0003, 0xFFFA_0003] {
      // Bit rate, sample rate and channel mode: all that there are.
      for fields in UInt32(0)..<0x400 {
        let bits = sync | (fields & 0x3F0) << 8 | (fields & 0xC) << 8 | (fields & 3) << 6
        guard let header = FrameHeader(bits: bits), !header.isFreeFormat else { continue }
        try expectRoom(header, .constant)
        try expectRoom(header, .mean)
      }
    }
  }

  private func expectRoom(_ header: FrameHeader, _ method: InfoFrame.Encoding.Method) throws {
    var encoding = Self.encoding
    encoding.method = method
    encoding.bitRate = header.bitRate
    let info = InfoFrame(like: header, encoding: encoding)
    let placeholder = info.placeholder
    let reserved = try #require(FrameHeader(startOf: placeholder))
    #expect(reserved.isConsistent(with: header) && reserved.channelMode == header.channelMode)
    #expect(!reserved.hasChecksum && !reserved.hasPadding && reserved.bits & 0x3F == 3)
    #expect(reserved.frameLength == info.length && placeholder.count == info.length)
    #expect(placeholder.dropFirst(4).allSatisfy { $0 == 0 })
    #expect(info.length >= 4 + header.sideInformationLength + 156)
    let whole = info.encoded(delay: 576, padding: 1000)
    #expect(whole.count == info.length && whole.prefix(4) == placeholder.prefix(4))
    if method == .constant, reserved.bitRate != header.bitRate {
      // Its own would not do.
      #expect(try #require(header.frameLength) < 4 + header.sideInformationLength + 157)
    }
  }

  @Test("an index reads back what it says")
  func readBack() throws {
    let bytes = try readFile(Fixture.path("voice-vbr.mp3"))
    let index = try MP3Files.index(of: bytes)
    var info = InfoFrame(like: index.header, encoding: Self.encoding)
    var frames: [UInt8] = []
    for number in 0..<index.count {
      let frame = bytes[index.byteRange(ofFrame: number)]
      info.add(frame: frame)
      frames += frame
    }
    let read = try MP3Files.index(of: info.encoded(delay: 1105, padding: 999) + frames)
    #expect(read.anomalies == [] && read.count == index.count)
    let tag = try #require(read.tag)
    #expect(tag.delay == 1105 && tag.padding == 999 && tag.encoder == "LAME3.100")
    #expect(tag.kind == .xing && tag.rateControl == .variable && tag.quality == 80)
    #expect(tag.frameCount == index.count && tag.byteCount == info.length + frames.count)
    #expect(tag.isChecksumValid == true)
  }

  @Test(
    "of a copy of constant bit rate it has the rate of its frames",
    arguments: [["-b", "320"], ["-b", "128"], ["--resample", "22.05", "-b", "64"]])
  func constant(_ options: [String]) throws {
    let stream = try lameStream(options)
    let index = try MP3Files.index(of: stream)
    var encoding = Self.encoding
    (encoding.method, encoding.bitRate) = (.constant, index.header.bitRate)
    // Both without a tag and with LAME's, whose byte ends at 255 kbps.
    let tag = InfoFrame(like: index.header, encoding: encoding).encoded(delay: 576, padding: 576)
    for source in [index, try MP3Files.index(of: tag + stream)] {
      let copy = InfoFrame.Encoding(like: source, isConstant: true)
      #expect(copy.method == .constant && copy.bitRate == index.header.bitRate)
      let info = InfoFrame(like: index.header, encoding: copy)
      let first = try #require(FrameHeader(startOf: info.placeholder))
      #expect(first.bitRate == index.header.bitRate)
    }
  }

  @Test(
    "the encoder's name is kept only if players look for a delay behind it",
    arguments: [
      ("LAME3.99r", "LAME3.99r"), ("Lavf", "Lavf"), ("Lavc59.37", "Lavc59.37"),
      ("L3.99r1", "LAME"), ("Lxyz", "LAME"), ("GOGO", "LAME"),
    ])
  func names(_ encoder: String, kept: String) throws {
    let stream = try lameStream(["-V", "2"])
    var encoding = Self.encoding
    encoding.encoder = encoder
    let header = try MP3Files.index(of: stream).header
    let tag = InfoFrame(like: header, encoding: encoding).encoded(delay: 576, padding: 900)
    let index = try MP3Files.index(of: tag + stream)
    #expect(index.tag?.encoder == encoder && (index.tag?.delay != nil) == (encoder == kept))
    #expect(InfoFrame.Encoding(like: index, isConstant: false).encoder == kept)
  }

  @Test("what no field holds becomes the most that it holds")
  func limits() throws {
    var encoding = Self.encoding
    encoding.lowpass = 30_000
    encoding.bitRate = 320_000
    encoding.encoder = "a very long name"
    encoding.preset = 100_000
    encoding.quality = -1
    let frame = try infoFrame(encoding).encoded(delay: 5000, padding: 4096)
    #expect(frame[152..<156] == [0, 0, 0, 0])
    #expect(String(decoding: frame[156..<165], as: UTF8.self) == "a very lo")
    #expect(frame[166] == 255 && frame[176] == 255)
    #expect(frame[177..<180] == [0xFF, 0xFF, 0xFF] && frame[182..<184] == [0xFF, 0xFF])
    encoding.lowpass = -1
    encoding.encoder = "LAME"
    let other = try infoFrame(encoding).encoded(delay: 0, padding: -1)
    #expect(other[156..<165] == [0x4C, 0x41, 0x4D, 0x45, 0, 0, 0, 0, 0])
    #expect(other[166] == 0 && other[177..<180] == [0, 0, 0])
  }
}
