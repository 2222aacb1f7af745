import LibAV
import Testing

@testable import ExportEngine

/// Times of showing that follow from those of decoding.
@Suite struct PresentationClockTests {
  private enum Kind { case i, p, b }

  /// What libavformat gives of a picture; nil: no time of showing.
  private typealias Given = (kind: Kind, decoded: Int64, shown: Int64?)

  private func packet(_ bytes: [UInt8], _ given: Given) throws -> Packet {
    let packet = try bytes.withUnsafeBytes { try Packet(copying: $0, timestamp: 0) }
    // What FFmpeg has for no time (`AV_NOPTS_VALUE`).
    packet.place(shown: given.shown ?? .min, decoded: given.decoded, lasting: 1)
    return packet
  }

  /// Pictures of MPEG-2 in MPEG-PS, or of MPEG-4 in AVI.
  private func packets(_ all: [Given], isAVI: Bool = false) throws -> [Packet] {
    try all.map { given in
      let type: UInt8 =
        switch given.kind {
        case .i: isAVI ? 0 : 1
        case .p: isAVI ? 1 : 2
        case .b: isAVI ? 2 : 3
        }
      let bytes: [UInt8] = isAVI ? [0, 0, 1, 0xB6, type << 6] : [0, 0, 1, 0, 0, type << 3]
      return try packet(bytes, given)
    }
  }

  /// When pictures are shown, in order of decoding.
  private func shown(
    _ all: [Given], isAVI: Bool = false, knowing count: Int = 64
  ) throws -> [Int64?] {
    let packets = try packets(all, isAVI: isAVI)
    var clock = try #require(
      try PresentationClock(
        isAVI ? "avi" : "mpeg", codec: isAVI ? "mpeg4" : "mpeg1video",
        first: Array(packets.prefix(count))))
    for packet in packets { try clock.add(packet) }
    try clock.finish()
    var times: [Int64?] = []
    while let packet = clock.next() { times.append(packet.timestamp) }
    return times
  }

  @Test("a picture that others refer to is shown when the next one is decoded")
  func delayed() throws {
    let pictures: [Given] = [
      (.i, 0, nil), (.p, 1, nil), (.b, 2, 2), (.b, 3, 3), (.p, 4, nil), (.p, 5, nil), (.b, 6, 6),
    ]
    for isAVI in [false, true] {
      #expect(try shown(pictures, isAVI: isAVI) == [1, 4, 2, 3, 5, 7, 6])
    }
  }

  @Test("what a container says is kept, and what libavformat makes up is not")
  func said() throws {
    let pictures: [Given] = [
      (.i, 4500, 4860), (.p, 4860, 5220), (.p, 5220, 5220), (.p, 5580, 5580), (.p, 5940, 6300),
    ]
    #expect(try shown(pictures) == [4860, 5220, 5580, 5940, 6300])
  }

  @Test("where nothing is shown later than it is decoded, each picture is shown then")
  func prompt() throws {
    let pictures: [Given] = [(.i, 0, 0), (.p, 1, 1), (.p, 2, nil), (.i, 3, 3)]
    #expect(try shown(pictures, isAVI: true) == [0, 1, 2, 3])
    // Then one comes that is out of order.
    #expect(throws: LibAVError.untimedPicture) {
      try shown(pictures + [(.b, 4, 4)], isAVI: true, knowing: 4)
    }
  }

  @Test("times that contradict each other are refused")
  func contradictions() {
    let back: [Given] = [(.i, 0, nil), (.p, 1, nil), (.b, 0, 0)]
    let far: [Given] = [(.i, 0, 2000), (.p, 1000, nil), (.b, 1001, 1001)]
    for pictures in [back, far] {
      #expect(throws: LibAVError.untimedPicture) { try shown(pictures) }
    }
  }

  @Test(
    "a stream in which no picture gives the ones before it their times is refused, and not held")
  func unreferenced() throws {
    func pictures(_ count: Int64) -> [Given] {
      [(.i, 0, nil), (.p, 1, nil)] + (2..<count).map { (.b, $0, $0) } + [(.p, count, nil)]
    }
    for isAVI in [false, true] {
      #expect(try shown(pictures(60), isAVI: isAVI).count == 61)
      #expect(throws: LibAVError.unreferencedPictures) { try shown(pictures(100), isAVI: isAVI) }
    }
  }

  @Test("of a file's beginning so many packets are looked at, and so many bytes")
  func first() throws {
    let large = try packet([UInt8](repeating: 0, count: 10 << 20), (.i, 0, 0))
    var count = 0
    let read = { () throws(LibAVError) -> Packet? in
      count += 1
      return count <= 100 ? try Packet(copying: large) : nil
    }
    #expect(try PicturePackets.first(reading: read).count == 4)
    #expect(try PicturePackets.first(1, reading: read).count == 1 && count == 5)
    // Without a clock the first one is enough.
    #expect(PresentationClock.isNeeded("avi", codec: "mpeg4"))
    #expect(!PresentationClock.isNeeded("avi", codec: "mjpeg"))
  }

  @Test("pictures that are packed together are refused with the remedy")
  func packed() throws {
    let bytes: [UInt8] = [0, 0, 1, 0xB6, 0x40, 0, 0, 1, 0xB6, 0x80]
    let error = #expect(throws: LibAVError.self) {
      try PresentationClock("avi", codec: "mpeg4", first: [try packet(bytes, (.p, 0, nil))])
    }
    #expect(error?.operation.contains("mpeg4_unpack_bframes") == true)
  }

  @Test("containers with all times have no clock")
  func others() throws {
    for (container, codec) in [("mov,mp4", "mpeg4"), ("avi", "mjpeg"), ("mpegts", "mpeg2video")] {
      let clock = try PresentationClock(container, codec: codec, first: [])
      #expect(clock == nil)
    }
  }
}
