import TestSupport
import Testing

@testable import VideoBitstream

@Suite struct H264SliceTests {
  /// What x264 is asked for, the words for FFmpeg, and whether slices of B and weights must appear.
  static let streams: [(parameters: String, options: [String], hasB: Bool, hasWeights: Bool)] = [
    ("bframes=3:b-pyramid=normal:ref=4:weightp=2:keyint=24", [], true, true),
    ("bframes=3:b-pyramid=strict:ref=5:weightp=1:cabac=0", [], true, true),
    ("bframes=8:b-adapt=2:ref=16:direct=temporal:weightb=1:weightp=0", [], true, false),
    ("bframes=0:ref=3:weightp=0:cabac=0", ["-profile:v", "baseline"], false, false),
    ("bframes=2:ref=2:no-deblock=1:slices=4", [], true, true),
    ("bframes=2:ref=3:open-gop=1:keyint=12:min-keyint=4", [], true, true),
    ("bframes=0:ref=3:qp=0", ["-pix_fmt", "yuv444p"], false, true),
    ("bframes=3:ref=4:weightp=2:slices=3", ["-pix_fmt", "yuv420p10"], true, true),
    ("bframes=2:ref=4:weightp=2:cabac=0", ["-pix_fmt", "yuv422p"], true, true),
    ("bframes=2:ref=4:weightp=2:cqm=jvt", ["-pix_fmt", "yuv422p10"], true, true),
    (
      "bframes=1:weightp=2:deblock=-1,1:aud=1:nal-hrd=vbr:vbv-maxrate=900:vbv-bufsize=900",
      ["-pix_fmt", "gray"], true, true
    ),
    ("bframes=0:keyint=infinite:intra-refresh=1:slice-max-size=300", [], false, true),
  ]

  @Test("A slice header that is read and written gives the same bits", arguments: streams)
  func roundTrip(
    parameters: String, options: [String], hasB: Bool, hasWeights: Bool
  ) throws {
    let units = try Pictures.encode(parameters, options, frames: 120)
    let sets = try AVCConfiguration(units: units).parameterSets()
    var headers: [H264.SliceHeader] = []
    for unit in units where H264.type(of: unit)?.isSlice == true {
      let slice = try H264.Slice(unit, in: sets)
      let picture = try sets.picture(slice.header.pictureParameterSetID)
      let written = try slice.unit(with: slice.header, sets.sequence, picture)
      #expect(written == Array(unit))
      headers.append(slice.header)
    }
    let pictures = Pictures.accessUnits(units)
    #expect(pictures.count == 120 && headers.count >= pictures.count)
    #expect(headers.contains { $0.kind == .p })
    #expect(headers.contains { $0.kind == .b } == hasB)
    let isWeighted = headers.contains { header in
      header.weights?.references.joined().contains { $0.luma != nil || $0.chroma != nil } == true
    }
    #expect(isWeighted == hasWeights)
  }

  @Test("A sequence parameter set says what ffprobe says", arguments: streams)
  func sequences(
    parameters: String, options: [String], hasB: Bool, hasWeights: Bool
  ) throws {
    let units = try Pictures.encode(parameters, options, frames: 120)
    let sets = try AVCConfiguration(units: units).parameterSets()
    let set = sets.sequence
    let probed = try Pictures.probe(units, ["width", "height", "level", "has_b_frames", "pix_fmt"])
    #expect(probed["width"] == "\(set.width)" && probed["height"] == "\(set.height)")
    #expect(probed["level"] == "\(set.level)")
    #expect(set.restriction != nil && probed["has_b_frames"] == "\(set.reorderDepth)")
    // FFmpeg decodes grey into a picture with colours.
    let names = ["yuvj420p", "yuv420p", "yuv422p", "yuv444p"]
    let format = names[Int(set.chromaFormat)] + (set.lumaBitDepth == 10 ? "10le" : "")
    #expect(probed["pix_fmt"] == format)
    let hasMatrices = sets.pictures.values.contains(where: \.hasScalingMatrices)
    #expect(set.hasFramesOnly && hasMatrices == parameters.contains("cqm"))
  }

  @Test("Pictures with fields are refused by name")
  func fields() throws {
    let units = try Pictures.encode(
      "bframes=2", ["-flags", "+ildct+ilme"], frames: 10, source: "testsrc2=s=186x140:r=25")
    let sets = try AVCConfiguration(units: units).parameterSets()
    #expect(!sets.sequence.hasFramesOnly && sets.sequence.height == 140)
    let slice = try #require(units.first { H264.type(of: $0)?.isSlice == true })
    #expect(throws: BitstreamRefusal.fieldCoding) { try H264.Slice(slice, in: sets) }
    #expect(throws: BitstreamRefusal.fieldCoding) {
      try H264.OpenGOPRewriter(sets, idrPictureID: 0)
    }
    #expect("\(BitstreamRefusal.fieldCoding)" == "the picture is interlaced (coded in fields)")
  }

  @Test("Streams with several sequence parameter sets, and slices without a set, are refused")
  func sets() throws {
    let one = try Pictures.encode("bframes=0", frames: 10)
    let other = try Pictures.encode("bframes=2:ref=5", frames: 10)
    #expect(throws: BitstreamRefusal.severalSequenceParameterSets(2)) {
      try AVCConfiguration(units: one + other).parameterSets()
    }
    var configuration = try AVCConfiguration(units: one)
    let bare = try H264.ParameterSets(sequences: configuration.sequenceParameterSets, pictures: [])
    let slice = try #require(one.first { H264.type(of: $0)?.isSlice == true })
    #expect(throws: BitstreamRefusal.missingPictureParameterSet(0)) {
      try H264.Slice(slice, in: bare)
    }
    configuration.pictureParameterSets += try AVCConfiguration(units: other).pictureParameterSets
    #expect(throws: BitstreamRefusal.severalPictureParameterSets(0)) {
      try configuration.parameterSets()
    }
  }

  @Test("Entries are IDR pictures, and I pictures with a recovery point")
  func entries() throws {
    let units = try Pictures.encode("bframes=3:open-gop=1:keyint=12:min-keyint=12", frames: 60)
    let summaries = try Pictures.accessUnits(units).map(H264.AccessUnitSummary.init)
    #expect(summaries.filter(\.isIDR).count == 1)
    #expect(summaries.filter { $0.isEntry(isMarked: false) }.count > 4)
    #expect(summaries.map { $0.isEntry(isMarked: false) } == (try Pictures.areKeys(units)))
    let refreshed = try Pictures.encode("bframes=0:intra-refresh=1:keyint=20", frames: 60)
    let refreshes = try Pictures.accessUnits(refreshed).map(H264.AccessUnitSummary.init)
    #expect(refreshes.contains { ($0.recoveryFrameCount ?? 0) > 0 })
    #expect(refreshes.allSatisfy { $0.isEntry(isMarked: true) == $0.isIDR })
  }
}
