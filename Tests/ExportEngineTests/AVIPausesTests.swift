import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// AVIs with chunks without bytes, which FFmpeg's muxer writes for packets that are missing.
@Suite("Empty chunks of AVI")
struct AVIPausesTests {
  private let folder = TestFolder()

  /// Makes `early.avi`, whose sound of 1.5 s begins with its picture, and `late.avi`, where the same one
  /// begins a second later.
  private func make(_ codec: String) throws {
    try Tool.succeed(
      "sh", "-c",
      """
      cd \(folder.path(""))
      sox -R -n -r 48000 -c 1 -b 16 s.wav synth 1.5 pinknoise vol 0.3
      ffmpeg -v error -f lavfi -i testsrc=d=3:s=64x48:r=10 -c:v mpeg4 v.avi
      ffmpeg -v error -i v.avi -i s.wav -map 0 -map 1 -c:v copy -c:a \(codec) early.avi
      ffmpeg -v error -i v.avi -itsoffset 1 -i s.wav -map 0 -map 1 -c:v copy -c:a \(codec) late.avi
      """)
  }

  @Test(
    "a sound that begins late is read from its first packet on, and begins at its place",
    arguments: ["libmp3lame -b:a 64k", "mp2", "ac3", "aac"])
  func late(codec: String) throws {
    try make(codec)
    let early = try PlayedSound(folder.path("early.avi"))
    let late = try PlayedSound(folder.path("late.avi"))
    #expect(early.warnings == [] && late.warnings == [])
    #expect(early.asset.start == .zero)
    // Encoders begin some milliseconds before their sound, and packets last up to 32 ms.
    #expect((0.95...1.01).contains(late.asset.start.seconds), "\(late.asset.start)")
    let expected = try early.whole()
    let isSame = try late.whole() == expected
    #expect(isSame)
    try late.expectSlices(of: expected)
  }

  /// The first bytes of a file, up to its chunk of sound number `count` that is not empty.
  private func cut(_ name: String, behind count: Int) throws -> String {
    let bytes = try readFile(folder.path(name))
    let sound = Array("01wb".utf8)
    let places = bytes.indices.dropLast(8).filter { place in
      bytes[place] == sound[0] && bytes[place..<place + 4].elementsEqual(sound)
        && bytes[place + 4..<place + 8].contains { $0 != 0 }
    }
    let path = folder.path("cut-\(count)-\(name)")
    try writeFile(path, Array(bytes[..<places[count]]))
    return path
  }

  @Test("one that is cut short is called short, or refused, wherever its sound begins")
  func cut() throws {
    try make("libmp3lame -b:a 64k")
    for name in ["early.avi", "late.avi"] {
      // Of 64 packets.
      let most = try PlayedSound(cut(name, behind: 50))
      #expect(most.warnings.count == 1, "\(name): \(most.warnings)")
      #expect(most.warnings.first?.contains("can be decoded") == true, "\(most.warnings)")
    }
    // Without empty chunks FFmpeg lowers the header's length to the bytes that are there.
    let failure = #expect(throws: Failure.self) { try PlayedSound(cut("late.avi", behind: 20)) }
    #expect(
      failure?.message
        == "its header announces 1.536 s, and 0.480 s can be decoded: less than half; copy or download "
        + "it again")
  }

  // MARK: Made by hand

  private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    Array(name.utf8) + number(body.count) + body + (body.count % 2 == 1 ? [0] : [])
  }

  private static func list(_ kind: String, _ parts: [[UInt8]], _ name: String = "LIST") -> [UInt8] {
    chunk(name, Array(kind.utf8) + parts.flatMap { $0 })
  }

  private static func number(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// The header of a stream of packets of 24 ms, or of chunks of `size` bytes.
  private static func header(_ kind: String, start: Int = 0, length: Int, size: Int = 0) -> [UInt8]
  {
    let numbers = [0, 0, 0, 0, 3, 125, start, length, 0, 0, size, 0]
    return list("strl", [chunk("strh", Array(kind.utf8) + numbers.flatMap(number))])
  }

  /// Looks for the pauses of the second stream in an AVI of two parts (OpenDML), whose sound has chunks of
  /// these sizes.
  private func find(
    _ header: [UInt8], _ sizes: [Int], _ more: [Int], behind delay: Time = .zero
  ) throws -> AVIPauses? {
    func movie(_ sizes: [Int]) -> [UInt8] {
      Self.list(
        "movi",
        sizes.map { size in
          Self.list(
            "rec ",
            [
              Self.chunk("00dc", [1, 2, 3]),
              Self.chunk("01wb", [UInt8](repeating: 1, count: size)),
            ])
        })
    }
    let heads = [
      Self.chunk("avih", [UInt8](repeating: 0, count: 56)), Self.header("pads", length: 9),
      Self.header("vids", length: 9), header,
    ]
    let bytes =
      Self.list("AVI ", [Self.list("hdrl", heads), movie(sizes), Self.chunk("idx1", [0])], "RIFF")
      + Self.list("AVIX", [movie(more)], "RIFF")
    try writeFile(folder.path("a.avi"), bytes)
    return try AVIPauses.find(
      ofStream: 1, atRate: 48_000, behind: delay,
      in: MediumBytes(.file(FilePath(folder.path("a.avi")))))
  }

  @Test("pauses are found in all parts of a file, and those at its ends are none of its sound")
  func parts() throws {
    let found = try #require(
      try find(Self.header("auds", start: 2, length: 12), [0, 5, 0, 0, 4, 0], [0, 6, 7, 0, 0]))
    // Three before the sound, behind the two of the header.
    #expect(found.start == Time(value: 5 * 24, timescale: 1000))
    #expect(found.gaps.map(\.frames) == [2 * 1152])
    #expect(found.announced == Time(value: 7 * 24, timescale: 1000))
    // Two chunks, and three, may be there for pictures that are decoded ahead.
    for (delay, chunks) in [(33, 5), (49, 2), (200, 2)] {
      let moved = try find(
        Self.header("auds", start: 2, length: 12), [0, 5, 0, 0, 4, 0], [0, 6, 7, 0, 0],
        behind: Time(value: Int64(delay), timescale: 1000))
      #expect(moved?.start == Time(value: Int64(chunks) * 24, timescale: 1000), "\(delay)")
    }
    let place = try #require(found.gaps.first?.start.place)
    let bytes = try readFile(folder.path("a.avi"))
    #expect(bytes[Int(place) - 8..<Int(place)].elementsEqual(Array("01wb".utf8) + [6, 0, 0, 0]))
  }

  @Test("chunks that the header does not count, and those of a common size, are no pauses")
  func none() throws {
    let sizes = [5, 0, 4, 0, 6]
    #expect(try find(Self.header("auds", length: 5), sizes, []) != nil)
    #expect(try find(Self.header("auds", length: 3), sizes, []) == nil)
    #expect(try find(Self.header("auds", length: 5, size: 4), sizes, []) == nil)
    #expect(try find(Self.header("auds", length: 5), [5, 4, 6], []) == nil)
  }
}
