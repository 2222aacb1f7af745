import Diagnosis
import LibAV
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

@Suite("The digest that a FLAC has of its sound")
struct FLACProofTests {
  private let folder = TestFolder()

  private func write(_ file: FLACFile, _ name: String = "a.flac") throws -> FilePath {
    try writeFile(folder.path(name), file.bytes)
    return FilePath(folder.path(name))
  }

  /// Whether `flac -t` finds a file to be as it was encoded.
  private func isFine(_ path: FilePath) throws -> Bool {
    try Tool.run(["flac", "-s", "-t", path.string]).status == 0
  }

  @Test(
    "it is that of samples of as few bytes as each needs",
    arguments: [4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 23, 24], [1, 2, 3, 8])
  func depths(bits: Int, channels: Int) throws {
    let file = try FLACFile(bits: bits, channels: channels, seed: UInt64(bits * 8 + channels))
    let path = try write(file)
    let proof = try #require(try FLACProof.prove(path))
    #expect(proof.announced == file.digest && proof.found == file.digest)
    #expect(try isFine(path))
  }

  /// What became of the frames of a file, whose checksums are right.
  enum Change: CaseIterable {
    case dropped, renumbered, exchanged, other, unannounced, cutShort
  }

  @Test(
    "frames that are missing, exchanged or others are found, as 'flac -t' finds them",
    arguments: Change.allCases, [1, 2, 3] as [UInt64])
  func changes(change: Change, seed: UInt64) throws {
    var file = try FLACFile(bits: 16, channels: 2, seed: seed)
    var dice = Dice(seed)
    let place = Int(dice.number(1..<6))
    switch change {
    case .dropped: file.frames.remove(at: place)
    case .renumbered, .unannounced:
      file.frames.remove(at: place)
      for index in file.frames.indices { file.frames[index].number = index }
      file.total = change == .unannounced ? 0 : file.total - FLACFile.blockLength
    case .exchanged:
      file.frames.swapAt(place, place + 1)
      for index in file.frames.indices { file.frames[index].number = index }
    case .other: file.frames[place].channels[1][Int(dice.number(0..<1024))] ^= 1
    case .cutShort: file.frames.removeLast(place)
    }
    let path = try write(file)
    #expect(try !isFine(path))
    let proof = try #require(try FLACProof.prove(path))
    #expect(proof.announced == file.digest)
    #expect(try proof.found == file.soundDigest())
    #expect(!proof.isFulfilled)
  }

  @Test("without a total the sound is proved, and without a digest it is not")
  func unknown() throws {
    var file = try FLACFile(bits: 16, channels: 2, seed: 5)
    file.total = 0
    let path = try write(file)
    #expect(try FLACProof.prove(path)?.isFulfilled == true)
    #expect(try isFine(path))
    file.digest = [UInt8](repeating: 0, count: 16)
    file.frames.remove(at: 3)
    #expect(try FLACProof.prove(write(file)) == nil)
    try writeFile(folder.path("text"), Array("text".utf8))
    #expect(try FLACProof.prove(FilePath(folder.path("text"))) == nil)
  }

  @Test("of FLACs behind one another that is said, and what cannot be read is no file without FLAC")
  func others() throws {
    let (one, other) = try (
      FLACFile(bits: 16, channels: 1, seed: 8), FLACFile(bits: 16, channels: 1, seed: 9)
    )
    try writeFile(folder.path("two.flac"), one.bytes + other.bytes)
    let proof = try #require(try FLACProof.prove(FilePath(folder.path("two.flac"))))
    #expect(!proof.isFulfilled && proof.announced == one.digest)
    #expect(
      proof.fault == "another FLAC lies behind it in the file, which the header does not count")
    for name in ["", "none.flac"] {
      #expect(throws: Failure.self) { try FLACProof.prove(FilePath(folder.path(name))) }
    }
  }

  @Test("a proof is a part of a strict export's progress, and none where it was made before")
  func progress() throws {
    let library = MediaLibrary()
    let asset = try library.asset(at: write(FLACFile(bits: 16, channels: 2, seed: 10)))
    var track = Track()
    try track.insertTimeRange(
      TimeRange(start: .zero, duration: asset.duration), of: asset, at: .invalid)
    var output = Output(path: FilePath(folder.path("out.wav")), format: .wav(.int16))
    output.isStrict = true
    let session = ExportSession(
      Export(name: "a", composition: Composition(tracks: [track]), outputs: [output]),
      library: library)
    var shares: [Double] = []
    _ = try session.run { shares.append($0.fractionCompleted) }
    #expect(shares == shares.sorted() && shares.last == 1, "\(shares)")
    #expect(shares.count { $0 < 0.5 } > 5, "\(shares)")
    var last: ExportSession.Progress?
    _ = try session.run { last = $0 }
    #expect(last?.total == asset.duration && last?.completed == asset.duration)
  }

  @Test(
    "a sound that was proved is remembered, in the run and later ones, and one that failed is not")
  func memory() throws {
    let findings = Mutex<[String: [UInt8]]>([:])
    func library() -> MediaLibrary {
      let memory = RememberedAnalyses { digest in
        findings.withLock { $0[digest] }
      } keep: { digest, finding in
        findings.withLock { $0[digest] = finding }
      }
      return MediaLibrary(
        recalling: nil, probing: nil, verifiesAssets: false, remembering: memory)
    }
    var file = try FLACFile(bits: 16, channels: 1, seed: 6)
    let first = library()
    let whole = try first.asset(at: write(file))
    #expect(try first.doubt(ofDigestIn: whole, by: Crew()) == nil)
    file.frames.remove(at: 3)
    let damaged = try first.asset(at: write(file, "b.flac"))
    let doubt = try #require(try first.doubt(ofDigestIn: damaged, by: Crew()))
    #expect(try doubt.message.contains(file.soundDigest().hexadecimal))
    #expect(doubt.message.contains(file.digest.hexadecimal))
    #expect(findings.withLock { $0.count } == 1)
    // What is known needs no file.
    try Tool.succeed("rm", folder.path("a.flac"), folder.path("b.flac"))
    for library in [first, library()] {
      #expect(try library.doubt(ofDigestIn: whole, by: Crew()) == nil)
      #expect(throws: Failure.self) { try library.doubt(ofDigestIn: damaged, by: Crew()) }
    }
  }

  @Test("taking a digest ends where it is cancelled, and nothing is remembered")
  func cancelled() throws {
    let library = MediaLibrary()
    let asset = try library.asset(at: write(FLACFile(bits: 16, channels: 1, seed: 7)))
    let crew = Crew()
    crew.cancellation.cancel()
    #expect(throws: CancellationError.self) { try library.doubt(ofDigestIn: asset, by: crew) }
    #expect(library.provenSounds.withLock { $0.isEmpty })
  }
}
