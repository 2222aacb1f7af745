import DBus
import Diagnosis
import MediaTime

/// What is known of tracks, as MPRIS names it (MPRIS v2 metadata guidelines).
struct MediaPlayerMetadata {
  /// The start of tracks' paths, and of the names of what MPRIS has no name for.
  let application: String

  /// The most code points of a text that are sent.
  private static let mostScalars = 4096

  /// The path of a track: what no path may hold becomes `_` and two digits.
  func path(ofTrack id: String) -> String {
    let name = id.utf8.prefix(256).reduce(into: "") { name, byte in
      let character = Character(Unicode.Scalar(byte))
      if character.isASCII, character.isLetter || character.isNumber {
        name.append(character)
      } else {
        name += "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return "/\(application)/\(name.isEmpty ? "_" : name)"
  }

  /// The metadata of what is playing; nil: nothing.
  func dictionary(of info: NowPlayingInfo?) -> DBusValue {
    guard let info else {
      return .dictionary([.init("mpris:trackid", .objectPath(MediaPlayerInterfaces.noTrack))])
    }
    return entries(
      of: info.externalContentIdentifier,
      [
        ("mpris:length", (info.playbackDuration?.microseconds).map { .int64($0) }),
        ("mpris:artUrl", text(info.artworkURL)),
        ("xesam:title", text(info.title)),
        ("xesam:artist", list(info.artist)),
        ("xesam:album", text(info.albumTitle)),
        ("xesam:albumArtist", list(info.albumArtist)),
        ("xesam:genre", list(info.genre)),
        ("xesam:composer", list(info.composer)),
        ("xesam:comment", lines(info.comments)),
        ("xesam:contentCreated", text(info.releaseDate)),
        ("xesam:trackNumber", number(info.albumTrackNumber)),
        ("xesam:discNumber", number(info.discNumber)),
        ("xesam:url", text(info.assetURL)),
        ("\(application):chapter", text(info.chapterTitle)),
      ])
  }

  /// The metadata of a track of the list.
  func dictionary(of track: NowPlayingTrack) -> DBusValue {
    entries(
      of: track.id,
      [
        ("mpris:length", (track.playbackDuration?.microseconds).map { .int64($0) }),
        ("xesam:title", text(track.title)),
        ("xesam:artist", list(track.artist)),
        ("xesam:album", text(track.albumTitle)),
        ("xesam:trackNumber", number(track.albumTrackNumber)),
      ])
  }

  /// What is known of a track.
  private func entries(of id: String, _ values: [(String, DBusValue?)]) -> DBusValue {
    .dictionary(
      [.init("mpris:trackid", .objectPath(path(ofTrack: id)))]
        + values.compactMap { key, value in value.map { DBusValue.Entry(key, $0) } })
  }

  /// Widgets and terminals show it as it is: what gives orders to them becomes U+FFFD.
  private func text(_ text: String?) -> DBusValue? {
    text.map { .string(String($0.unicodeScalars.prefix(Self.mostScalars)).printable) }
  }

  private func list(_ text: String?) -> DBusValue? {
    self.text(text).map { .array(of: "s", [$0]) }
  }

  /// A text of several lines, each made printable.
  private func lines(_ text: String?) -> DBusValue? {
    text.map { text in
      let start = String(text.unicodeScalars.prefix(Self.mostScalars))
      let lines = start.split(separator: "\n", omittingEmptySubsequences: false)
      return .array(
        of: "s", [.string(lines.map { String($0).printable }.joined(separator: "\n"))])
    }
  }

  private func number(_ number: Int?) -> DBusValue? { number.map { .int32(Int32(clamping: $0)) } }
}
