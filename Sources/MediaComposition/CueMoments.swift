import MediaTime
import Transcripts

extension String {
  /// This markup of a cue with each moment in it, as in `<00:01:02.500>`, mapped (WebVTT, 6.4). O(n).
  func mappingMoments(_ map: (Time) -> Time) -> String {
    let (bytes, open, close) = (Array(utf8), UInt8(ascii: "<"), UInt8(ascii: ">"))
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    // Up to here all is in the result.
    var copied = 0
    var index = 0
    while let start = bytes[index...].firstIndex(of: open) {
      index = start + 1
      guard index < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[index],
        let end = bytes[index...].prefix(longestMoment).firstIndex(of: close),
        let moment = try? CaptionTime.clock(bytes[index..<end], mark: "."), moment.isStrict
      else { continue }
      result += bytes[copied..<index]
      CaptionTime.append(
        milliseconds: CaptionTime.milliseconds(map(moment.time)), mark: UInt8(ascii: "."),
        to: &result)
      (copied, index) = (end, end)
    }
    guard copied > 0 else { return self }
    return String(decoding: result + bytes[copied...], as: UTF8.self)
  }

  /// More than the million hours that a time may have.
  private var longestMoment: Int { 24 }
}
