/// A picture of MPEG-1, MPEG-2 or MPEG-4 Part 2, as far as the order of showing needs it.
package enum MPEGPicture: Sendable, Hashable {
  /// I, P, and what is coded like these: others may refer to it.
  case reference
  /// B: it refers to one that is shown after it, and none refers to it.
  case bidirectional

  /// The first picture of a packet of MPEG-1 or 2, by its `picture_coding_type` (ISO/IEC 13818-2, 6.3.9); nil
  /// where none begins in it. O(n)
  package static func first(ofMPEG2 bytes: [UInt8]) -> MPEGPicture? {
    guard let place = places(in: bytes, most: 1, where: { $0 == 0x00 }).first,
      place + 2 < bytes.count
    else { return nil }
    return bytes[place + 2] >> 3 & 7 == 3 ? .bidirectional : .reference
  }

  /// The pictures of a packet of MPEG-4, by their `vop_coding_type` (ISO/IEC 14496-2, 6.3.5): some programs
  /// for AVI pack two into one. O(n)
  package static func all(ofMPEG4 bytes: [UInt8]) -> [MPEGPicture] {
    places(in: bytes, most: 3) { $0 == 0xB6 }.filter { $0 + 1 < bytes.count }.map {
      bytes[$0 + 1] >> 6 == 2 ? .bidirectional : .reference
    }
  }

  /// What stands before the first picture of a packet of MPEG-4, and says how all are coded (6.2.3); nil
  /// where it does not. O(n)
  package static func header(ofMPEG4 bytes: [UInt8]) -> [UInt8]? {
    // A group of pictures, or a picture.
    guard let end = places(in: bytes, most: 1, where: { $0 == 0xB3 || $0 == 0xB6 }).first else {
      return nil
    }
    let header = Array(bytes[..<(end - 3)])
    let hasLayer = !places(in: header, most: 1) { 0x20...0x2F ~= $0 }.isEmpty
    return hasLayer ? header : nil
  }

  /// Where start codes stand (6.2.1), by their last byte, which says what begins there.
  private static func places(
    in bytes: [UInt8], most: Int, where isWanted: (UInt8) -> Bool
  ) -> [Int] {
    var places: [Int] = []
    var index = 2
    while index + 1 < bytes.count, places.count < most {
      switch bytes[index] {
      case 0: index += 1
      case 1:
        if bytes[index - 1] == 0, bytes[index - 2] == 0, isWanted(bytes[index + 1]) {
          places.append(index + 1)
        }
        index += 3
      default: index += 3
      }
    }
    return places
  }
}
