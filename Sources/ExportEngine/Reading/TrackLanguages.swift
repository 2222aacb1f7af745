import Diagnosis
import LibAV
import MPEGAudio
import Tagging

/// Languages of tracks by their tags of BCP 47, which libavformat neither reads nor writes.
extension ContainerFacts {
  /// The languages of a Matroska file's tracks (RFC 9559, 5.1.4.1.20) that their codes of ISO 639 do not say,
  /// as of a region or a script.
  static func lostLanguages(of entries: [[EBMLElement]]) -> [String] {
    let found = entries.enumerated().compactMap { index, parts -> String? in
      func text(_ id: UInt32) -> String? {
        parts.first { $0.id == id }.map {
          String(decoding: $0.body.prefix { $0 != 0 }.prefix(100), as: UTF8.self)
        }
      }
      // English is the default.
      return text(MatroskaID.languageBCP47).flatMap {
        lost($0, beside: text(MatroskaID.language) ?? "eng", ofStream: index)
      }
    }
    return Array(found.prefix(20))
  }

  /// The languages of the tracks of an MP4 or a QuickTime movie (`elng`; ISO 14496-12, 8.4.6) that their
  /// codes of ISO 639 do not say.
  ///
  /// - Throws: `Failure` where the file cannot be read.
  /// - Complexity: O(tracks)
  static func lostLanguages(
    in medium: MediumBytes, of streams: [LibAV.Stream]
  ) throws(Failure) -> [String] {
    var reader = AtomReader(medium: medium)
    guard let movie = try reader.atom("moov", in: 0..<(try medium.size())) else { return [] }
    var found: [String] = []
    let tracks = try reader.atoms(in: movie).filter { $0.name == "trak" }
    for (track, stream) in zip(tracks, streams) where found.count < 20 {
      guard let language = try reader.atom(path: ["mdia", "elng"], in: track.body) else { continue }
      // A version comes first.
      let bytes = try reader.bytes(of: language, count: 104).dropFirst(4)
      let tag = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      if let lost = lost(tag, beside: stream.language ?? "und", ofStream: stream.index) {
        found.append(lost)
      }
    }
    return found
  }

  private static func lost(
    _ tag: String, beside code: String, ofStream index: Int
  ) -> String? {
    let isSaid = !tag.contains("-") && ID3Languages.tag(tag) == ID3Languages.tag(code)
    return tag.isEmpty || isSaid ? nil : "'\(tag)' as the language of stream \(index)"
  }
}
