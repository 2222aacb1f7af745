import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

@Suite("Pictures of an output for a screen") struct PictureStillsTests {
  private let stage = Stage()

  /// What an output shows of a movie.
  private func plan(_ name: String) throws -> PicturePlan {
    let asset = try stage.library.asset(at: FilePath(stage.folder.path(name)))
    var composition = Composition()
    try composition.insertTimeRange(
      TimeRange(start: .zero, duration: asset.duration), of: asset, at: .zero)
    let export = Export(
      name: "movie", composition: composition,
      outputs: [Output(path: "out.mp4", format: .m4a(bitRate: 128_000))])
    return try #require(try Graph(compiling: export).sinks[0].picture)
  }

  /// A matrix in an MP4's header of a track, the one that has a width (ISO/IEC 14496-12, 8.3.2).
  private func setMatrix(_ matrix: [Int32], of name: String, as changed: String) throws {
    var bytes = try readFile(stage.folder.path(name))
    for at in bytes.indices.dropLast(88) where bytes[at..<at + 4].elementsEqual("tkhd".utf8) {
      guard bytes[at + 80..<at + 84].contains(where: { $0 != 0 }) else { continue }
      for (index, number) in zip([0, 1, 3, 4], matrix) {
        let place = at + 44 + 4 * index
        withUnsafeBytes(of: (number << 16).bigEndian) { number in
          bytes.replaceSubrange(place..<place + 4, with: number)
        }
      }
    }
    try writeFile(stage.folder.path(changed), bytes)
  }

  @Test(
    "pictures are turned and mirrored as their matrix says",
    arguments: [
      // Where the white quarter goes that lies on the left at the top.
      ([1, 0, 0, 1], (64, 32), (0, 0)), ([-1, 0, 0, 1], (64, 32), (1, 0)),
      ([1, 0, 0, -1], (64, 32), (0, 1)), ([-1, 0, 0, -1], (64, 32), (1, 1)),
      ([0, 1, -1, 0], (32, 64), (1, 0)), ([0, -1, 1, 0], (32, 64), (0, 1)),
      ([0, 1, 1, 0], (32, 64), (0, 0)), ([0, -1, -1, 0], (32, 64), (1, 1)),
    ] as [([Int32], (Int, Int), (Int, Int))])
  func orientation(matrix: [Int32], size: (Int, Int), corner: (Int, Int)) throws {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
      "color=black:s=64x32:r=5:d=1,drawbox=w=32:h=16:c=white:t=fill", "-f", "lavfi", "-i",
      "sine=d=1",
      "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", stage.folder.path("plain.mp4"))
    try setMatrix(matrix, of: "plain.mp4", as: "turned.mp4")
    let stills = PictureStills(
      try plan("turned.mp4"), library: stage.library, unless: CancellationFlag())
    let image = try #require(try stills.image(at: .zero))
    #expect((image.width, image.height) == size)
    // The middle of each quarter.
    let bright = [(0, 0), (1, 0), (0, 1), (1, 1)].filter { quarter in
      let column = (2 * quarter.0 + 1) * image.width / 4
      let row = (2 * quarter.1 + 1) * image.height / 4
      return image.pixels[3 * (row * image.width + column)] > 128
    }
    #expect(bright.count == 1 && bright[0] == corner, "\(bright)")
  }
}
