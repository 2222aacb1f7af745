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

  @Test(
    "A head, an open group and a tail are one stream of one sequence parameter set",
    arguments: ["", "cabac=0:"])
  func smartCut(entropy: String) throws {
    let units = try Pictures.encode(
      entropy + "bframes=3:b-pyramid=normal:ref=4:open-gop=1:keyint=20:min-keyint=8", frames: 80)
    let encoded = try Pictures.encode(Pictures.cutter(entropy), frames: 9, hue: 90)
    var record = try AVCConfiguration(units: units)
    let pictures = Pictures.accessUnits(units)
    let entry = try #require(
      pictures.indices.dropFirst(30).first {
        try H264.AccessUnitSummary(pictures[$0]).isEntry(isMarked: false)
      })
    var group = try H264.OpenGOPRewriter(try record.parameterSets(), idrPictureID: 1)
    for picture in pictures[..<entry] { group.observe(picture) }
    record = record.adding(pictureParameterSets: group.pictureParameterSets)
    var runs: [[ArraySlice<UInt8>]] = []
    let source = record
    for idrPictureID: UInt16 in [0, 2] {
      var rewriter = try H264.EncodedRunRewriter(
        encoder: try AVCConfiguration(units: encoded), source: source, idrPictureID: idrPictureID)
      record = record.adding(pictureParameterSets: rewriter.pictureParameterSets)
      runs.append([])
      for picture in Pictures.accessUnits(encoded) {
        runs[runs.count - 1] += try rewriter.rewrite(picture).map { $0[...] }
      }
    }
    var copied: [ArraySlice<UInt8>] = []
    var copiedCount = 0
    for picture in pictures[entry...] {
      guard case .rewritten(let rewritten) = try group.rewrite(picture) else { continue }
      copied += rewritten.map { $0[...] }
      copiedCount += 1
    }
    let sets = record.sequenceParameterSets + record.pictureParameterSets
    #expect(record.sequenceParameterSets.count == 1)
    #expect(record.pictureParameterSets.count == (entropy.isEmpty ? 2 : 17))
    // The source repeats its own sets at each entry.
    let isSlice = { (unit: ArraySlice<UInt8>) in H264.type(of: unit)?.isSlice == true }
    let joined = try Pictures.decode(
      sets.map { $0[...] } + runs[0] + copied.filter(isSlice) + runs[1])
    let run = try Pictures.decode(encoded).digests
    let whole = try Pictures.decode(units).digests
    #expect(joined.complaints == "" && copiedCount < pictures.count - entry)
    #expect(joined.digests == run + whole.suffix(copiedCount) + run)
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
