import Diagnosis
import Tagging

extension MP4Track {
  /// The names of an MP4's or a QuickTime film's tracks (`trak.udta.name`; QuickTime File Format, "User
  /// data atoms"), by the tracks' numbers (`tkhd`).
  ///
  /// - Throws: `Failure` where the file cannot be read.
  /// - Complexity: O(tracks)
  static func names(in medium: MediumBytes) throws(Failure) -> [Int: String] {
    var reader = AtomReader(medium: medium)
    guard let movie = try reader.atom("moov", in: 0..<(try medium.size())) else { return [:] }
    var names: [Int: String] = [:]
    for part in try reader.atoms(in: movie) where part.name == "trak" {
      guard let name = try reader.atom(path: ["udta", "name"], in: part.body),
        name.count <= longestName, let head = try reader.atom("tkhd", in: part.body),
        let number = try reader.number(behindDates: head)
      else { continue }
      let bytes = try reader.bytes(of: name, count: longestName)
      names[Int(number)] = UserData.trackName(bytes)
    }
    return names
  }

  /// Bytes. More is no name.
  private static let longestName = 1 << 16
}
