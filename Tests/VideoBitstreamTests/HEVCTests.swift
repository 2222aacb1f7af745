import TestSupport
import Testing

@testable import VideoBitstream

@Suite struct HEVCTests {
  @Test(
    "Parameter sets say what ffprobe says",
    arguments: [
      ("bframes=4:b-pyramid=1", [], "yuv420p"), ("bframes=0", [], "yuv420p"),
      ("temporal-layers=1:bframes=3", ["-pix_fmt", "yuv420p10"], "yuv420p10le"),
      ("bframes=2", ["-pix_fmt", "yuv422p10"], "yuv422p10le"),
    ] as [(String, [String], String)])
  func sets(parameters: String, options: [String], format: String) throws {
    let units = try Pictures.encode(parameters, options, frames: 20, codec: "hevc")
    let sets = HEVC.ParameterSets(units)
    let set = try HEVC.SequenceParameterSet(try #require(sets.sequence.first)[...])
    let video = try HEVC.VideoParameterSet(try #require(sets.video.first)[...])
    let probed = try Pictures.probe(
      units, ["width", "height", "level", "has_b_frames", "pix_fmt"], codec: "hevc")
    #expect(probed["width"] == "\(set.width)" && probed["height"] == "\(set.height)")
    #expect(probed["level"] == set.profile.last.map { "\($0)" })
    #expect(probed["has_b_frames"] == "\(set.reordering.depth)")
    #expect(video.reordering == set.reordering && video.id == set.videoID)
    #expect(probed["pix_fmt"] == format && set.lumaBitDepth == (format.contains("10") ? 10 : 8))
    #expect((set.chromaFormat == 2) == format.contains("422"))
  }

  @Test("From each CRA picture on, as a broken link, all pictures decode to the same")
  func brokenLinks() throws {
    let units = try Pictures.encode(
      "bframes=4:b-pyramid=1:open-gop=1:keyint=20:min-keyint=10:scenecut=0", frames: 110,
      codec: "hevc")
    let pictures = Pictures.accessUnitsOfHEVC(units)
    let types = pictures.compactMap(HEVC.pictureType)
    #expect(types.count == 110)
    #expect(types.map(\.isEntry) == (try Pictures.areKeys(units, codec: "hevc")))
    let sets = HEVC.ParameterSets(units).units.map { $0[...] }
    let whole = try Pictures.decode(units, codec: "hevc").digests
    let head = try Pictures.decode(pictures[0], codec: "hevc").digests
    let entries = types.indices.filter { types[$0] == .cra }
    #expect(entries.count >= 4)
    for entry in entries {
      let leading = types.indices.dropFirst(entry + 1).prefix { types[$0].isLeading }
      #expect(leading.contains { types[$0].isSkipped })
      let rest = pictures[(leading.last ?? entry) + 1..<pictures.count]
      let link = HEVC.brokenLink(pictures[entry]).map { $0[...] }
      #expect(HEVC.pictureType(of: link) == .blaNLP)
      // Another sequence stands before the seam.
      let joined = pictures[0] + sets + link + Array(rest.joined())
      let decoded = try Pictures.decode(joined, codec: "hevc")
      #expect(decoded.complaints == "")
      #expect(decoded.digests == head + whole.suffix(110 - entry - leading.count))
    }
  }

  @Test("Units that are too short have no type, and other layers are no picture")
  func types() {
    #expect(HEVC.type(of: [0x40]) == nil)
    #expect(HEVC.type(of: [0x42, 1]) == .sequenceParameterSet)
    #expect(
      HEVC.pictureType(of: [[0x2B, 1], [0x2A, 9], [0x28, 1]]) == HEVC.NALType(rawValue: 20))
    #expect(HEVC.brokenLink([[0x2A, 1, 7], [0x40, 1]]) == [[0x24, 1, 7], [0x40, 1]])
  }
}
