import TestSupport
import Testing

@testable import MPEGAudio

@Suite("Frames of MP3 that are damaged behind their header")
struct FrameCheckTests {
  /// Frames that LAME and others have written.
  private func streams() throws -> [[[UInt8]]] {
    var files = try ["lame-testcase.mp3", "sweep.mp3", "voice-vbr.mp3", "librivox-sonnet.mp3"].map {
      try readFile(Fixture.path($0))
    }
    let folder = TestFolder()
    let wave = Fixture.path("lame-testcase.wav")
    for options in [
      ["-b", "320", "-p"], ["-V", "2", "-p"], ["-b", "128", "-m", "m", "-p"],
      ["-b", "32", "--resample", "22.05", "-p"], ["-b", "8", "--resample", "8", "-m", "m"],
      ["--abr", "96", "-m", "j"],
    ] {
      let path = folder.path("a.mp3")
      _ = try MP3Files.run(["lame", "--quiet"] + options + [wave, path])
      files.append(try readFile(path))
    }
    return try files.map { bytes in
      let index = try MP3Files.index(of: bytes)
      return (0..<index.count).map { Array(bytes[index.byteRange(ofFrame: $0)]) }
    }
  }

  /// What is found in each frame of a stream that has something wrong.
  private func faults(_ frames: [[UInt8]]) -> [Int: FrameCheck.Fault] {
    var (check, found) = (FrameCheck(), [Int: FrameCheck.Fault]())
    for (number, frame) in frames.enumerated() {
      guard let header = FrameHeader(startOf: frame[...]) else { continue }
      found[number] = check.fault(of: frame[...], header)
    }
    return found
  }

  @Test("nothing is found in the frames of encoders, with checksums and without")
  func whole() throws {
    for frames in try streams() {
      let found = faults(frames)
      #expect(found.isEmpty && frames.count > 8, "\(found)")
    }
  }

  @Test("each bit of a frame's side information that is turned is found by its checksum")
  func checksums() throws {
    var dice = Dice(7)
    for frames in try streams() {
      guard let header = FrameHeader(startOf: frames[5][...]), header.hasChecksum else { continue }
      for _ in 0..<100 {
        var broken = frames
        let (number, bit) = (Int(dice.number(1..<9)), Int(dice.number(0..<64)))
        broken[number][6 + bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(faults(broken)[number] == .checksum, "\(number) \(bit)")
      }
    }
  }

  @Test("side information that no frame may have is found without a checksum")
  func impossible() throws {
    var dice = Dice(8)
    for frames in try streams() {
      guard let header = FrameHeader(startOf: frames[5][...]), !header.hasChecksum else { continue }
      let side = header.sideInformationLength
      for _ in 0..<20 {
        var broken = frames
        let number = Int(dice.number(3..<9))
        broken[number].replaceSubrange(4..<4 + side, with: repeatElement(0xFF, count: side))
        #expect(faults(broken)[number] == .sideInformation, "\(number)")
        // Nothing is known of where it ends: the next one is not blamed for that.
        #expect(faults(broken).count == 1)
      }
    }
  }

  @Test("main data behind a frame's slot, or where those of the frame before lie, are found")
  func places() throws {
    let bytes = try readFile(Fixture.path("lame-testcase.mp3"))
    let index = try MP3Files.index(of: bytes)
    let frames = (0..<index.count).map { Array(bytes[index.byteRange(ofFrame: $0)]) }
    let number = try #require((10..<60).first { index.mainDataBegin(ofFrame: $0) < 200 })
    let header = try #require(FrameHeader(startOf: frames[number][...]))
    var (early, late) = (frames, frames)
    SideInformation.setMainDataBegin(511, in: &early[number], at: 4, header)
    #expect(faults(early)[number] == .sideInformation)
    // The most bits that a granule may say.
    let start = try #require(SideInformation.granules(header).first { _ in true })
    for bit in start..<start + 12 { late[number][4 + bit / 8] |= 0x80 >> UInt8(bit % 8) }
    #expect(faults(late)[number] == .sideInformation)
  }
}
