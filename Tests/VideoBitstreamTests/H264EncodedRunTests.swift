import TestSupport
import Testing

@testable import VideoBitstream

@Suite struct H264EncodedRunTests {
  /// A source, what the cut's encoder gets beside its own settings, and words for both.
  static let streams: [(source: String, encoder: String, options: [String])] = [
    ("bframes=3:b-pyramid=normal:ref=4:weightp=2:keyint=24", "", []),
    ("bframes=3:ref=2:cabac=0:keyint=500", "cabac=0", []),
    ("bframes=3:ref=2:cabac=0", "cabac=0:slices=3", ["-profile:v", "main"]),
    ("bframes=0:ref=3:weightp=0", "", ["-profile:v", "baseline"]),
    ("bframes=0:ref=1:keyint=8", "", []),
    ("bframes=2:ref=3:slices=4", "slices=2", []),
    ("bframes=3:ref=4:weightp=2", "", ["-pix_fmt", "yuv420p10"]),
    ("bframes=2:ref=4:weightp=2:cabac=0", "cabac=0", ["-pix_fmt", "yuv422p"]),
    ("bframes=2:ref=4:b-pyramid=strict", "", ["-pix_fmt", "yuv444p"]),
    ("bframes=2:ref=4:cqm=jvt:aud=1", "", []),
  ]

  @Test("Encoded pictures decode to the same under the source's parameter set", arguments: streams)
  func rewritten(source: String, encoder: String, options: [String]) throws {
    let units = try Pictures.encode(source, options)
    let encoded = try Pictures.encode(
      Pictures.cutter(encoder), options, frames: 70, hue: 90)
    let configuration = try AVCConfiguration(units: units)
    var rewriter = try H264.EncodedRunRewriter(
      encoder: try AVCConfiguration(units: encoded), source: configuration, idrPictureID: 9)
    var slices: [ArraySlice<UInt8>] = []
    for picture in Pictures.accessUnits(encoded) {
      slices += try rewriter.rewrite(picture).map { $0[...] }
    }
    #expect(slices.allSatisfy { H264.type(of: $0)?.isSlice == true })
    let record = configuration.adding(pictureParameterSets: rewriter.pictureParameterSets)
    let sets = try record.parameterSets()
    #expect(
      sets.pictures.count == (encoder.contains("cabac=0") || options.contains("baseline") ? 9 : 2))
    for (number, picture) in Pictures.accessUnits(slices).enumerated() {
      for header in try picture.map({ try H264.Slice($0, in: sets).header }) {
        #expect(header.isIDR == (number == 0) && header.idrPictureID == (number == 0 ? 9 : 0))
        #expect(header.frameNumber == UInt32(number % (1 << sets.sequence.frameNumberBits)))
        let order = number * 2 % (1 << sets.sequence.pictureOrderBits)
        #expect(header.pictureOrderLSB == UInt32(order))
        #expect(header.pictureParameterSetID > 0)
      }
    }
    let parameters = (record.sequenceParameterSets + record.pictureParameterSets).map { $0[...] }
    let sliceUnits = units.filter { H264.type(of: $0)?.isSlice == true }
    let joined = try Pictures.decode(parameters + slices + sliceUnits + slices)
    let head = try Pictures.decode(encoded).digests
    let body = try Pictures.decode(units).digests
    #expect(joined.complaints == "")
    #expect(head.count == 70 && body.count == 60)
    #expect(joined.digests == head + body + head)
  }

  @Test("What cannot stand under the source's parameter set is refused by name")
  func refusals() throws {
    func refusal(
      _ source: (String, [String]), _ encoder: (String, [String]), _ graph: String? = nil
    ) throws -> BitstreamRefusal? {
      let source = try Pictures.encode(source.0, source.1, frames: 12)
      let encoded = try Pictures.encode(
        encoder.0, encoder.1, frames: 12, source: graph ?? "testsrc2=s=186x138:r=25")
      do throws(BitstreamRefusal) {
        var rewriter = try H264.EncodedRunRewriter(
          encoder: try AVCConfiguration(units: encoded),
          source: try AVCConfiguration(units: source),
          idrPictureID: 0)
        for picture in Pictures.accessUnits(encoded) { _ = try rewriter.rewrite(picture) }
      } catch { return error }
      return nil
    }
    let high = ("bframes=2", [String]())
    let cutter = Pictures.cutter()
    #expect(try refusal(high, (cutter, [])) == nil)
    #expect(
      try refusal(high, (cutter, []), "testsrc2=s=178x138:r=25") == .differs(.size))
    #expect(
      try refusal(high, (cutter, ["-pix_fmt", "yuv422p"])) == .differs(.chromaFormat))
    #expect(
      try refusal(high, (cutter, ["-pix_fmt", "yuv420p10"])) == .differs(.bitDepth))
    #expect(
      try refusal(("bframes=0:weightp=0", ["-profile:v", "baseline"]), (cutter, []))
        == .differs(.profile))
    #expect(
      try refusal(("bframes=2", ["-profile:v", "main"]), (cutter, [])) == .differs(.profile))
    #expect(try refusal(high, (cutter + "cqm=jvt", [])) == .scalingMatrices)
    #expect(
      try refusal(high, (cutter + "weightp=2", [])) == .unexpected(.weightedPrediction))
    #expect(try refusal(high, (cutter + "keyint=5", [])) == .unexpected(.secondIDR))
    #expect(
      try refusal(high, ("bframes=3:b-adapt=0:weightp=0:keyint=infinite", []))
        == .unexpected(.bSlices))
  }
}
