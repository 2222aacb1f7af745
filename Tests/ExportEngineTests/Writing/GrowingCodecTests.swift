import Diagnosis
import ExportGraph
import Glibc
import MediaComposition
import SystemPackage
import Tagging
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Files of codecs that grow") struct GrowingCodecTests {
  let folder = TestFolder()
  private let mono = AudioFormat(sampleRate: 48_000, channelLayout: .mono)

  private func path(_ name: String) -> FilePath { FilePath(folder.path(name)) }

  /// Writes sound in steps, and settles after every tenth of a second.
  private func write(
    _ sound: ArraySlice<Float>, to writer: GrowingWriter, in step: Int = 777
  ) throws(Failure) {
    let block = AudioBuffer(channelCount: 1, capacity: step)
    let sound = Array(sound)
    var (done, settled) = (0, 0)
    while done < sound.count {
      let count = min(step, sound.count - done)
      block.fill([sound], from: done, count: count)
      block.frameCount = count
      try writer.write(block)
      done += count
      guard done - settled >= 4800 else { continue }
      settled = done
      try writer.settle()
    }
  }

  private func decoded(_ name: String) throws -> [Float] {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", folder.path(name), "-f", "f32le", "-"
    ).floats
  }

  /// The length by avjob's own reader.
  private func length(_ name: String) throws -> Int64 {
    try MediaLibrary().asset(at: path(name)).duration.frames(atRate: 48_000)
  }

  @Test(
    "what was settled of a codec plays in its place, at its length, and so does the whole",
    arguments: [
      ("a.m4a", Output.Format.m4a(bitRate: 96_000)), ("b.m4a", .alac(bitDepth: 24)),
      ("a.opus", .opus(bitRate: 64_000)), ("a.ogg", .vorbis(.standard)),
    ])
  func settled(name: String, format: Output.Format) throws {
    let sound = Signal.glide(sampleRate: 48_000, count: 150_001)
    let writer = try GrowingTarget(
      at: path(name), as: format, mono, isDithered: false, replacing: false
    ).begin()
    try write(sound[..<120_000], to: writer)
    // As a process that is killed leaves it.
    try Tool.succeed("cp", folder.path(name), folder.path("killed-\(name)"))
    let settled = writer.settledFrames
    #expect(settled > 120_000 - 24_000 - 4 * 4096 && settled <= 120_000)
    let killed = try decoded("killed-\(name)")
    #expect(Int64(killed.count) == settled)
    #expect(try length("killed-\(name)") == settled)
    #expect(Signal.correlation(killed, sound.prefix(killed.count)) > 0.99)
    try write(sound[120_000...], to: writer)
    let written = try writer.finish()
    try writer.commit()
    #expect(written.frameCount == 150_001)
    #expect(writer.settledFrames == 150_001)
    let whole = try decoded(name)
    // FFmpeg 5.1 decodes the last packet of AAC as a whole, whoever has written the file.
    let isAAC = format.kind == .aac
    #expect(isAAC ? 150_001..<151_025 ~= whole.count : whole.count == 150_001)
    #expect(try length(name) == 150_001)
    #expect(Signal.correlation(whole.prefix(150_001), sound) > 0.99)
    if format.kind == .alac {
      let isExact = zip(whole, sound).allSatisfy { abs($0 - $1) <= 1 / 8_388_608 }
      #expect(isExact)
    }
    if name == "a.opus" {
      try Tool.succeed("opusdec", "--quiet", folder.path(name), folder.path("opus.wav"))
      #expect(try length("opus.wav") == 150_001)
    }
  }

  /// The names of a file's outermost atoms.
  private func atoms(_ name: String) throws -> [String] {
    var bytes = try readFile(folder.path(name))[...]
    var names: [String] = []
    while let head = AtomHead(bytes, space: Int64(bytes.count)) {
      names.append(head.name)
      bytes = bytes.dropFirst(Int(head.size))
    }
    return names
  }

  @Test(
    "an M4A has fragments while it grows, and at the end one index, and is FFmpeg's to the sample")
  func index() throws {
    let sound = Signal.glide(sampleRate: 48_000, count: 100_000)
    let writer = try GrowingTarget(
      at: path("a.m4a"), as: .m4a(bitRate: 96_000), mono, isDithered: false, replacing: false
    ).begin()
    #expect(try atoms("a.m4a") == ["ftyp", "free", "moov"])
    try write(sound[...], to: writer)
    let growing = try atoms("a.m4a")
    #expect(growing.starts(with: ["ftyp", "free", "moov", "moof", "mdat", "moof", "mdat"]))
    _ = try writer.finish()
    try writer.commit()
    #expect(try atoms("a.m4a") == ["ftyp", "mdat", "moov"])
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", folder.path("a.m4a"), "-c", "copy", folder.path("copy.m4a"))
    #expect(try decoded("copy.m4a") == decoded("a.m4a"))
    let facts = try Tool.succeed(
      "ffprobe", "-v", "error", "-show_entries", "stream=duration_ts,nb_frames,start_pts", "-of",
      "csv=p=0", folder.path("a.m4a")
    ).text
    #expect(facts == "0,100000,\((100_000 + 1024 + 1023) / 1024)\n")
  }

  private func growing(
    _ name: String, _ calls: FileCalls
  ) throws -> GrowingWriter {
    let recipe = LibAVRecipe(
      wrapping: .muxer(.m4a), codec: .aac(bitRate: 96_000), sampleRate: 48_000, channelMask: 4,
      isDithered: false, firstFrame: 0, metadata: [], chapters: [])
    let file = try OutputFile.grow(at: path(name), replacing: false, calls: calls)
    return GrowingWriter(
      file, SoundTally(expectedFrames: nil, channelCount: 1),
      try LibAVEncoding.growing(file, recipe), sampleRate: 48_000)
  }

  @Test(
    "a full disk leaves an M4A's whole fragments, and they can be played",
    arguments: [12_000, 20_000, 30_001] as [Int64])
  func fullDisk(limit: Int64) throws {
    let calls = FileCalls.disk(of: limit)
    let writer = try growing("a.m4a", calls)
    let sound = Signal.noise(seed: 4, count: 480_000)
    #expect { try write(sound[...], to: writer) } throws: { error in
      (error as? Failure)?.remedy == .mendMachine
    }
    let whole = try atoms("a.m4a")
    #expect(whole.last == "mdat")
    #expect(Int64(try decoded("a.m4a").count) == writer.settledFrames)
    #expect(writer.settledFrames > 0)
  }

  @Test("a disk that does not answer at the end leaves an M4A of fragments, which can be played")
  func brokenEnd() throws {
    let calls = FileCalls(waitForDisk: { _ in
      errno = EIO
      return -1
    })
    let writer = try growing("a.m4a", calls)
    try write(Signal.glide(sampleRate: 48_000, count: 100_000)[...], to: writer)
    let settled = writer.settledFrames
    #expect(throws: Failure.self) { try writer.finish() }
    #expect(try atoms("a.m4a").last == "mdat")
    #expect(Int64(try decoded("a.m4a").count) == settled)
  }

  @Test("places behind 4 GiB have 64 bits in the index of an M4A, and others 32")
  func farPlaces() {
    for (place, name) in [(Int64(5_000_000_000), "co64"), (40, "stco")] {
      var movie = SoundMovie(
        .aac(configuration: [0x11, 0x88], bitRate: 64_000), sampleRate: 48_000, channelCount: 1,
        frameLength: 1024, delay: 1024)
      movie.append([(100, 1024), (90, 1024)], at: place)
      let index = movie.index(isOpen: false)
      let hasTable = index.indices.contains { index[$0...].starts(with: name.utf8) }
      #expect(hasTable, "\(name)")
    }
  }

  @Test("what does not grow is refused by name, with what to record instead")
  func refusals() throws {
    func refusal(_ name: String, _ format: Output.Format) -> String {
      do {
        _ = try GrowingTarget(
          at: path(name), as: format, mono, isDithered: false, replacing: false)
        return ""
      } catch {
        return error.message
      }
    }
    let end =
      " is not recorded, since such a file cannot be played before it is whole; record WAV, FLAC, "
      + "MP3, M4A, Opus or Ogg, and convert it afterwards"
    #expect(refusal("a.aiff", .aiff(.int16)) == "AIFF" + end)
    #expect(refusal("a.mp4", .m4a(bitRate: 96_000)) == "MP4" + end)
    #expect(refusal("a.caf", .m4a(bitRate: 96_000)) == "CAF" + end)
    #expect(
      refusal("a.aac", .m4a(bitRate: 96_000))
        == "ADTS is not recorded; record WAV, FLAC, MP3, M4A, Opus or Ogg, and convert it afterwards"
    )
    #expect(
      refusal("a.m4a", .fdkAAC(FDKAACSettings(.bitRate(96_000))))
        == "libfdk-aac is not used for recordings; record AAC without 'encoder: fdk'")
  }
}
