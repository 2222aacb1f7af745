import SystemPackage
import TestSupport
import Testing

@testable import LibAV

@Suite("Colours of pictures that are brought into one form")
struct PictureColoursTests {
  /// The first picture of a movie of one colour, and what its numbers mean.
  private func picture(
    _ filter: String, _ options: String = "", size: String = "64x48"
  ) throws -> (frame: Frame, colours: PictureColours) {
    let folder = TestFolder()
    try Tool.succeed(
      "sh", "-c",
      "ffmpeg -v error -f lavfi -i 'color=0xC03020:s=\(size):r=25:d=0.08,format=gbrp,\(filter)' "
        + "-c:v libx264 -qp 0 \(options) a.mp4", in: folder.root)
    let demuxer = try Demuxer.open(FileBytes(FilePath(folder.path("a.mp4"))), named: "a.mp4")
    let stream = try #require(demuxer.streams.first)
    let decoder = try Decoder.open(stream, removesPadding: true)
    let frame = try Frame()
    while let packet = try demuxer.read() {
      try decoder.send(packet)
      if try decoder.receive(into: frame) { return (frame, frame.colours(of: stream)) }
    }
    try decoder.send(nil)
    let isThere = try decoder.receive(into: frame)
    try #require(isThere)
    return (frame, frame.colours(of: stream))
  }

  @Test("a picture in its new form says its new matrix and range", arguments: ["tv", "pc"])
  func matrices(range: String) throws {
    let names: [(String, PictureColours.Matrix)] = [
      ("smpte170m", .bt601), ("bt709", .bt709), ("bt2020nc", .bt2020),
    ]
    for (name, own) in names {
      for (_, matrix) in names {
        // A scaler takes the picture.
        let source = try picture(
          "scale=out_range=\(range),format=yuv420p,setparams=range=\(range):colorspace=\(name)",
          "-colorspace \(name) -color_range \(range)")
        #expect(source.colours.matrix == own)
        #expect(source.colours.isFullRange == (range == "pc"))
        var form = source.frame.form
        form.pixelFormat = "yuv420p"
        let plan = PictureScaler.Plan(
          source.frame.form, source.colours, rotation: 0, to: form, in: matrix, isCut: false)
        #expect(plan.isNeedless == (own == matrix && range == "tv"))
        let scaled = try PictureScaler.open(plan).scaled(source.frame).colours(of: nil)
        #expect(scaled.matrix == matrix && !scaled.isFullRange)
      }
    }
  }

  @Test("a picture that says nothing is taken as players take it, by its size")
  func guesses() throws {
    #expect(try picture("format=yuv420p").colours.matrix == .bt601)
    #expect(try picture("format=yuv420p", size: "1280x64").colours.matrix == .bt709)
    #expect(try picture("format=rgb24", "-c:v libx264rgb").colours.matrix == nil)
  }

  @Test("high dynamic range is known by its transfer")
  func transfers() throws {
    func transfer(_ name: String) throws -> PictureColours.Transfer {
      try picture("format=yuv420p,setparams=color_trc=\(name)", "-color_trc \(name)").colours
        .transfer
    }
    #expect(try transfer("smpte2084") == .perceptual)
    #expect(try transfer("arib-std-b67") == .hybrid)
    #expect(try transfer("bt709") == .standard)
  }
}
