import Diagnosis
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// Five seconds of a glide, in files whose edit lists play parts of it.
private let source: (folder: TestFolder, path: String) = {
  let folder = TestFolder()
  do {
    try Tool.succeed(
      "sox", "-R", "-n", "-r", "44100", "-c", "1", "-b", "16", folder.path("src.wav"), "synth", "5",
      "sine", "300-3000", "gain", "-6")
  } catch {
    Issue.record(error)
  }
  return (folder, folder.path("src.wav"))
}()

/// Milliseconds, and frames of the media; nil plays nothing.
private typealias Edits = [(duration: Int, place: Int?)]

@Suite("Reading edit lists")
struct EditListTests {
  private let folder = TestFolder()

  private func encode(_ name: String, _ options: String) throws -> String {
    let path = folder.path(name)
    try Tool.succeed("sh", "-c", "ffmpeg -v error -i \(source.path) \(options) \(path)")
    return path
  }

  /// All that the packets hold, as ffmpeg decodes them.
  private func media(_ path: String) throws -> [Float] {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-ignore_editlist", "1", "-i", path, "-map", "0:a", "-f", "f32le",
      "-c:a", "pcm_f32le", "-"
    ).floats
  }

  private static let lists: [(name: String, edits: Edits)] = [
    ("two parts", [(1000, 1024), (1000, 89_224)]),
    ("one part twice", [(1000, 1024), (1000, 1024)]),
    ("two parts in reverse order", [(1000, 90_000), (700, 1024)]),
    ("silence in between", [(500, 2000), (250, nil), (500, 100_000)]),
    ("nothing, and then a part", [(500, nil), (2000, 44_100)]),
    ("a part, and then silence", [(1000, 1024), (500, nil)]),
    ("one part from far in", [(1500, 120_000)]),
    ("many short parts", (0..<60).map { (37, 1024 + 3001 * $0) }),
  ]

  @Test(
    "exactly the edits are played, in their order",
    arguments: [
      ("pcm.mov", "-c:a pcm_s16be"), ("alac.m4a", "-c:a alac"), ("aac.m4a", "-c:a aac -aac_pns 0"),
      ("mp3.mov", "-c:a libmp3lame"),
      ("frag.mp4", "-c:a aac -aac_pns 0 -movflags +empty_moov+default_base_moof"),
    ])
  func edits(_ name: String, _ options: String) throws {
    let path = try encode(name, options)
    let media = try media(path)
    for (title, edits) in Self.lists {
      var file = try MP4Bytes(path)
      file.list(edits)
      let listed = folder.path("listed-" + name)
      try file.write(listed)
      var (expected, places, ticks, frames) = ([Float](), [Int](), 0, 0)
      for edit in edits {
        ticks += edit.duration
        let end = (ticks * 44_100 + 500) / 1000
        let part = edit.place.map { Array(media[$0..<$0 + end - frames]) }
        // An empty edit before the sound moves nothing.
        if part != nil || !expected.isEmpty {
          expected += part ?? Array(repeating: 0, count: end - frames)
        }
        places.append(expected.count)
        frames = end
      }
      let sound = try PlayedSound(listed)
      #expect(sound.asset.frameCount == Int64(expected.count), "\(title)")
      #expect(sound.warnings == [], "\(title)")
      let whole = try sound.whole()
      let worst = whole[0].largestDifference(from: expected)
      #expect(whole[0].count == expected.count && worst < 0.001, "\(title): \(worst)")
      try sound.expectSlices(of: whole, around: places)
    }
  }

  @Test("an edit without a duration reaches to the end, also of a file in fragments")
  func openEdit() throws {
    for (name, flags) in [("plain.m4a", "+use_metadata_tags"), ("frag.mp4", "+empty_moov")] {
      let path = try encode(name, "-c:a aac -aac_pns 0 -movflags \(flags)+default_base_moof")
      var file = try MP4Bytes(path)
      file.list([(0, 1024)])
      try file.write(path)
      let sound = try PlayedSound(path)
      #expect(sound.asset.frameCount == 220_500)
      #expect(sound.asset.encoderDelay == 1024)
      let whole = try sound.whole()
      let expected = try media(path)[1024...]
      #expect(whole[0].largestDifference(from: expected) < 0.001, "\(name)")
      try sound.expectSlices(of: whole)
    }
  }

  @Test("a first packet that is presented with the second one takes nothing from the end")
  func firstPresentedLate() throws {
    let path = try encode("plain.m4a", "-c:a aac -aac_pns 0 -use_editlist 0")
    let media = try media(path)
    var file = try MP4Bytes(path)
    // FAAC by mp4v2: 1024 ticks for one packet, and none for the others (ISO 14496-12, 8.6.1.3).
    var table = MP4Bytes.big(0) + MP4Bytes.big(2)
    for number in [1, 1024, 216, 0] { table += MP4Bytes.big(number) }
    file.replace(
      MP4Bytes.track + ["mdia", "minf", "stbl", "ctts"],
      with: MP4Bytes.big(table.count + 8) + Array("ctts".utf8) + table)
    try file.write(path)
    let sound = try PlayedSound(path)
    #expect(sound.asset.frameCount == 221_524)
    let whole = try sound.whole()
    let worst = whole[0].largestDifference(from: media)
    #expect(worst < 0.001)
    try sound.expectSlices(of: whole, around: [1 << 17, (1 << 17) - 1024])
  }

  @Test("a list that was rounded takes nothing from a last packet that is full")
  func fullLastPacket() throws {
    // 10 packets are 232.2 ms, of which FFmpeg's muxer lists 232.
    let sound = try PlayedSound(
      try encode("full.m4a", "-af atrim=end_sample=10240 -c:a aac"))
    #expect(sound.asset.frameCount == 10_240)
    #expect(try sound.whole()[0].count == 10_240)
  }

  @Test("an edit list that is not played exactly is refused by name")
  func refused() throws {
    let encoded = try MP4Bytes(try encode("r.m4a", "-c:a aac"))
    func failure(_ change: (inout MP4Bytes) throws -> Void) throws -> String {
      var file = encoded
      try change(&file)
      let path = folder.path("refused.m4a")
      try file.write(path)
      do {
        _ = try PlayedSound(path)
        return "is read"
      } catch let failure as Failure {
        #expect(failure.remedy == .mendInput)
        return failure.message
      }
    }
    let help = "; export its sound with the program that made it"
    #expect(
      try failure { $0.list([(1000, 1024)], rate: 1 << 15) }
        == "has an edit list that plays at a rate of 0.500, of which only 1 is read" + help)
    #expect(
      try failure { $0.list([(1000, 1024), (1000, 1024)], rate: 0) }
        == "has an edit list that plays at a rate of 0.000, of which only 1 is read" + help)
    #expect(
      try failure { $0.list([(1000, -1000)]) } == "has an edit list that begins before its sound"
        + help)
    #expect(
      try failure { $0.list([(1000, nil)]) }
        == "its edit list plays nothing of its sound; make it again")
    #expect(
      try failure { file in
        let head = try #require(file.atom(["moov", "mvhd"]))
        file.put(0, at: head.lowerBound + 20)
      } == "its edit list counts in 0 ticks a second (mvhd)" + help)
    #expect(
      try failure { file in
        let head = try #require(file.atom(MP4Bytes.track + ["mdia", "mdhd"]))
        file.put(0, at: head.lowerBound + 20)
      } == "its track has 0 ticks a second (mdhd), so its times mean nothing; make it again")
  }

  @Test(
    "a file in segments is read to its end, with one segment index and with many",
    arguments: [
      "-movflags +dash+global_sidx -frag_duration 1000000",
      "-movflags +dash -frag_duration 1000000", "-movflags +dash -frag_duration 700000",
      "-movflags +dash+global_sidx -frag_duration 400000 -f mov",
    ])
  func segments(options: String) throws {
    let path = try encode("s.mp4", "-c:a aac -aac_pns 0 \(options)")
    let video = folder.path("av.mp4")
    try Tool.succeed(
      "sh", "-c",
      """
      ffmpeg -v error -f lavfi -i testsrc=s=64x64:r=25:d=5 -i \(source.path) -t 5 -c:v mpeg4 -g 25 \
        -c:a aac -aac_pns 0 \(options) \(video)
      """)
    for path in [path, video] {
      let media = try media(path)
      let sound = try PlayedSound(path)
      // ffmpeg decodes the last packet whole.
      #expect(media.count - 1024..<media.count ~= Int(sound.asset.frameCount))
      #expect(sound.warnings == [])
      let whole = try sound.whole()
      let worst = whole[0].largestDifference(from: media)
      #expect(worst < 0.001)
      try sound.expectSlices(of: whole, around: [44_100, 88_200])
    }
  }

  @Test("an edit that is longer than its sound is named, and refused where it is twice as long")
  func longEdit() throws {
    for (name, options) in [("long.mov", "-c:a pcm_s16be"), ("long.m4a", "-c:a aac")] {
      let path = try encode(name, options)
      var file = try MP4Bytes(path)
      let start = name == "long.mov" ? 0 : 1024
      file.list([(6000, start)])
      try file.write(path)
      let said = try PlayedSound(path).warnings
      #expect(said == ["its header announces 6.000 s, 5.000 s can be decoded"], "\(said)")
      file.list([(60_000, start)])
      try file.write(path)
      let failure = #expect(throws: Failure.self) { try PlayedSound(path) }
      #expect(
        failure?.message == "its header announces 60.000 s, and 5.000 s can be decoded: less than "
          + "half; copy or download it again")
    }
  }
}
