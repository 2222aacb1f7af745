import TestSupport
import Testing

@testable import VideoBitstream

@Suite struct H264OpenGOPTests {
  /// x264's settings beside open groups, and words for FFmpeg.
  static let streams: [(parameters: String, options: [String])] = [
    ("bframes=3:b-pyramid=normal:ref=4:weightp=2", []),
    ("bframes=3:b-pyramid=normal:ref=4:weightp=2:cabac=0", []),
    ("bframes=3:b-pyramid=strict:ref=3:weightp=2", []),
    ("bframes=3:b-pyramid=none:ref=2:weightp=0:b-adapt=0", []),
    ("bframes=8:b-adapt=0:b-pyramid=normal:ref=16:weightp=2:direct=temporal", []),
    ("bframes=5:b-adapt=0:b-pyramid=normal:ref=1:weightp=1", []),
    ("bframes=3:ref=5:weightp=2:slices=3:aud=1", []),
    ("bframes=3:ref=4:weightp=2", ["-pix_fmt", "yuv420p10"]),
    ("bframes=3:ref=4:weightp=2:cabac=0", ["-pix_fmt", "yuv422p"]),
    ("bframes=3:ref=4:weightp=2:cabac=0:psy-rd=0:qp=1:subme=7:b-adapt=0:noise", []),
    ("bframes=3:ref=6:weightp=2:cqm=jvt", ["-pix_fmt", "yuv444p"]),
  ]

  /// The parameter sets and what follows from `entry` on, made decodable; with the count of pictures
  /// that were left out.
  static func cut(
    _ pictures: [[ArraySlice<UInt8>]], at entry: Int, _ configuration: AVCConfiguration
  ) throws -> (units: [ArraySlice<UInt8>], leading: Int) {
    var rewriter = try H264.OpenGOPRewriter(try configuration.parameterSets(), idrPictureID: 1)
    let record = configuration.adding(pictureParameterSets: rewriter.pictureParameterSets)
    var units = (record.sequenceParameterSets + record.pictureParameterSets).map { $0[...] }
    var leading = 0
    for picture in pictures[entry...] {
      switch try rewriter.rewrite(picture) {
      case .leading: leading += 1
      case .rewritten(let rewritten): units += rewritten.map { $0[...] }
      case .unchanged: units += picture
      }
    }
    return (units, leading)
  }

  @Test(
    "From each entry of an open group on, all pictures decode to the same without a complaint",
    arguments: streams)
  func rewritten(parameters: String, options: [String]) throws {
    let source = parameters.contains("b-adapt=0") ? "testsrc2" : "mandelbrot"
    // x264 copies samples of noise (I_PCM).
    let noise = parameters.hasSuffix(":noise") ? ",noise=alls=100:allf=t" : ""
    let units = try Pictures.encode(
      parameters.replacing(":noise", with: "")
        + ":open-gop=1:keyint=20:min-keyint=8:scenecut=\(noise.isEmpty ? 40 : 0)",
      options, frames: 100, source: source + "=s=186x138:r=25" + noise)
    let configuration = try AVCConfiguration(units: units)
    let pictures = Pictures.accessUnits(units)
    let whole = try Pictures.decode(units).digests
    #expect(whole.count == pictures.count && whole.count == 100)
    var entries = 0
    var leadingCount = 0
    for entry in pictures.indices.dropFirst() {
      let summary = try H264.AccessUnitSummary(pictures[entry])
      guard summary.isEntry(isMarked: false), !summary.isIDR else { continue }
      entries += 1
      let (cut, leading) = try Self.cut(pictures, at: entry, configuration)
      // Later entries are entries still.
      let before = try pictures[entry...].map(H264.AccessUnitSummary.init)
      let after = try Pictures.accessUnits(cut).map(H264.AccessUnitSummary.init)
      #expect(after[0].isIDR && after[0].recoveryFrameCount == nil)
      #expect(
        after.dropFirst().filter { $0.isEntry(isMarked: false) }
          == before.dropFirst().filter { $0.isEntry(isMarked: false) })
      let decoded = try Pictures.decode(cut)
      #expect(decoded.complaints == "", "entry \(entry)")
      let count = pictures.count - entry - leading
      #expect(decoded.digests == Array(whole.suffix(count)), "entry \(entry)")
      leadingCount += leading
    }
    #expect(entries >= 3 && leadingCount > 0)
  }

  @Test("Behind the next IDR picture nothing is changed")
  func ends() throws {
    let open = try Pictures.encode("bframes=3:open-gop=1:keyint=20:min-keyint=8", frames: 60)
    let configuration = try AVCConfiguration(units: open)
    let slices = open.filter { H264.type(of: $0)?.isSlice == true }
    let pictures = Pictures.accessUnits(open + slices)
    let entry = try #require(
      pictures.indices.last {
        try $0 < 60 && H264.AccessUnitSummary(pictures[$0]).isEntry(isMarked: false)
      })
    let (cut, leading) = try Self.cut(pictures, at: entry, configuration)
    #expect(Array(cut.suffix(slices.count)) == slices)
    let whole = try Pictures.decode(open).digests
    #expect(
      try Pictures.decode(cut).digests == Array(whole.suffix(60 - entry - leading)) + whole)
  }

  @Test("A picture that is no I picture, and a missing reference, are refused")
  func refusals() throws {
    let units = try Pictures.encode("bframes=3:open-gop=1:keyint=20:min-keyint=8:ref=3")
    let configuration = try AVCConfiguration(units: units)
    var pictures = Pictures.accessUnits(units)
    #expect(throws: BitstreamRefusal.notAnEntry) { try Self.cut(pictures, at: 1, configuration) }
    #expect(throws: BitstreamRefusal.notAnEntry) { try Self.cut(pictures, at: 0, configuration) }
    let summaries = try pictures.map(H264.AccessUnitSummary.init)
    let entry = try #require(
      summaries.indices.first { !summaries[$0].isIDR && summaries[$0].isEntry(isMarked: false) })
    let lost = try #require(summaries.indices.first { $0 > entry && summaries[$0].isReference })
    pictures.remove(at: lost)
    #expect(throws: BitstreamRefusal.missingReference) {
      try Self.cut(pictures, at: entry, configuration)
    }
  }
}
