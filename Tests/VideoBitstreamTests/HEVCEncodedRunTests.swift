import TestSupport
import Testing

@testable import VideoBitstream

@Suite struct HEVCEncodedRunTests {
  /// The settings that the cut's encoder has.
  private static let cutter =
    "crf=12:bframes=0:ref=1:scenecut=0:keyint=-1:open-gop=0:weightp=0:rc-lookahead=0:"
    + "lookahead-slices=0:cutree=0:pools=none:frame-threads=1:info=0"

  private func run(
    _ more: String = "", _ options: [String] = []
  ) throws -> [ArraySlice<UInt8>] {
    try Pictures.encode(Self.cutter + more, options, frames: 8, hue: 90, codec: "hevc")
  }

  private func ids(_ sets: HEVC.ParameterSets) throws -> [UInt32] {
    var ids: [UInt32] = []
    for unit in sets.video { ids.append(try HEVC.VideoParameterSet(unit[...]).id) }
    for unit in sets.sequence {
      let set = try HEVC.SequenceParameterSet(unit[...])
      ids += [set.id, set.videoID]
    }
    for unit in sets.picture {
      let set = try HEVC.PictureParameterSet(unit[...])
      ids += [set.id, set.sequenceID]
    }
    return ids
  }

  @Test("Encoded pictures with other ids decode as before, behind one header and between others")
  func renamed() throws {
    for options in [[], ["-pix_fmt", "yuv420p10"], ["-pix_fmt", "yuv444p"]] as [[String]] {
      let source = try Pictures.encode(
        "bframes=3:keyint=10:open-gop=0", options, frames: 24, codec: "hevc")
      let encoded = try run("", options)
      let sets = HEVC.ParameterSets(source)
      let rewriter = try HEVC.EncodedRunRewriter(encoder: HEVC.ParameterSets(encoded), source: sets)
      #expect(try ids(rewriter.sets) == [1, 1, 1, 15, 1])
      var slices: [ArraySlice<UInt8>] = []
      for picture in Pictures.accessUnitsOfHEVC(encoded) {
        slices += try rewriter.rewrite(picture).map { $0[...] }
      }
      #expect(slices.allSatisfy { HEVC.type(of: $0)?.isSlice == true } && slices.count == 8)
      let header = (sets.units + rewriter.sets.units).map { $0[...] }
      let copied = source.filter { HEVC.type(of: $0)?.isSlice == true }
      let joined = try Pictures.decode(header + slices + copied + slices, codec: "hevc")
      let whole = try Pictures.decode(source, codec: "hevc").digests
      let own = try Pictures.decode(encoded, codec: "hevc").digests
      #expect(joined.complaints == "")
      #expect(own.count == 8 && joined.digests == own + whole + own)
    }
  }

