/// The names of tags and the frames that they belong into: the one table that the writer, the
/// reader and the job language ask.
///
/// Names are FFmpeg's generic ones (`ff_id3v2_34_metadata_conv`, `ff_id3v2_4_metadata_conv`; those
/// of podcasts from mov.c), else in their manner those of mutagen's EasyID3 and of TagLib. Frames
/// are those of ID3v2.4 (native frames §4), and what Apple added to them.
enum ID3Keys {
  /// A tag's own name, its frame, and its names in other programs.
  private static let table: [(key: String, frame: String, others: [String])] = [
    ("title", "TIT2", []),
    ("subtitle", "TIT3", ["version"]),
    ("artist", "TPE1", []),
    ("album", "TALB", []),
    ("album_artist", "TPE2", ["albumartist"]),
    ("performer", "TPE3", ["conductor"]),
    ("remixer", "TPE4", ["arranger", "mixartist"]),
    ("composer", "TCOM", []),
    ("lyricist", "TEXT", []),
    ("track", "TRCK", ["tracknumber"]),
    ("disc", "TPOS", ["discnumber"]),
    ("disc_subtitle", "TSST", ["discsubtitle", "setsubtitle"]),
    ("date", "TDRC", ["year"]),
    ("release_date", "TDRL", ["releasedate"]),
    ("original_date", "TDOR", ["originaldate", "originalyear"]),
    ("creation_time", "TDEN", ["encodingtime"]),
    ("genre", "TCON", []),
    ("mood", "TMOO", []),
    ("grouping", "TIT1", ["contentgroup"]),
    ("bpm", "TBPM", ["tmpo"]),
    ("initial_key", "TKEY", ["initialkey"]),
    ("language", "TLAN", []),
    ("isrc", "TSRC", []),
    ("publisher", "TPUB", ["organization", "label"]),
    ("copyright", "TCOP", []),
    ("encoded_by", "TENC", ["encodedby"]),
    ("encoder", "TSSE", []),
    ("media", "TMED", []),
    ("compilation", "TCMP", []),
    ("original_artist", "TOPE", ["originalartist"]),
    ("original_album", "TOAL", ["originalalbum"]),
    ("original_lyricist", "TOLY", ["originallyricist"]),
    ("original_filename", "TOFN", ["originalfilename"]),
    ("station", "TRSN", ["radiostation"]),
    ("owner", "TOWN", ["fileowner"]),
    ("title-sort", "TSOT", ["titlesort", "sort_name"]),
    ("artist-sort", "TSOP", ["artistsort", "sort_artist"]),
    ("album-sort", "TSOA", ["albumsort", "sort_album"]),
    ("album_artist-sort", "TSO2", ["albumartistsort", "sort_album_artist"]),
    ("composer-sort", "TSOC", ["composersort", "sort_composer"]),
    ("movement", "MVNM", ["movementname"]),
    ("movement_number", "MVIN", ["movementnumber"]),
    ("podcast", "PCST", []),
    ("podcast_url", "WFED", ["podcasturl"]),
    ("episode_uid", "TGID", ["podcastid"]),
    ("category", "TCAT", ["podcastcategory"]),
    ("description", "TDES", ["podcastdesc"]),
    ("keywords", "TKWD", ["podcastkeywords"]),
    ("website", "WOAR", ["artistwebpage"]),
    ("file_url", "WOAF", ["filewebpage"]),
    ("source_url", "WOAS", ["audiosourcewebpage"]),
    ("station_url", "WORS", ["radiostationwebpage"]),
    ("publisher_url", "WPUB", ["publisherwebpage"]),
    ("copyright_url", "WCOP", ["copyrighturl"]),
    ("payment_url", "WPAY", ["paymentwebpage"]),
    ("commercial_url", "WCOM", []),
  ]

  /// Frames that have no name of their own here: their identifier is their key, as FFmpeg has it.
  private static let nameless: Set<String> = [
    "TDLY", "TDTG", "TFLT", "TIPL", "TLEN", "TMCL", "TPRO", "TRSO", "GRP1",
  ]

  /// Every name of a tag, and those that only other containers have.
  static let names =
    table.flatMap { [$0.key] + $0.others } + descriptions.keys + [
      "comment", "lyrics", "synopsis", "show", "episode_id", "network", "season_number",
      "media_type",
    ]

  private static let frameOfKey: [String: String] = {
    var frames: [String: String] = [:]
    for (key, frame, others) in table {
      for name in [key] + others { frames[name] = frame }
    }
    return frames
  }()

  private static let keyOfFrame = Dictionary(
    table.map { ($0.frame, $0.key) }, uniquingKeysWith: { first, _ in first })

  /// The frame for a key in any case, or for a frame's own identifier; nil: it becomes a `TXXX`
  /// frame, or one of `ID3Slot`.
  static func frame(for key: String) -> String? {
    if let frame = frameOfKey[key.lowercased()] { return frame }
    return keyOfFrame[key] != nil || nameless.contains(key) ? key : nil
  }

  /// The key of what stands in a frame; nil: its identifier is its key.
  static func key(ofFrame identifier: String) -> String? { keyOfFrame[identifier] }

  /// Frames that 2.3 does not have. The sort orders are read in both all the same, and so is what
  /// Apple added.
  static let newFrames: Set<String> = [
    "TDEN", "TDRL", "TDTG", "TIPL", "TMCL", "TMOO", "TPRO", "TSST",
  ]

  /// Frames that hold a time stamp (main structure §4).
  static let timeStamps: Set<String> = ["TDEN", "TDOR", "TDRC", "TDRL", "TDTG"]

  /// What MusicBrainz's own programs call the `TXXX` frames of its identifiers (Picard's "Tag
  /// Mapping", EasyID3).
  private static let descriptions: [String: String] = [
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
    "acoustid_id": "Acoustid Id",
    "acoustid_fingerprint": "Acoustid Fingerprint",
  ]

  private static let keyOfDescription = Dictionary(
    descriptions.map { ($0.value.lowercased(), $0.key) }, uniquingKeysWith: { first, _ in first })

  /// The description of the `TXXX` frame for a key.
  static func description(for key: String) -> String { descriptions[key.lowercased()] ?? key }

  /// The key of a `TXXX` frame.
  static func key(ofDescription text: String) -> String {
    if text.isEmpty { return "TXXX" }
    return keyOfDescription[text.lowercased()] ?? text
  }

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
