import Diagnosis
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

@Suite("The index of a movie, moved in front of the media") struct MovieIndexPlaceTests {
  private let folder = TestFolder()

  private func word(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private func atom(_ name: String, _ body: [UInt8]) -> [UInt8] {
    word(body.count + 8) + Array(name.utf8) + body
  }

  /// An index with one place in the file.
  private func index(_ place: Int) -> [UInt8] {
    ["stbl", "minf", "mdia", "trak", "moov"].reduce(
      atom("stco", [0, 0, 0, 0, 0, 0, 0, 1] + word(place))
    ) { atom($1, $0) }
  }

  private var type: [UInt8] { atom("ftyp", Array("isom".utf8)) }
  /// More than are moved at once.
  private var media: [UInt8] {
    atom("free", []) + atom("mdat", (0..<9_000_001).map { UInt8(truncatingIfNeeded: $0 / 7) })
  }

  private func file(_ bytes: [UInt8]) throws -> OutputFile {
    let file = try OutputFile.create(at: FilePath(folder.path("a.mp4")))
    try file.put(bytes, at: 0)
    return file
  }

  @Test("the media lie behind it, unchanged, where it says")
  func moved() throws {
    let (type, media) = (type, media)
    let file = try file(type + media + index(28))
    try file.moveIndexToFront(unless: CancellationFlag())
    let size = index(28).count
    let found = try file.bytes(at: 0, count: Int(file.size))
    #expect(found.elementsEqual(type + index(28 + size) + media))
  }

  @Test("a file without an index at its end is refused, and a job that was cancelled moves nothing")
  func refused() throws {
    let media = atom("mdat", [1, 2, 3])
    let without = try file(type + index(28) + media)
    #expect(throws: Failure.self) {
      try without.moveIndexToFront(unless: CancellationFlag())
    }
    let bytes = type + media + index(28)
    let whole = try file(bytes)
    let cancellation = CancellationFlag()
    cancellation.cancel()
    #expect(throws: Failure.self) { try whole.moveIndexToFront(unless: cancellation) }
    #expect(try whole.bytes(at: 0, count: bytes.count) == bytes)
  }
}