  @Test("Wavefronts and several slices move by a byte, too")
  func slices() throws {
    let encoded = try Pictures.encode(
      "slices=2:bframes=0:keyint=-1:info=0:pools=2", frames: 6, codec: "hevc",
      source: "testsrc2=s=320x256:r=25")
    let sets = HEVC.ParameterSets(encoded)
    let rewriter = try HEVC.EncodedRunRewriter(encoder: sets, source: sets)
    var rewritten = rewriter.sets.units.map { $0[...] }
    for picture in Pictures.accessUnitsOfHEVC(encoded) {
      for (old, new) in zip(
        picture.filter { HEVC.type(of: $0)?.isSlice == true }, try rewriter.rewrite(picture))
      {
        #expect(Array(UnescapedBytes(new[...])).count == Array(UnescapedBytes(old)).count + 1)
        #expect(
          Array(UnescapedBytes(new[...]).dropFirst(4)) == Array(UnescapedBytes(old).dropFirst(3)))
        rewritten.append(new[...])
      }
    }
    let decoded = try Pictures.decode(rewritten, codec: "hevc")
    #expect(decoded.complaints == "")
    #expect(decoded.digests == (try Pictures.decode(encoded, codec: "hevc").digests))
  }

  @Test("An id takes nine bits in place of one, and emulation prevention is done again")
  func bits() throws {
    let encoded = HEVC.ParameterSets(try run())
    let rewriter = try HEVC.EncodedRunRewriter(encoder: encoded, source: encoded)
    // An IDR picture: two flags and the id, 1 0 1, then 00000; 15 is 0000 1000 0.
    #expect(
      try rewriter.rewrite([[0x28, 1, 0xA0, 0, 0, 3, 1, 7]])
        == [[0x28, 1, 0x82, 0, 0, 3, 0, 1, 7]])
    // Another picture: one flag.
    #expect(
      try rewriter.rewrite([[0x46, 1, 9], [0x02, 1, 0xC5, 9, 0x80]])
        == [[0x46, 1, 9], [0x02, 1, 0x84, 0x05, 9, 0x80]])
    // A buffering period names a set, and so do lists of active ones.
    #expect(
      try rewriter.rewrite([
        [0x4E, 1, 0, 1, 0x80], [0x4E, 1, 129, 1, 0x80], [0x4E, 1, 137, 1, 5, 0x80],
        [0x02, 1, 0xC5, 9, 0x80],
      ]) == [[0x4E, 1, 137, 1, 5, 0x80], [0x02, 1, 0x84, 0x05, 9, 0x80]])
  }

  @Test("What is not as x265 writes it, and a source without unused ids, is refused")
  func refusals() throws {
    let encoded = HEVC.ParameterSets(try run())
    var rewriter = try HEVC.EncodedRunRewriter(encoder: encoded, source: encoded)
    for unit in [[0x02, 1], [0x02, 1, 0xA0, 0], [0x40, 1, 9]] as [[UInt8]] {
      #expect(throws: BitstreamRefusal.self) { try rewriter.rewrite([unit[...]]) }
    }
    // The encoder has one set of each kind, with the id 0.
    #expect(throws: BitstreamRefusal.self) {
      try HEVC.EncodedRunRewriter(encoder: rewriter.sets, source: encoded)
    }
    #expect(throws: BitstreamRefusal.self) {
      try HEVC.EncodedRunRewriter(encoder: HEVC.ParameterSets([]), source: encoded)
    }
    // Each of these takes other ids; the sets of videos are used up first.
    var used = encoded.units
    for count in 1...15 {
      #expect(Set(try ids(rewriter.sets)) == [UInt32(count), UInt32(count + 14)])
      used += rewriter.sets.units
      let source = HEVC.ParameterSets(used.map { $0[...] })
      guard count < 15 else {
        #expect(throws: BitstreamRefusal.noUnusedID(.videoParameterSet)) {
          try HEVC.EncodedRunRewriter(encoder: encoded, source: source)
        }
        break
      }
      rewriter = try HEVC.EncodedRunRewriter(encoder: encoded, source: source)
    }
  }

  @Test("One record says what all of its pictures keep to")
  func record() throws {
    let source = HEVC.ParameterSets(
      try Pictures.encode(
        "bframes=0", frames: 2, codec: "hevc", source: "testsrc2=s=640x360:r=25"))
    let encoded = HEVC.ParameterSets(try run())
    let rewriter = try HEVC.EncodedRunRewriter(encoder: encoded, source: source)
    var record = try HEVCConfiguration(HEVC.ParameterSets(try run()))
    let low = try record.bytes()
    try record.include(source)
    let high = try record.bytes()
    #expect(low[12] < high[12])
    #expect(high[22] == 3 && high[23] == 32)
    record.setCompleteness(true)
    #expect(try record.bytes()[23] == 0x80 | 32)
    // Both have the id 0, so a decoder would need the stream's order; renamed ones stand beside each other.
    var both = try HEVCConfiguration(source)
    try both.include(rewriter.sets)
    #expect(both.parameterSets.units.count == 6)
    #expect(try HEVCConfiguration(try both.bytes()) == both)
    for options in [["-pix_fmt", "yuv420p10"], ["-pix_fmt", "yuv444p"]] {
      let others = HEVC.ParameterSets(try run("", options))
      #expect(throws: BitstreamRefusal.differs(.profile)) { try both.include(others) }
    }
  }
}
