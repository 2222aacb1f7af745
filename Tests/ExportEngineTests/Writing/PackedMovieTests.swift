import Diagnosis
import LibAV
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

@Suite("Packets of M4A that are copied in blocks")
struct PackedMovieTests {
  private let folder = TestFolder()
  private let library = MediaLibrary(recalling: nil, probing: nil, verifiesAssets: false)

  /// AAC of so many packets of sound.
  private func source(_ count: Int, seed: UInt64 = 1) throws -> Asset {
    let path = folder.path("\(seed).m4a")
    let noise = Signal.noise(seed: seed, count: count * 1024, amplitude: 0.2)
    let bursts = noise.enumerated().map { $1 * ($0 / 30_011 % 3 == 0 ? 1 : 0.01) }
    try writeSound([bursts], to: path, .m4a(bitRate: 64_000), sampleRate: 44_100)
    return try library.asset(at: FilePath(path))
  }

  private func contents(_ packet: Packet) -> [UInt8] { packet.withBytes { Array($0) } }

  @Test("packets that are read in blocks are those that are read one by one, wherever they begin")
  func blocks() throws {
    let asset = try source(2600)
    let flag = CancellationFlag()
    let single = try library.openPackets(of: asset, unless: flag)
    var all = try single.begin(0..<asset.frameCount)
    while let next = try single.next() { all.append(next) }
    #expect(all.count == 2601)
    var dice = Dice(44)
    for _ in 0..<40 {
      let packets = try library.openPackets(of: asset, unless: flag)
      let first = dice.number(0..<asset.frameCount - 90 * 1024)
      var found = try packets.begin(first..<asset.frameCount).map {
        ($0.frames, contents($0.packet))
      }
      let start = try #require(found.last).0.upperBound
      let end = dice.number(start..<asset.frameCount + 1024)
      try packets.readBlocks(to: end) { block in
        var (place, bytes) = (block.start, contents(block.joined)[...])
        for size in block.sizes {
          found.append((place..<place + 1024, Array(bytes.prefix(Int(size)))))
          (place, bytes) = (place + 1024, bytes.dropFirst(Int(size)))
        }
        #expect(bytes.isEmpty && place == block.end && block.sizes.count <= 1024)
      }
      #expect(found.last.map { $0.0.upperBound <= max(end, start) } == true)
      // All that end there are read, but for the last of the file, which none follows.
      let reached = try #require(found.last).0.upperBound
      #expect(end - reached < 1024 || reached == all[all.count - 1].frames.lowerBound)
      for _ in 0..<3 {
        if let next = try packets.next() { found.append((next.frames, contents(next.packet))) }
      }
      let wanted = all.drop { $0.frames != found.first?.0 }.prefix(found.count)
      #expect(wanted.count == found.count)
      #expect(zip(wanted, found).allSatisfy { $0.frames == $1.0 && contents($0.packet) == $1.1 })
    }
  }

  /// A copy of the sound of some clips, one behind the other.
  private func join(
    _ clips: [(Asset, Range<Int64>)], as name: String = "join.m4b",
    metadata: Metadata = Metadata(), threads: Int? = nil
  ) throws -> (path: String, report: ExportSession.Report) {
    let path = folder.path(name)
    var at = Int64(0)
    let segments = clips.map { asset, packets in
      defer { at += Int64(packets.count) * 1024 }
      return Segment(
        .asset(asset),
        source: TimeRange(
          start: Time(frames: packets.lowerBound * 1024, rate: 44_100),
          end: Time(frames: packets.upperBound * 1024, rate: 44_100)),
        at: Time(frames: at, rate: 44_100))
    }
    var output = Output(path: FilePath(path), request: .copied(.aac))
    output.copying = Output.Copying()
    output.metadata = metadata
    let session = ExportSession(
      Export(
        name: "join", composition: Composition(tracks: [Track(segments: segments)]),
        outputs: [output]), library: library)
    return (path, try session.run(budget: threads.map { CPUBudget(total: $0) }))
  }

