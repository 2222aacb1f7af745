import TestSupport
import Testing

@testable import Tagging

/// Bytes that no honest writer made: each reader ends, within its bounds.
@Suite("Hostile chunks") struct HostileChunkTests {
  /// Everything that reads chunks, on the same bytes; and writes what it read.
  private func readAll(_ bytes: [UInt8], isBigEndian: Bool) {
    var defects: [ChunkDefect] = []
    if let value = BroadcastExtension(bytes, isBigEndian: isBigEndian, defects: &defects) {
      #expect(value.bytes().count >= 602)
    }
    let cues = CuePoints(
      cue: bytes, lists: [bytes, Array("adtl".utf8) + bytes], isBigEndian: isBigEndian,
      defects: &defects)
    #expect(cues.cues.count <= bytes.count / 24)
    _ = (cues.cueBytes(), cues.listBytes())
    _ = InfoList(Array("INFO".utf8) + bytes, isBigEndian: isBigEndian, defects: &defects)?.bytes()
    _ = SamplerChunk(bytes, isBigEndian: isBigEndian, defects: &defects)?.bytes()
    _ = InstrumentChunk(bytes, defects: &defects)?.bytes
    _ = CartChunk(bytes, isBigEndian: isBigEndian, defects: &defects)?.bytes()
    let aiff = AIFFMarkers(marks: bytes, comments: bytes, instrument: bytes, defects: &defects)
    _ = (aiff.markBytes, aiff.commentBytes, aiff.instrumentBytes, aiff.losses)
    let caf = CAFMarkers(marks: bytes, strings: bytes, defects: &defects)
    _ = (caf.markBytes, caf.stringBytes)
    let regions = CAFRegions(bytes, strings: bytes, defects: &defects)
    #expect(regions.regions.count <= bytes.count / 12)
    _ = (regions.bytes, regions.regions.map(\.samplerLoop))
    if let instrument = CAFInstrument(bytes, defects: &defects) {
      _ = (instrument.bytes, instrument.playing, instrument.sampler)
    }
    var text = IXML(bytes, defects: &defects)
    text.setTimestamp(.max)
    text.moveSyncPoints { frame, _ in frame }
    _ = CueSheetBlock(bytes, defects: &defects)?.bytes
    let file = ForeignBlocks(file: Int64(bytes.count), defects: &defects) {
      Array(bytes.dropFirst(Int(clamping: $0)).prefix($1))
    }
    #expect((file?.front.count ?? 0) + (file?.back.count ?? 0) <= bytes.count)
    for name in ["riff", "aiff", "w64 "] {
      _ = ForeignBlocks(applications: [Array(name.utf8) + bytes], defects: &defects)
    }
    #expect(defects.count <= ChunkLimits.defects && defects.allSatisfy { !$0.description.isEmpty })
  }

  @Test("random bytes, of any length, trap no reader")
  func random() {
    var dice = Dice(404)
    for round in 0..<300 {
      let bytes = dice.bytes(round < 64 ? round : Int(dice.number(0..<3000)))
      readAll(bytes, isBigEndian: dice.bit())
    }
    for count in [0, 1, 76, 700, 2100] {
      readAll([UInt8](repeating: 0xFF, count: count), isBigEndian: false)
      readAll(Field.zeros(count), isBigEndian: true)
    }
  }

  @Test("chunks that were written, and have bytes changed or lost, trap no reader")
  func mutated() {
    var dice = Dice(405)
    var broadcast = BroadcastExtension()
    broadcast.codingHistory = "A=PCM\r\n"
    let cues = CuePoints([.init(id: 1, frame: 2, label: "a", note: "b", length: 3)])
    var aiff = AIFFMarkers()
    aiff.markers = [.init(id: 1, frame: 2, name: "a"), .init(id: 2, frame: 3, name: "bc")]
    let caf = CAFMarkers([.init(frame: 1, id: 1, name: "a"), .init(frame: 2, id: 2, name: "b")])
    let sound = ChunkWalk.Layout.riff.chunk("data", [1, 2, 3]) ?? []
    let file = Field.all(
      Field.name("RF64"), Field.little(90), Field.name("WAVE"),
      ChunkWalk.Layout.riff.chunk("ds64", Field.zeros(28)) ?? [], sound, sound)
    let text =
      "<a><SPEED><TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO>1</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO>"
    let seeds = [
      broadcast.bytes(), cues.cueBytes() ?? [], cues.listBytes() ?? [], aiff.markBytes ?? [],
      caf.markBytes ?? [], caf.stringBytes ?? [], CartChunk().bytes(), CueSheetBlock().bytes, file,
      Array((text + "</SPEED></a>").utf8), SamplerChunk().bytes(),
    ]
    for seed in seeds {
      for _ in 0..<40 {
        var bytes = seed
        for _ in 0..<dice.number(1..<6) where !bytes.isEmpty {
          bytes[Int(dice.number(0..<Int64(bytes.count)))] = UInt8(truncatingIfNeeded: dice.next())
        }
        if dice.bit() { bytes.removeLast(Int(dice.number(0..<Int64(bytes.count + 1)))) }
        readAll(bytes, isBigEndian: dice.bit())
      }
    }
  }
}
