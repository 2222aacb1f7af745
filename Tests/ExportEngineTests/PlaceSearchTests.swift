import Diagnosis
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// What is found by looking must be what ffprobe finds by reading everything.
@Suite struct PlaceSearchTests {
  private let folder = TestFolder()

  /// Where packets begin, and their first frames, by ffprobe.
  private func packets(of path: String) throws -> [Int64: Int64] {
    let text = try Tool.succeed(
      "ffprobe", "-v", "error", "-show_entries", "packet=pos,pts", "-of", "csv=p=0", path
    ).text
    var packets: [Int64: Int64] = [:]
    for line in text.split(separator: "\n") {
      let numbers = line.split(separator: ",").compactMap { Int64($0) }
      guard numbers.count == 2 else { continue }
      packets[numbers[1]] = packets[numbers[1]] ?? numbers[0]
    }
    return packets
  }

  private func make(_ name: String, _ options: String...) throws -> String {
    let path = folder.path(name)
    let sound = ["-f", "lavfi", "-i", "anoisesrc=c=brown:d=60:r=44100:seed=7", "-ac", "2"]
    let result = try Tool.run(["ffmpeg", "-v", "error"] + sound + options + [path])
    try #require(result.status == 0, "\(result.errors)")
    return path
  }

  @Test("of FLAC the frame before any sample is found, and one behind it")
  func flac() throws {
    let fixed = try make("a.flac")
    let tagged = try make("b.flac", "-metadata", "title=x", "-compression_level", "0")
    for path in [fixed, tagged] {
      let packets = try packets(of: path)
      let search = try #require(
        try PlaceSearch(try MediumBytes(.file(FilePath(path)))))
      var dice = Dice(3)
      for _ in 0..<50 {
        let sample = dice.number(0..<60 * 44_100)
        let found = try #require(
          try search.places(around: sample, of: 60 * 44_100, near: 44_100, slack: 0))
        #expect(found.before.frame <= sample && sample - found.before.frame <= 44_100)
        if found.before.frame > 0 { #expect(packets[found.before.offset] == found.before.frame) }
        guard let behind = found.behind else { continue }
        #expect(behind.frame > sample && packets[behind.offset] == behind.frame)
      }
    }
  }

  @Test("of Ogg the page before any frame is found", arguments: ["libvorbis", "libopus"])
  func ogg(_ codec: String) throws {
    let path = try make("a.ogg", "-c:a", codec, "-ar", "48000")
    let packets = try packets(of: path)
    let search = try #require(try PlaceSearch(try MediumBytes(.file(FilePath(path)))))
    var dice = Dice(4)
    for _ in 0..<50 {
      let frame = dice.number(0..<59 * 48_000)
      let found = try #require(
        try search.places(around: frame, of: 60 * 48_000, near: 96_000, slack: 16_384))
      #expect(found.before.frame <= frame)
      guard found.before.offset > 0 else { continue }
      let start = try #require(packets[found.before.offset])
      #expect((start - found.before.frame).magnitude < 8192)
      if let behind = found.behind { #expect(behind.frame > frame + 16_384) }
    }
  }

  @Test("other files have no places, and no bytes are taken for a head that are none")
  func others() throws {
    let path = folder.path("x")
    var dice = Dice(5)
    func bytes(_ count: Int) -> [UInt8] {
      dice.bytes(count)
    }
    for start in ["RIFF", "fLaC", "OggS", ""] {
      for count in [0, 3, 17, 18, 5000, 200_000] {
        try writeFile(path, Array(start.utf8) + bytes(count))
        guard let search = try PlaceSearch(try MediumBytes(.file(FilePath(path)))) else { continue }
        #expect(start != "RIFF" && start != "")
        _ = try search.places(around: 1000, of: 100_000, near: 10, slack: 0)
      }
    }
    // By their checksum alone one in 256 would pass.
    let noise = bytes(2_000_000)
    #expect(PlaceSearch.frames(in: noise, at: 0, 4096).isEmpty)
  }

  @Test("heads of frames are read as RFC 9639 has them")
  func heads() throws {
    // Example 3 of the RFC's appendix D: one frame of 24 samples, numbered 0.
    let head: [UInt8] = [0xFF, 0xF8, 0x68, 0x02, 0x00, 0x17, 0xE9] + Array(repeating: 0, count: 9)
    let read = try #require(FLACFrameHead(head[...], blockSize: 4096))
    #expect(read.sample == 0 && read.count == 24)
    for index in 0..<7 {
      for bit in 0..<8 {
        var other = head
        other[index] ^= 1 << UInt8(bit)
        #expect(FLACFrameHead(other[...], blockSize: 4096) == nil)
      }
    }
  }
}