  /// When ffmpeg has each packet begin, how long it lasts, and what is in it.
  private func listed(_ path: String) throws -> [[Substring]] {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", path, "-map", "0:a:0", "-c", "copy", "-f", "framemd5", "-"
    ).text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let fields = line.split { $0 == "," || $0 == " " }
      return [fields[2], fields[3], fields[5]]
    }
  }

  @Test("a whole copy has the packets of its source, at their times, with tags and chapters")
  func whole() throws {
    let asset = try source(2600)
    var metadata = Metadata()
    metadata["title"] = "Wüste"
    let (path, report) = try join([(asset, 0..<2600)], metadata: metadata)
    let (own, copied) = (try listed(folder.path("1.m4a")), try listed(path))
    #expect(copied.count == 2601 && own == copied)
    #expect(report.outputs[0].frameCount == 2600 * 1024)
    let title = try Tool.succeed(
      "ffprobe", "-v", "error", "-show_entries", "format_tags=title", "-of", "csv=p=0", path)
    #expect(title.text.trimmed == "Wüste")
    #expect(try decode(path) == decode(folder.path("1.m4a")))
    // A third reader of the tables.
    func facts(_ path: String) throws -> String {
      try Tool.succeed(
        "mediainfo", "--Output=Audio;%FrameCount%|%SamplingCount%|%Duration%", path
      ).text.trimmed
    }
    #expect(try facts(path) == facts(folder.path("1.m4a")))
  }

  @Test("a join has the packets of its parts, but for those around the joins, one behind the other")
  func joined() throws {
    let (one, other) = (try source(1500), try source(1400, seed: 2))
    let clips: [(Asset, Range<Int64>)] = [(one, 3..<1490), (other, 100..<1300), (one, 3..<1490)]
    let (path, report) = try join(clips)
    let copied = try listed(path)
    let lists = [try listed(folder.path("1.m4a")), try listed(folder.path("2.m4a"))]
    let count = clips.reduce(0) { $0 + $1.1.count }
    #expect(report.outputs[0].frameCount == Int64(count) * 1024)
    let times = copied.compactMap { Int64($0[0]) }
    #expect(
      times.count == copied.count && zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 1024 })
    var rest = copied.map { $0[2] }[...]
    for (number, clip) in clips.enumerated() {
      // Those that a run at a join does not replace; the first packet of a file comes before its sound.
      let wanted = lists[number % 2].map { $0[2] }[
        Int(clip.1.lowerBound) + 12..<Int(clip.1.upperBound) - 12]
      rest = rest.drop { $0 != wanted.first }
      #expect(rest.prefix(wanted.count).elementsEqual(wanted), "\(number)")
      rest = rest.dropFirst(wanted.count)
    }
    // What is repeated was decoded once, and counts twice; a packet that a run replaces does not.
    let counts = try #require(report.outputs[0].copied).compactMap(\.packetCount)
    #expect(counts.first == 1487 && (1475...1486).contains(counts.last ?? 0), "\(counts)")
  }

  @Test("a join has the same bytes on 1, 2, 3 and 8 threads")
  func threads() throws {
    let (one, other) = (try source(1500), try source(1400, seed: 2))
    let clips: [(Asset, Range<Int64>)] = [(one, 3..<1490), (other, 100..<1300), (one, 3..<1490)]
    let files = try [1, 2, 3, 8].map { (count: Int) in
      try readFile(join(clips, as: "\(count).m4b", threads: count).path)
    }
    #expect(Set(files).count == 1 && files[0].count > 100_000)
  }

  @Test("an MP4 of more packets than FFmpeg reads is refused")
  func readable() throws {
    let path = FilePath("a.m4b")
    try PacketCopyEncoding.requireReadable(67_108_846, in: .m4a, at: path)
    try PacketCopyEncoding.requireReadable(1 << 30, in: .ogg(serial: 1), at: path)
    let failure = #expect(throws: Failure.self) {
      try PacketCopyEncoding.requireReadable(67_108_848, in: .m4a, at: path)
    }
    #expect(failure?.remedy == .mendJob)
  }

  @Test("lengths of more packets than are held in memory lie in a file that goes with them")
  func lengths() throws {
    let file = try OutputFile.create(at: FilePath(folder.path("a.m4b")))
    var dice = Dice(7)
    var all: [UInt32] = []
    do {
      let lengths = PacketLengths(of: file)
      while all.count < 700_000 {
        let some = (0..<Int(dice.number(0..<4000))).map { _ in UInt32(dice.number(0..<1 << 32)) }
        try lengths.append(some)
        all += some
      }
      #expect(lengths.count == all.count)
      #expect(try files() == 2)
      try lengths.write(at: 13)
    }
    #expect(try files() == 1)
    let bytes = try file.bytes(at: 13, count: 4 * all.count + 1)
    #expect(bytes.elementsEqual(all.flatMap { n in [24, 16, 8, 0].map { UInt8(n >> $0 & 255) } }))
  }

  private func files() throws -> Int {
    try Tool.succeed("ls", "-A", folder.root).text.split(separator: "\n").count
  }
}
