import Diagnosis
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine
@testable import LibAV

/// The tables that are read beside libavformat.
@Suite("Reading MP4's tables")
struct MP4TrackTests {
  private let folder = TestFolder()

  private func track(_ path: String) throws -> MP4Track {
    try #require(try MP4Track.read(in: try MediumBytes(.file(FilePath(path))), id: 1))
  }

  @Test("ticks, edits, packets and the last one's duration are those that ffprobe finds")
  func tables() throws {
    let path = folder.path("a.m4a")
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=5:r=44100", "-c:a", "aac", path)
    let track = try track(path)
    #expect(track.timescale == 44_100)
    #expect(track.movieTimescale == 1000)
    #expect(track.edits == [MP4Track.Edit(duration: 5000, mediaTime: 1024, rate: 1 << 16)])
    #expect(track.packetCount == 217 && track.lastDuration == 340)
    #expect(!track.isFragmented && track.patches.isEmpty)
  }

  @Test("packets and segment indexes of all fragments are counted")
  func fragments() throws {
    let path = folder.path("s.mp4")
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=5:r=44100", "-c:a", "aac", "-movflags",
      "+dash", "-frag_duration", "1000000", path)
    let track = try track(path)
    #expect(track.isFragmented && track.packetCount == 217 && track.lastDuration == 340)
    let file = try readFile(path)
    let places = file.indices.dropLast(3).filter { file[$0..<$0 + 4].elementsEqual("sidx".utf8) }
    #expect(track.patches.map(\.offset) == places.map { Int64($0) } && places.count > 1)
  }

  @Test("fragments that are described in another way than others are found, and refused")
  func describedFragments() throws {
    let path = folder.path("d.mp4")
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=2:r=44100", "-c:a", "aac", "-movflags",
      "+empty_moov+default_base_moof", "-frag_duration", "500000", path)
    var file = try MP4Bytes(path)
    let list = MP4Bytes.track + ["mdia", "minf", "stbl", "stsd"]
    let entry = Array(file.bytes[try #require(file.atom(list)).dropFirst(16)])
    // The first fragment's are said to be the second ones (ISO 14496-12, 8.8.7).
    let head = try #require(file.atom(["moof", "traf", "tfhd"]))
    let flags = file.number(head.lowerBound + 8) | 2
    let said =
      MP4Bytes.big(flags) + Array(file.bytes[head.lowerBound + 12..<head.lowerBound + 16])
      + MP4Bytes.big(2) + Array(file.bytes[head.lowerBound + 16..<head.upperBound])
    file.replace(
      ["moof", "traf", "tfhd"],
      with: MP4Bytes.big(said.count + 8) + Array("tfhd".utf8) + said)
    let run = try #require(file.atom(["moof", "traf", "trun"])).lowerBound
    file.put(file.number(run + 16) + 4, at: run + 16)
    for (channels, isRead) in [(entry[25], true), (entry[25] + 1, false)] {
      var other = entry
      other[25] = channels
      let body = MP4Bytes.big(0) + MP4Bytes.big(2) + entry + other
      file.replace(list, with: MP4Bytes.big(body.count + 8) + Array("stsd".utf8) + body)
      try file.write(path)
      #expect(try track(path).used == [1, 2])
      do {
        let sound = try PlayedSound(path)
        #expect(isRead && sound.warnings == [], "\(sound.warnings)")
      } catch let failure as Failure {
        #expect(!isRead)
        #expect(failure.message.contains("changes midway the settings of its codec (mp4a)"))
      }
    }
  }

  @Test("a track with any bytes changed is read, or is none")
  func anyBytes() throws {
    let files = [Fixture.path("he-aac.m4a"), folder.path("s.mp4")]
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=0.3:r=44100", "-c:a", "aac",
      "-movflags", "+dash", "-frag_duration", "100000", files[1])
    var dice = Dice(39)
    for file in files {
      let whole = try MP4Bytes(file)
      let movie = try #require(whole.atom(["moov"]))
      for _ in 0..<150 {
        var changed = whole
        for _ in 0..<dice.number(1..<6) {
          let range = Int64(movie.lowerBound)..<Int64(whole.bytes.count)
          changed.bytes[Int(dice.number(range))] = UInt8(dice.number(0..<4) * 85)
        }
        let path = folder.path("changed.mp4")
        try changed.write(path)
        guard let track = try MP4Track.read(in: try MediumBytes(.file(FilePath(path))), id: 1)
        else { continue }
        #expect(track.packetCount ?? 0 >= 0)
        guard let edits = try? PlayedEdits(track, atRate: 44_100, in: .file("a.mp4")) else {
          continue
        }
        #expect(edits.entries.allSatisfy { $0.count >= 0 && $0.times?.lowerBound ?? 0 >= 0 })
      }
    }
  }

  @Test("patched bytes are read at any place, and the others are the medium's")
  func patches() throws {
    let bytes = (0..<100).map { UInt8($0) }
    try writeFile(folder.path("bytes"), bytes)
    let patches = [
      BytePatch(offset: 3, bytes: [200, 201, 202, 203]), BytePatch(offset: 90, bytes: [210, 211]),
    ]
    var expected = bytes
    expected.replaceSubrange(3..<7, with: [200, 201, 202, 203])
    expected.replaceSubrange(90..<92, with: [210, 211])
    let source = PatchedBytes(try FileBytes(FilePath(folder.path("bytes"))), patches)
    for start in 0..<100 {
      for count in [1, 2, 5, 100] {
        var read = [UInt8](repeating: 0, count: count)
        let filled = try read.withUnsafeMutableBytes { try source.fill($0, from: Int64(start)) }
        #expect(read[..<filled] == expected[start..<min(100, start + count)])
      }
    }
  }
}
