import TestSupport
import Testing

@testable import VideoBitstream

@Suite struct ConfigurationTests {
  @Test(
    "avcC is read and written as it is, and made for a stream as FFmpeg makes it",
    arguments: [
      ["-profile:v", "baseline"], ["-profile:v", "main"], [], ["-pix_fmt", "yuv422p10"],
      ["-pix_fmt", "yuv444p"],
    ])
  func avc(options: [String]) throws {
    let units = try Pictures.encode("", options, frames: 10)
    let bytes = try Pictures.record("avcC", "", options)
    let record = try AVCConfiguration(bytes)
    #expect(try record.bytes() == bytes)
    #expect(try AVCConfiguration(units: units) == record)
    #expect(record.framing == .lengths(bytes: 4))
    var padded = record
    padded.pictureParameterSets[0].append(0)
    #expect(try AVCConfiguration(try padded.bytes()) == record)
    #expect((record.highFields == nil) == options.contains("-profile:v"))
  }

  @Test("avcC keeps extensions of sequence parameter sets when a set is added")
  func extensions() throws {
    let units = try Pictures.encode("", frames: 10)
    var record = try AVCConfiguration(units: units, lengthSize: 2)
    record.highFields?.sequenceExtensions = [[13, 1, 2]]
    let set = try H264.PictureParameterSet.unit(
      record.pictureParameterSets[0][...], id: 7, sequenceID: 3)
    let more = record.adding(pictureParameterSets: [set])
    #expect(more.adding(pictureParameterSets: [set]) == more)
    let read = try AVCConfiguration(try more.bytes())
    #expect(read == more && read.lengthSize == 2)
    #expect(read.highFields?.sequenceExtensions == [[13, 1, 2]])
    let parsed = try H264.PictureParameterSet(read.pictureParameterSets[1][...])
    #expect(parsed.id == 7 && parsed.sequenceID == 3)
    let again = try H264.PictureParameterSet.unit(set[...], id: 0, sequenceID: 0)
    #expect(again == record.pictureParameterSets[0])
  }

  @Test("Records that end early, are none, or do not fit are refused")
  func refusals() throws {
    let units = try Pictures.encode("", frames: 10)
    var record = try AVCConfiguration(units: units)
    let bytes = try record.bytes()
    for count in 0..<bytes.count - 4 {
      #expect(throws: BitstreamRefusal.truncated(.avcConfiguration)) {
        try AVCConfiguration(Array(bytes.prefix(count)))
      }
    }
    #expect(throws: BitstreamRefusal.invalid(.avcConfiguration)) {
      try AVCConfiguration([0, 0, 0, 1, 0x67])
    }
    record.pictureParameterSets = [Array(repeating: 8, count: 65_536)]
    #expect(throws: BitstreamRefusal.tooLarge(.avcConfiguration)) { try record.bytes() }
    #expect(throws: BitstreamRefusal.truncated(.hevcConfiguration)) {
      try HEVCConfiguration(Array(repeating: 1, count: 22))
    }
  }

  @Test("hvcC is read, written as it is, made for a stream, and gets further sets")
  func hevc() throws {
    let units = try Pictures.encode("bframes=3", frames: 10, codec: "hevc")
    let bytes = try Pictures.record("hvcC", "bframes=3", codec: "hevc")
    let record = try HEVCConfiguration(bytes)
    #expect(try record.bytes() == bytes && record.lengthSize == 4)
    let sets = HEVC.ParameterSets(units)
    #expect(record.parameterSets == sets && sets.units.count == 3)
    let made = try HEVCConfiguration(sets)
    #expect(made.parameterSets == sets && made.arrays.count == 3)
    #expect(try made.bytes().prefix(22) == bytes.prefix(22))
    let other = HEVC.ParameterSets(
      try Pictures.encode("bframes=0:ref=1", frames: 10, codec: "hevc"))
    #expect(other != sets)
    var joined = record
    joined.add(other)
    joined.add(sets)
    let read = try HEVCConfiguration(try joined.bytes())
    #expect(read == joined)
    #expect(Set(read.parameterSets.units) == Set(sets.units + other.units))
    for array in read.arrays where array.units.count > 1 { #expect(!array.isComplete) }
  }

  @Test("A scaling matrix, a cycle of picture order, and cropping of fields are read")
  func handmade() throws {
    func set(cycle: Bool, matrices: Bool, framesOnly: Bool) throws -> H264.SequenceParameterSet {
      var writer = BitWriter()
      for byte: UInt32 in [0x67, 100, 0, 31] { writer.bits(byte, 8) }
      for value: UInt32 in [2, 1, 0, 0] { writer.unsigned(value) }
      writer.flag(false)
      writer.flag(matrices)
      if matrices {
        for list in 0..<8 {
          // Every other list is given: half of them ends at once, half has all scales.
          writer.flag(list % 2 == 0)
          guard list % 2 == 0 else { continue }
          let count = list % 4 == 0 ? 1 : list < 6 ? 16 : 64
          for _ in 0..<count { writer.signed(count == 1 ? -8 : 1) }
        }
      }
      writer.unsigned(5)
      writer.unsigned(cycle ? 1 : 2)
      if cycle {
        writer.flag(true)
        for value: Int32 in [-1, 2] { writer.signed(value) }
        writer.unsigned(2)
        for value: Int32 in [3, -4] { writer.signed(value) }
      }
      writer.unsigned(4)
      writer.flag(false)
      for value: UInt32 in [10, 4] { writer.unsigned(value) }
      writer.flag(framesOnly)
      if !framesOnly { writer.flag(true) }
      writer.bits(0b11, 2)
      for value: UInt32 in [1, 2, 0, 1] { writer.unsigned(value) }
      writer.flag(false)
      writer.trailingBits()
      return try H264.SequenceParameterSet(EscapedBytes.unit(of: writer.bytes)[...])
    }
    let frames = try set(cycle: true, matrices: true, framesOnly: true)
    #expect(frames.pictureOrderType == 1 && frames.hasScalingMatrices && frames.id == 2)
    #expect(frames.frameNumberBits == 9 && frames.referenceFrames == 4)
    #expect(frames.width == 176 - 6 && frames.height == 80 - 2)
    #expect(frames.restriction == nil && frames.reorderDepth == 16)
    let fields = try set(cycle: false, matrices: false, framesOnly: false)
    #expect(fields.width == 176 - 6 && fields.height == 160 - 4 && !fields.hasFramesOnly)
    #expect(fields.reorderDepth == 0)
  }
}
