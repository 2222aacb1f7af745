import MPEGAudio
import TestSupport
import Testing

@Suite struct PreRollTests {
  @Test(
    "Decoding from the pre-roll on gives the samples of a decode from the start",
    arguments: [
      ["-b", "32", "-m", "m", "--resample", "44.1"], ["-b", "128"], ["-V", "9"], ["-V", "2"],
      ["-b", "8", "-m", "m", "--resample", "8"], ["-b", "24", "--resample", "22.05"],
      ["--abr", "96", "-p"],
    ])
  func preRoll(setting: [String]) throws {
    try MP3Files.withFolder { folder in
      let path = "\(folder)/a.mp3"
      _ = try MP3Files.run(
        ["lame", "--quiet"] + setting + [Fixture.path("lame-testcase.wav"), path])
      let bytes = try readFile(path)
      let index = try MP3Files.index(of: bytes)
      let width = index.samplesPerFrame * index.channelCount * 4
      let whole = try decode(index, bytes, from: 0, folder: folder)
      #expect(whole.count == index.count * width)
      var longest = 0
      for frame in stride(from: 0, to: index.count, by: max(1, index.count / 9)) {
        let preRoll = index.preRoll(ofFrame: frame)
        longest = max(longest, preRoll)
        let start = frame - preRoll
        let tail = try decode(index, bytes, from: start, folder: folder)
        #expect(tail.count == (index.count - start) * width)
        #expect(tail.dropFirst(preRoll * width) == whole.dropFirst(frame * width), "frame \(frame)")
      }
      #expect(longest >= 2 && longest <= 60)
    }
  }

  @Test("Two frames are the least, and none can lie before the first")
  func bounds() throws {
    let index = try MP3Files.index(of: try readFile(Fixture.path("librivox-sonnet.mp3")))
    #expect([0, 1].map { index.preRoll(ofFrame: $0) } == [0, 1])
    for frame in 2..<index.count {
      #expect(index.preRoll(ofFrame: frame) >= 2 && index.preRoll(ofFrame: frame) <= frame)
    }
  }

  /// All samples of the frames from `start` on, without any trimming: the file has no tag.
  private func decode(
    _ index: FrameIndex, _ bytes: [UInt8], from start: Int, folder: String
  ) throws -> [UInt8] {
    let path = "\(folder)/part.mp3"
    try writeFile(path, (start..<index.count).flatMap { bytes[index.byteRange(ofFrame: $0)] })
    return try MP3Files.run(["ffmpeg", "-v", "quiet", "-f", "mp3", "-i", path, "-f", "f32le", "-"])
      .output
  }
}
