import TestSupport
import Testing

@testable import VideoBitstream

@Suite struct HostileBitsTests {
  /// Gives bytes to every parser and rewriter; what is accepted must be written again.
  static func readAll(_ bytes: [UInt8]) throws {
    if let record = try? AVCConfiguration(bytes) {
      #expect(try AVCConfiguration(try record.bytes()) == record)
      _ = try? record.parameterSets()
    }
    if let record = try? HEVCConfiguration(bytes) {
      #expect(try HEVCConfiguration(try record.bytes()) == record)
    }
    for size in 1...4 { _ = try? NALFraming.lengths(bytes: size).units(of: bytes[...]) }
    let units = try NALFraming.startCodes.units(of: bytes[...])
    _ = try? H264.AccessUnitSummary(units)
    _ = HEVC.brokenLink(units)
    if let record = try? HEVCConfiguration(HEVC.ParameterSets(units)) { _ = try record.bytes() }
    for unit in units {
      _ = try? HEVC.SequenceParameterSet(unit)
      _ = try? HEVC.VideoParameterSet(unit)
      _ = try? H264.SequenceParameterSet(unit)
      _ = try? H264.PictureParameterSet.unit(unit, id: 255, sequenceID: 31)
      _ = try? SupplementalMessage.messages(of: unit)
    }
    try rewriteAll(units)
    rewriteRuns(units)
  }

  /// Sets of HEVC get ids that are not used, or are refused; slices are moved by one byte, or refused.
  private static func rewriteRuns(_ units: [ArraySlice<UInt8>]) {
    let sets = HEVC.ParameterSets(units)
    guard let rewriter = try? HEVC.EncodedRunRewriter(encoder: sets, source: sets) else { return }
    #expect((try? HEVC.EncodedRunRewriter(encoder: sets, source: rewriter.sets)) != nil)
    for unit in units {
      // Before a 3 at the end stand zeros, perhaps one, which a payload cannot end with.
      guard HEVC.type(of: unit)?.isSlice == true, unit.last != 3,
        let rewritten = try? rewriter.rewrite([unit]).first
      else { continue }
      let (old, new) = (Array(UnescapedBytes(unit)), Array(UnescapedBytes(rewritten[...])))
      #expect(new.count == old.count + 1 && new.dropFirst(4).elementsEqual(old.dropFirst(3)))
    }
  }

  private static func rewriteAll(_ units: [ArraySlice<UInt8>]) throws {
    guard let configuration = try? AVCConfiguration(units: units),
      let sets = try? configuration.parameterSets()
    else { return }
    for unit in units {
      guard let slice = try? H264.Slice(unit, in: sets),
        let picture = try? sets.picture(slice.header.pictureParameterSetID),
        let written = try? slice.unit(with: slice.header, sets.sequence, picture)
      else { continue }
      #expect(try H264.Slice(written[...], in: sets).header == slice.header)
    }
    let pictures = Pictures.accessUnits(units.filter { $0.count > 1 })
    for entry in [0, pictures.count / 2] {
      var rewriter = try? H264.OpenGOPRewriter(sets, idrPictureID: 65_535)
      for picture in pictures.dropFirst(entry) { _ = try? rewriter?.rewrite(picture) }
    }
    var rewriter = try? H264.EncodedRunRewriter(
      encoder: configuration, source: configuration, idrPictureID: 0)
    for picture in pictures { _ = try? rewriter?.rewrite(picture) }
  }

  @Test("Any bytes are read or refused")
  func noise() throws {
    var dice = Dice(5)
    for _ in 0..<20_000 {
      let count = Int(dice.number(0..<80))
      var bytes = dice.bytes(count)
      // Half of them begin as units that have a parser.
      let headers: [UInt8] = [0x67, 0x68, 0x65, 0x41, 0x06, 0x40, 0x42]
      if let header = headers.randomElement(using: &dice) { bytes = [0, 0, 1, header] + bytes }
      try Self.readAll(bytes)
    }
  }

  @Test("Streams with a few wrong bits are read or refused, and rewritten or refused")
  func mutants() throws {
    var dice = Dice(6)
    let streams = try [
      Pictures.encode("bframes=3:ref=4:weightp=2:open-gop=1:keyint=12:slices=2", frames: 30),
      Pictures.encode(
        "bframes=0:ref=2:cabac=0:nal-hrd=vbr:vbv-maxrate=90:vbv-bufsize=90", frames: 20),
      Pictures.encode("bframes=3", frames: 10, codec: "hevc"),
    ].map { units in
      try NALFraming.startCodes.packet(of: units.map { $0.prefix(60) })
    }
    for round in 0..<1500 {
      var bytes = streams[round % streams.count]
      for _ in 0..<dice.number(1..<6) {
        // Most fall on parameter sets, which begin the stream.
        let end = dice.number(0..<2) == 0 ? 60 : Int64(bytes.count)
        bytes[Int(dice.number(0..<end))] ^= 1 << UInt8(dice.number(0..<8))
      }
      try Self.readAll(bytes)
    }
  }
}
