import TestSupport
import Testing

@testable import Tagging

@Suite("Regions and instruments of CAF") struct CAFRegionsTests {
  private typealias Marker = CAFMarkers.Marker
  private typealias Region = CAFRegions.Region

  private func mark(_ type: String, _ frame: Double, _ id: UInt64) -> [UInt8] {
    Field.all(
      Field.name(type), Field.big(frame.bitPattern, 8), Field.big(id),
      [UInt8](repeating: 0xFF, count: 8), Field.zeros(4))
  }

  @Test("a region and an instrument are written as Apple's specification has them")
  func literal() {
    let bytes = Field.all(
      Field.big(0), Field.big(1), Field.big(5), Field.big(3), Field.big(2),
      mark("rbeg", 100, 9), mark("rend", 300, 9))
    var defects: [ChunkDefect] = []
    let value = CAFRegions(bytes, defects: &defects)
    #expect(value.regions.first?.frames == 100..<300 && value.bytes == bytes && defects.isEmpty)
    #expect(value.regions.first?.samplerLoop == .init(type: 0, first: 100, last: 299))
    #expect(value.regions.first == Region(.init(first: 100, last: 299), id: 5, marker: 9))
    let instrument = Field.all(
      Field.big(UInt64(Float(60.5).bitPattern)), [10, 90, 1, 127],
      Field.big(UInt64(Float(-6).bitPattern)), Field.zeros(4), Field.big(5), Field.zeros(8))
    let playing = CAFInstrument(instrument, defects: &defects)
    #expect(playing?.bytes == instrument && playing?.sustain == 5 && defects.isEmpty)
    #expect(playing?.sampler.unityNote == 60 && playing?.sampler.pitchFraction == 1 << 31)
    #expect(playing?.playing.gain == -6 && playing?.playing.lowNote == 10)
  }

  @Test("counts that lie, places that are none and a note beyond all keys are named")
  func broken() {
    var defects: [ChunkDefect] = []
    let bytes = Field.all(
      Field.big(0), Field.big(1_000_000), Field.big(1), Field.big(1), Field.big(0xFFFF_FFFF),
      mark("rbeg", .nan, 1), mark("rend", 5, 1))
    let value = CAFRegions(bytes, defects: &defects)
    #expect(value.regions.count == 1 && value.regions.first?.samplerLoop == nil)
    #expect(
      defects.map(\.problem) == [
        .overstated(announced: 0xFFFF_FFFF, found: 2), .badValue(field: "position"),
        .overstated(announced: 1_000_000, found: 1),
      ])
    defects = []
    let note = Field.big(UInt64(Float.infinity.bitPattern)) + Field.zeros(24)
    #expect(
      CAFInstrument(note, defects: &defects) == nil && CAFInstrument([], defects: &defects) == nil)
    #expect(
      defects.map(\.problem) == [.badValue(field: "base note"), .unreadable(has: 0, needs: 28)])
    // A loop past the frames that samplers count.
    let far = [Marker(frame: 1 << 32, id: 0), Marker(frame: 1 << 33, id: 0)]
    #expect(Region(id: 1, flags: 1, markers: far).samplerLoop == nil)
  }

  @Test("what is written reads as the same, in each direction of a loop and at each pitch")
  func roundTrips() {
    var dice = Dice(1705)
    for _ in 0..<300 {
      var regions = CAFRegions()
      var loops: [SamplerChunk.Loop] = []
      for id in 1..<UInt32(dice.number(2..<12)) {
        let first = UInt32(dice.number(0..<1 << 31))
        let loop = SamplerChunk.Loop(
          type: UInt32(dice.number(0..<3)), first: first,
          last: first + UInt32(dice.number(0..<1 << 20)))
        loops.append(loop)
        regions.regions.append(Region(loop, id: id, marker: id + 100))
      }
      var defects: [ChunkDefect] = []
      let read = CAFRegions(regions.bytes ?? [], defects: &defects)
      #expect(read == regions && read.regions.compactMap(\.samplerLoop) == loops)
      var sampler = SamplerChunk()
      // Parts that a Float holds beside the note.
      sampler.unityNote = UInt32(dice.number(0..<128))
      sampler.pitchFraction = UInt32(dice.number(0..<1 << 16)) << 16
      var playing = InstrumentChunk()
      (playing.unityNote, playing.gain) = (
        UInt8(sampler.unityNote), Int16(dice.number(0..<128)) - 64
      )
      playing.fineTune = Int8(dice.number(0..<99)) - 49
      let pitched = CAFInstrument(sampler, playing)
      #expect(CAFInstrument(pitched.bytes, defects: &defects) == pitched)
      #expect(pitched.sampler.unityNote == sampler.unityNote)
      #expect(pitched.sampler.pitchFraction == sampler.pitchFraction)
      let tuned = CAFInstrument(nil, playing).playing
      // Below the lowest and above the highest note there is none.
      if 1...126 ~= playing.unityNote { #expect(tuned == playing) }
      #expect(defects.isEmpty)
    }
  }
}
