import Diagnosis
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import Receipts

@Suite("What probing found, kept")
struct ProbeMemoryTests {
  private let project = Project()
  private let tools = ["avjob": "1.0"]

  private func memory(_ tools: [String: String]? = nil) -> ProbeMemory {
    ProbeMemory(in: project.state, tools: tools ?? self.tools)
  }

  private typealias Found = (key: ProbeMemory.Key, probed: ProbedAsset, isRecalled: Bool)

  private func save(_ all: [Found]) throws {
    try memory().save(all.map(\.key)) { key in
      all.first { $0.key == key }.map { ($0.probed, $0.isRecalled) }
    }
  }

  private func identity(_ number: UInt64 = 1) -> FileIdentity {
    FileIdentity(device: 9, inode: number, size: 1000, modificationTime: 5)
  }

  private func found(
    _ name: String, frames: Int64 = 10, stream: Int? = nil, isRecalled: Bool = false
  ) -> Found {
    let path = project.path(name)
    var asset = Asset(
      location: .file(path), streamIndex: stream ?? 0, container: "mp3", codec: "mp3",
      sampleRate: 44_100,
      channelLayout: .stereo, frameCount: frames, identity: identity())
    asset.metadata["title"] = "Ä\n\t\"x\""
    asset.metadata.cover = .embedded(
      EmbeddedArtwork(
        media: .file(path), place: .stream(1), format: .png, byteCount: 7, identity: identity()))
    let probed = ProbedAsset(asset, warnings: [Warning("is odd", path: path)])
    return (ProbeMemory.Key(.file(path), stream: stream), probed, isRecalled)
  }

  @Test("what was found is found again, with its tags, its cover and its warnings")
  func again() throws {
    let all = [found("a.mp3"), found("b.mp3", frames: 20), found("b.mp3", frames: 30, stream: 2)]
    try save(all)
    let kept = memory()
    for one in all { #expect(kept.find(one.key, identity()) == one.probed) }
    #expect(kept.find(ProbeMemory.Key(.file(project.path("a.mp3")), stream: 2), identity()) == nil)
    #expect(kept.find(ProbeMemory.Key(.file(project.path("c.mp3"))), identity()) == nil)
  }

  @Test("a line of a size that no source needs is neither written nor read")
  func longLines() throws {
    var long = found("long.mp3")
    long.probed.asset.metadata["lyrics"] = String(repeating: "la ", count: 400_000)
    let short = found("a.mp3")
    try save([long, short])
    #expect(memory().find(short.key, identity()) == short.probed)
    #expect(memory().find(long.key, identity()) == nil)
    #expect(try readFile(project.state.path.appending("probes").string).count < 10_000)
  }

  @Test("a device may have another number, all else of the file must be the same")
  func identities() throws {
    let one = found("a.mp3")
    try save([one])
    var other = identity()
    other.device = 4
    let recalled = try #require(memory().find(one.key, other))
    #expect(recalled == one.probed.moved(to: one.key.location, other))
    #expect(recalled.asset.identity == other)
    #expect(memory().find(one.key, identity(2)) == nil)
    other.size += 1
    #expect(memory().find(one.key, other) == nil)
    other = identity()
    other.modificationTime += 1
    #expect(memory().find(one.key, other) == nil)
  }

  @Test("what was released is read again when it is asked for, with what was saved meanwhile")
  func released() throws {
    let (one, other) = (found("a.mp3"), found("b.mp3"))
    try save([one])
    let kept = memory()
    #expect(kept.find(one.key, identity()) == one.probed)
    try save([other])
    #expect(kept.find(other.key, identity()) == nil)
    kept.release()
    #expect(kept.find(one.key, identity()) == one.probed)
    #expect(kept.find(other.key, identity()) == other.probed)
  }

  @Test("more than is written at once is found again")
  func many() throws {
    let all = (1...1000).map { found("\($0).mp3", frames: Int64($0)) }
    let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })
    try memory().save(all.map(\.key)) { key in byKey[key].map { ($0.probed, $0.isRecalled) } }
    let kept = memory()
    for one in all { #expect(kept.find(one.key, identity()) == one.probed) }
  }

  @Test("what other tools found is not asked for")
  func versions() throws {
    let one = found("a.mp3")
    try save([one])
    #expect(memory(["avjob": "1.1"]).find(one.key, identity()) == nil)
  }

  @Test("what a run did not ask for stays, what it found anew is replaced")
  func merging() throws {
    try save([found("a.mp3"), found("b.mp3")])
    try save([found("b.mp3", frames: 77), found("a.mp3", frames: 1, isRecalled: true)])
    try save([found("c.mp3")])
    let kept = memory()
    #expect(kept.find(found("a.mp3").key, identity())?.asset.frameCount == 10)
    #expect(kept.find(found("b.mp3").key, identity())?.asset.frameCount == 77)
    #expect(kept.find(found("c.mp3").key, identity())?.asset.frameCount == 10)
  }

  @Test("where nothing is new, nothing is written")
  func unchanged() throws {
    try save([found("a.mp3", isRecalled: true)])
    #expect(!FilePath(project.folder.path(".avjob/probes")).exists)
  }

  @Test("a damaged memory forgets, and never tells what was not found")
  func damage() throws {
    let all = (1...20).map { found("\($0).mp3", frames: Int64($0)) }
    try save(all)
    let path = project.folder.path(".avjob/probes")
    let bytes = try readFile(path)
    var dice = Dice(1)
    for _ in 0..<200 {
      var damaged = bytes
      for _ in 0..<dice.number(1..<6) {
        damaged[Int(dice.number(0..<Int64(bytes.count)))] = UInt8(dice.number(0..<256))
      }
      damaged.removeLast(Int(dice.number(0..<Int64(bytes.count / 2))))
      try writeFile(path, damaged)
      let kept = memory()
      for one in all {
        let recalled = kept.find(one.key, identity())
        #expect(recalled == nil || recalled == one.probed)
      }
    }
  }

  @Test("facts that no file can have are not believed, whoever wrote them")
  func implausible() throws {
    var all = [found("a.mp3", frames: -1), found("b.mp3", frames: .max)]
    var odd = found("c.mp3")
    odd.probed.asset.sampleRate = 0
    all.append(odd)
    odd = found("d.mp3")
    odd.probed.asset.channelLayout = ChannelLayout([])
    all.append(odd)
    try save(all)
    for one in all { #expect(memory().find(one.key, identity()) == nil) }
  }
}

extension FilePath {
  var exists: Bool { (try? readFile(string)) != nil }
}
