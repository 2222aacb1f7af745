import Tagging

/// What ID3 needs to know of tags' names beside `TagNames`.
enum ID3Keys {
  /// Frames that have no name of their own here: their identifier is their key, as FFmpeg has it.
  private static let nameless: Set<String> = [
    "TDLY", "TDTG", "TFLT", "TIPL", "TLEN", "TMCL", "TPRO", "TRSO", "GRP1",
  ]

  /// Every name of a tag.
  static let names = TagNames.rows.flatMap { [$0.key] + $0.others } + descriptions.keys

  /// The frame for a key in any case, or for a frame's own identifier; nil: it becomes a `TXXX`
  /// frame, or one of `ID3Slot`.
  static func frame(for key: String) -> String? {
    if let row = TagNames.row(of: key) { return row.frame }
    return TagNames.row(ofFrame: key) != nil || nameless.contains(key) ? key : nil
  }

  /// The key of what stands in a frame; nil: its identifier is its key.
  static func key(ofFrame identifier: String) -> String? { TagNames.row(ofFrame: identifier)?.key }

  /// Frames that 2.3 does not have. The sort orders are read in both all the same, and so is what
  /// Apple added.
  static let newFrames: Set<String> = [
    "TDEN", "TDRL", "TDTG", "TMOO", "TPRO", "TSST",
  ]

  /// Frames of functions and names in turns; 2.3 has one for both (2.3.0 §4.4).
  static let people: Set<String> = ["TIPL", "TMCL", "IPLS"]

  /// Frames that hold a time stamp (main structure §4).
  static let timeStamps: Set<String> = ["TDEN", "TDOR", "TDRC", "TDRL", "TDTG"]

  /// What MusicBrainz's own programs call the `TXXX` frames of its identifiers (Picard's "Tag
  /// Mapping", EasyID3).
  static let descriptions: [String: String] = [
    "musicbrainz_albumartistid": "MusicBrainz Album Artist Id",
    "musicbrainz_albumid": "MusicBrainz Album Id",
    "musicbrainz_albumstatus": "MusicBrainz Album Status",
    "musicbrainz_albumtype": "MusicBrainz Album Type",
    "musicbrainz_artistid": "MusicBrainz Artist Id",
    "musicbrainz_discid": "MusicBrainz Disc Id",
    "musicbrainz_releasegroupid": "MusicBrainz Release Group Id",
    "musicbrainz_releasetrackid": "MusicBrainz Release Track Id",
    "musicbrainz_workid": "MusicBrainz Work Id",
    "releasecountry": "MusicBrainz Album Release Country",
    "performer": "PERFORMER",
    "work": "WORK",
    "movement_count": "MOVEMENTTOTAL",
    "show_movement": "SHOWMOVEMENT",
    "advisory": "ITUNESADVISORY",
    "acoustid_id": "Acoustid Id",
    "acoustid_fingerprint": "Acoustid Fingerprint",
  ]

  static let keyOfDescription = Dictionary(
    descriptions.map { ($0.value.lowercased(), $0.key) }, uniquingKeysWith: { first, _ in first })

  /// The description of the `TXXX` frame for a key.
  static func description(for key: String) -> String {
    descriptions[key.lowercased()] ?? key
  }

  /// The description for a key that other programs have another name for, also of the recording's
  /// identifier, which is a frame of its own in ID3 alone.
  static func foreignDescription(for key: String) -> String? {
    let name = key.lowercased()
    return name == recording.key ? recording.description : descriptions[name]
  }

  /// The key of a description.
  static func key(ofForeignDescription text: String) -> String? {
    let name = text.lowercased()
    return name == recording.description.lowercased() ? recording.key : keyOfDescription[name]
  }

  private static let recording = (
    key: "musicbrainz_trackid", description: "MusicBrainz Track Id"
  )

  /// The key of a `TXXX` frame; `TXXX` without a description.
  static func key(ofDescription text: String) -> String {
    if text.isEmpty { return "TXXX" }
    let name = text.lowercased()
    // A frame with this description is not one without a description, nor one with the rest of it.
    if name == "txxx" || name.hasPrefix("txxx:") { return "TXXX:" + text }
    return unsyncedLyrics.contains(name) ? "lyrics" : keyOfDescription[name] ?? text
  }

  /// Descriptions of lyrics: FFmpeg writes `USLT` as one, which is a frame of its own (§4.8), and
  /// foobar2000 and Mp3tag have the others. Lyrics with times keep their names: their text is another one.
  private static let unsyncedLyrics: Set = ["uslt", "unsynced lyrics", "unsyncedlyrics"]

  /// The owner of the `UFID` frame that identifies a recording (Picard's "Tag Mapping").
  static let musicBrainz = "http://musicbrainz.org"

  /// What 2.2 called the frames of 2.3 (2.2.0 §4); its others are of no use here.
  static let olderFrames: [String: String] = [
    "BUF": "RBUF", "COM": "COMM", "GP1": "GRP1", "IPL": "IPLS", "MVI": "MVIN", "MVN": "MVNM",
    "PCS": "PCST", "PIC": "APIC", "TAL": "TALB", "TBP": "TBPM", "TCM": "TCOM", "TCO": "TCON",
    "TCP": "TCMP", "TCR": "TCOP", "TCT": "TCAT", "TDA": "TDAT", "TDR": "TDRL", "TDS": "TDES",
    "TDY": "TDLY", "TEN": "TENC", "TFT": "TFLT", "TID": "TGID", "TIM": "TIME", "TKE": "TKEY",
    "TKW": "TKWD", "TLA": "TLAN", "TLE": "TLEN", "TMT": "TMED", "TOA": "TOPE", "TOF": "TOFN",
    "TOL": "TOLY", "TOR": "TORY", "TOT": "TOAL", "TP1": "TPE1", "TP2": "TPE2", "TP3": "TPE3",
    "TP4": "TPE4", "TPA": "TPOS", "TPB": "TPUB", "TRC": "TSRC", "TRD": "TRDA", "TRK": "TRCK",
    "TS2": "TSO2", "TSA": "TSOA", "TSC": "TSOC", "TSP": "TSOP", "TSS": "TSSE", "TST": "TSOT",
    "TT1": "TIT1", "TT2": "TIT2", "TT3": "TIT3", "TXT": "TEXT", "TXX": "TXXX", "TYE": "TYER",
    "UFI": "UFID", "ULT": "USLT", "WAF": "WOAF", "WAR": "WOAR", "WAS": "WOAS", "WCM": "WCOM",
    "WCP": "WCOP", "WFD": "WFED", "WPB": "WPUB", "WXX": "WXXX",
  ]
}
