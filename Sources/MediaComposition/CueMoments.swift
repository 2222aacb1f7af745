import MediaTime
import Transcripts

extension String {
  /// This markup of a cue with each moment in it, as in `<00:01:02.500>`, mapped (WebVTT, 6.4). O(n).
  func mappingMoments(_ map: (Time) -> Time) -> String {
    var result = ""
    var rest = self[...]
    while let start = rest.firstIndex(of: "<") {
      result += rest[...start]
      rest = rest[rest.index(after: start)...]
      guard let end = rest.prefix(longestMoment).firstIndex(of: ">"),
        let moment = try? CaptionTime.clock(Array(rest[..<end].utf8)[...], mark: "."),
        moment.isStrict
      else { continue }
      result += CaptionTime.text(
        milliseconds: CaptionTime.milliseconds(map(moment.time)), mark: ".")
      rest = rest[end...]
    }
    return result + rest
  }

  /// More than the million hours that a time may have.
  private var longestMoment: Int { 24 }
}
