import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// HE-AAC, whose containers count at the core's rate or at the doubled one (ISO 14496-3, 4.6.18).
@Suite("Reading HE-AAC")
struct HighEfficiencyTests {
  private let folder = TestFolder()

  /// What all packets decode to.
  private func media(_ path: String) throws -> [Float] {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-flags2", "+skip_manual", "-ignore_editlist", "1", "-i", path, "-f",
      "f32le", "-c:a", "pcm_f32le", "-"
    ).floats
  }

  private func expect(_ file: MP4Bytes, plays frames: Range<Int>, of media: [Float]) throws {
    let path = folder.path("he.m4a")
    try file.write(path)
    let sound = try PlayedSound(path)
    #expect(sound.asset.sampleRate == 44_100 && sound.asset.channelLayout.count == 2)
    #expect(sound.asset.frameCount == Int64(frames.count))
    #expect(sound.asset.encoderDelay == frames.lowerBound)
    #expect(sound.asset.encoderPadding == media.count / 2 - frames.upperBound)
    #expect(!sound.asset.hasExactPackets)
    #expect(sound.warnings == [])
    let whole = try sound.whole()
    // There another decoder takes over, which makes other noise in the bands that are replicated;
    // the rest is the same.
    let anchor = min(frames.count, (1 << 17) - frames.lowerBound)
    for channel in 0..<2 {
      let expected = frames.map { media[2 * $0 + channel] }
      #expect(whole[channel][..<anchor].largestDifference(from: expected) < 1e-4)
      guard anchor < frames.count else { continue }
      #expect(Signal.correlation(whole[channel][anchor...], expected[anchor...]) > 0.995)
    }
    try sound.expectSlices(of: whole)
  }

  @Test("marks of the first version are frames of the sound, whichever rate they count in")
  func version1() throws {
    let path = Fixture.path("he-aac.m4a")
    let media = try media(path)
    let file = try MP4Bytes(path)
    // The core has 2161 frames from 2048 on.
    let expected = 4096..<8418
    try expect(file, plays: expected, of: media)

    // A track that counts at the doubled rate, as FFmpeg writes one.
    var doubled = file
    let table = MP4Bytes.track + ["mdia", "minf", "stbl", "stts"]
    let header = try #require(doubled.atom(MP4Bytes.track + ["mdia", "mdhd"]))
    doubled.put(44_100, at: header.lowerBound + 20)
    doubled.put(10_240, at: header.lowerBound + 24)
    doubled.put(2048, at: try #require(doubled.atom(table)).lowerBound + 20)
    doubled.list([(2161, 4096)])
    try expect(doubled, plays: expected, of: media)

    // A list that counts finer than its track may end between two frames of the core.
    var finer = file
    finer.put(44_100, at: try #require(finer.atom(["moov", "mvhd"])).lowerBound + 20)
    finer.list([(4321, 2048)])
    try expect(finer, plays: 4096..<8417, of: media)

    // iTunes' note alone, in either rate.
    var noted = file
    noted.replace(MP4Bytes.track + ["edts"], with: [])
    try expect(noted, plays: expected, of: media)
    let text = Array(" 00000000 00000800 ".utf8)
    let at = try #require(noted.bytes.indices.first { noted.bytes[$0...].starts(with: text) })
    let note = Array(" 00000000 00001000 0000071E 00000000000010E2".utf8)
    noted.bytes.replaceSubrange(at..<at + note.count, with: note)
    try expect(noted, plays: expected, of: media)
  }

  @Test("marks of the second version are frames of the sound")
  func version2() throws {
    let path = Fixture.path("he-aac-v2.m4a")
    try expect(try MP4Bytes(path), plays: 6144..<226_644, of: try media(path))
  }

  @Test("iTunes' note that does not add up to the packets is not believed, and named")
  func refutedNote() throws {
    let path = Fixture.path("he-aac.m4a")
    let media = try media(path)
    var file = try MP4Bytes(path)
    file.replace(MP4Bytes.track + ["edts"], with: [])
    let text = Array(" 00000000 00000800 ".utf8)
    let at = try #require(file.bytes.indices.first { file.bytes[$0...].starts(with: text) })
    for note in [
      " 00000000 00000800 0000038F 0000000000000438",
      " 00000000 00004800 0000038F 0000000000000871",
    ] {
      file.bytes.replaceSubrange(at..<at + note.utf8.count, with: Array(note.utf8))
      let changed = folder.path("refuted.m4a")
      try file.write(changed)
      let sound = try PlayedSound(changed)
      #expect(sound.asset.frameCount == Int64(media.count / 2))
      #expect(sound.asset.encoderDelay == nil)
      #expect(
        sound.warnings == [
          "its note of delay and length (iTunSMPB) does not fit its packets: it is not believed, and "
            + "all of the sound is read"
        ], "\(sound.warnings)")
    }
  }
}
