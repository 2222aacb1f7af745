import MPEGAudio
import TestSupport
import Testing
import Threads

@testable import LAME

/// Runs between two copies of one stream, whose frames come from a real encoder.
@Suite("Runs of encoded frames between copied ones")
struct RunEncoderTests {
  /// A stream with a gap, which a run fills with the same sound.
  private struct Gap {
    let sound: [[Float]]
    let setup: EncoderSetup
    let frames: [UnpackedFrame]
    let layout: CopyLayout
    let run: Range<Int>
    var neighbours = RunEncoder.Neighbours()

    /// A gap of `count` frames.
    init(_ text: String, _ count: Int, _ sound: [[Float]]) throws {
      self.sound = sound
      setup = try EncoderSetup(
        MP3Settings(parsing: text), sampleRate: 44_100, channelCount: 2)
      frames = try serial(sound, setup)
      let (length, skip) = (
        Int64(sound[0].count), Int64(CopyLayout.Grid.mp3(samplesPerFrame: 1152).encoderSkip)
      )
      let (end, start) = (Int64(60 * 1152), Int64((60 + count) * 1152) - skip)
      layout = CopyLayout(
        [
          .init(frames: 0..<end, start: skip),
          .init(frames: start..<length, start: start + skip),
        ], length: length, on: .mp3(samplesPerFrame: 1152))
      run = try #require(layout.encoded.first)
      try #require(
        layout.encoded.count == 1 && run.count == count && layout.copies[1].first == run.upperBound)
      for distance in 0..<RunEncoder.reach {
        neighbours.before.append(frames[run.lowerBound - 1 - distance].slopes.isShortAtEnd)
        let next = frames[run.upperBound + distance + 1].mainDataBegin
        neighbours.behind.append((frames[run.upperBound + distance], next))
      }
    }

    /// All frames of the stream with the run, and the run's encoder.
    func filled(_ seams: SeamSetups? = nil) throws -> ([UnpackedFrame], RunEncoder) {
      let encoder = try RunEncoder(
        run, in: layout, setup, between: neighbours, crew: Crew(),
        seams: seams ?? SeamSetups(like: setup))
      for first in stride(from: 0, to: sound[0].count, by: 4096) {
        let block = first..<min(first + 4096, sound[0].count)
        try withPlanes(sound.map { Array($0[block]) }) {
          try encoder.add($0, Int64(block.lowerBound)..<Int64(block.upperBound))
        }
      }
      try encoder.complete()
      let (start, end) = (try #require(encoder.start), try #require(encoder.end))
      var bytes: [UInt8] = []
      var stream = FrameStream(
        .smallest(bitRateIndices: 1...14), frames[0].header, try setup.open().encoding, &bytes)
      try stream.append(frames[..<start], leaving: 0, into: &bytes)
      try encoder.finish(into: &stream, &bytes)
      // Behind the frame that the run has packed.
      #expect(
        stream.packer.reservoir >= neighbours.behind[end - run.upperBound]?.nextMainDataBegin ?? 0)
      try stream.append(frames[(end + 1)...], leaving: 0, into: &bytes)
      stream.finish(into: &bytes)
      return (try unpacked(bytes), encoder)
    }
  }

  @Test(
    "the copies around a run keep their frames, and all blocks meet",
    arguments: ["cbr 128k", "cbr 320k", "V2"],
    [2, RunEncoder.shortest, RunEncoder.shortest + 1, RunEncoder.shortest + 40])
  func meets(_ text: String, count: Int) throws {
    for name in ["music", "speech"] {
      let sound = try Material.named(name).map { Array($0.prefix(150 * 1152)) }
      let gap = try Gap(text, count, sound)
      let (all, encoder) = try gap.filled()
      let (start, end) = (try #require(encoder.start), try #require(encoder.end))
      #expect(gap.run.lowerBound - RunEncoder.reach..<gap.run.lowerBound + 1 ~= start)
      #expect(gap.run.upperBound..<gap.run.upperBound + RunEncoder.reach ~= end)
      #expect(all.count == gap.frames.count)
      for number in Array(0..<start) + Array(end..<all.count) {
        #expect(all[number].hasSameSound(as: gap.frames[number]), "\(number)")
      }
      for (before, next) in zip(all, all.dropFirst()) {
        #expect(before.slopes.isShortAtEnd == next.slopes.isShortAtStart)
      }
    }
  }

  @Test("runs of one stream prove their settings once")
  func setups() throws {
    let sound = try Material.named("music").map { Array($0.prefix(150 * 1152)) }
    let gap = try Gap("cbr 128k", 2, sound)
    let seams = SeamSetups(like: gap.setup)
    let first = try gap.filled(seams).0
    let proven = seams.proven
    #expect(!proven.isEmpty)
    #expect(try gap.filled(seams).0 == first && seams.proven == proven)
  }

  /// A frame of joint stereo whose granules are all of one block type.
  private func frame(mainDataLength: Int = 0, blockType: Int = 0) throws -> UnpackedFrame {
    var side = [UInt8](repeating: 0, count: 32)
    func put(_ value: Int, _ width: Int, at position: Int) {
      for bit in 0..<width where value >> (width - 1 - bit) & 1 == 1 {
        side[(position + bit) / 8] |= 0x80 >> UInt8((position + bit) % 8)
      }
    }
    for granule in 0..<4 {
      put(mainDataLength * 2, 12, at: 20 + 59 * granule)
      if blockType != 0 { put(4 | blockType, 3, at: 53 + 59 * granule) }
    }
    let slot = [UInt8](repeating: 0, count: 417 - 36)
    let before = [UInt8](repeating: 0, count: mainDataLength)
    return try #require(
      UnpackedFrame(([0xFF, 0xFB, 0x90, 0x64] + side + slot)[...], after: before[...]))
  }

  @Test("a frame that leaves no room for the one behind it, as damage does, is passed over")
  func damaged() throws {
    let sound = try Material.named("speech").map { Array($0.prefix(150 * 1152)) }
    var gap = try Gap("cbr 128k", 2, sound)
    let heavy = try frame(mainDataLength: 1100)
    gap.neighbours.behind[0] = (heavy, 511)
    #expect(try #require(gap.filled().1.end) > gap.run.upperBound)
    // Where all are damaged, the first one falls silent.
    gap.neighbours.behind = gap.neighbours.behind.map { _ in (heavy, 511) }
    gap.neighbours.behind[0] = nil
    let (all, encoder) = try gap.filled()
    #expect(encoder.end == gap.run.upperBound + 1)
    #expect(all[gap.run.upperBound + 1].mainDataLength == 0)
    #expect(all.count == gap.frames.count)
  }

  @Test("neighbours whose blocks no encoder meets end no run early or late")
  func fallback() throws {
    let silence = [[Float]](repeating: [Float](repeating: 0, count: 150 * 1152), count: 2)
    var gap = try Gap("V2", 3, silence)
    let short = try frame(blockType: 2)
    gap.neighbours.before = gap.neighbours.before.map { _ in [true, true] }
    gap.neighbours.behind = gap.neighbours.behind.map { _ in (short, 0) }
    gap.neighbours.behind[0] = nil
    let (all, encoder) = try gap.filled()
    #expect(encoder.start == gap.run.lowerBound && encoder.end == gap.run.upperBound + 1)
    #expect(all.count == gap.frames.count)
    #expect(all[gap.run.upperBound + 1].hasSameSound(as: short))
  }
}
