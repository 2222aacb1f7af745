/// The names of tags in every format: the one table that readers, writers and the job language ask.
///
/// Keys are FFmpeg's generic ones (`ff_id3v2_34_metadata_conv`, `ff_id3v2_4_metadata_conv`, but for
/// `TPE3`; those of podcasts from mov.c), else in their manner those of mutagen's EasyID3 and of
/// TagLib. Frames are those of ID3v2.4 (native frames §4), and what Apple added to them; atoms those of
/// iTunes, as mutagen's `mutagen.mp4` has them; fields those of Xiph's "Ogg Vorbis I format specification:
/// comment field", else of Picard's "Tag Mapping"; chunks those of RIFF's INFO list
/// (`ff_riff_info_conv`).
package enum TagNames {
  /// One tag.
  package struct Row: Sendable {
    /// The tag's own name here.
    package let key: String
    /// Its frame in ID3v2.4; nil: it becomes a `TXXX` frame.
    package let frame: String?
    /// Its field in Vorbis comments, and the name of a free-form atom in MP4.
    package let field: String
    /// Its atom in MP4; nil: it becomes a free-form one.
    package let atom: Atom?
    /// Whether RIFF's INFO list has a place for it.
    package let isInRIFF: Bool
    /// Its names in other programs.
    package let others: [String]

    /// Whether it has one value: a time, a number, or yes or no.
    package var holdsOneValue: Bool {
      switch atom?.kind {
      case .pair?, .number?, .boolean?: true
      case .text?, nil: TagNames.singular.contains(key)
      }
    }
  }

  /// Tags of one value that have no atom of a number: times, and a place.
  private static let singular: Set = [
    "date", "release_date", "original_date", "creation_time", "purchase_date", "location",
  ]

  /// An atom of MP4's item list (`ilst`).
  package struct Atom: Sendable, Hashable {
    /// How it holds its value.
    package enum Kind: Sendable, Hashable {
      case text
      /// `3/12` as two numbers.
      case pair
      /// A number of so many bytes.
      case number(bytes: Int)
      case boolean
    }

    /// Four characters of Latin-1.
    package let name: String
    package let kind: Kind
  }

  private static func row(
    _ key: String, _ frame: String?, _ field: String, _ atom: String? = nil,
    _ kind: Atom.Kind = .text, riff: Bool = false, others: [String] = []
  ) -> Row {
    Row(
      key: key, frame: frame, field: field, atom: atom.map { Atom(name: $0, kind: kind) },
      isInRIFF: riff, others: others)
  }

  // tidy: long because it is a table
  package static let rows: [Row] = [
    row("title", "TIT2", "TITLE", "©nam", riff: true),
    row("subtitle", "TIT3", "SUBTITLE", "©st3", others: ["version"]),
    row("artist", "TPE1", "ARTIST", "©ART", riff: true),
    row("album", "TALB", "ALBUM", "©alb", riff: true),
    row("album_artist", "TPE2", "ALBUMARTIST", "aART", others: ["albumartist"]),
    // FFmpeg calls `TPE3` a performer; the standard has conductors there (§4.2.2).
    row("conductor", "TPE3", "CONDUCTOR"),
    row("performer", nil, "PERFORMER"),
    row("remixer", "TPE4", "REMIXER", others: ["mixartist"]),
    row("arranger", nil, "ARRANGER"),
    row("composer", "TCOM", "COMPOSER", "©wrt"),
    row("lyricist", "TEXT", "LYRICIST"),
    row("track", "TRCK", "TRACKNUMBER", "trkn", .pair, riff: true, others: ["tracknumber"]),
    row("disc", "TPOS", "DISCNUMBER", "disk", .pair, others: ["discnumber"]),
    row("disc_subtitle", "TSST", "DISCSUBTITLE", others: ["discsubtitle", "setsubtitle"]),
    row("date", "TDRC", "DATE", "©day", riff: true, others: ["year"]),
    row("release_date", "TDRL", "RELEASEDATE", others: ["releasedate"]),
    row("original_date", "TDOR", "ORIGINALDATE", others: ["originaldate", "originalyear"]),
    row("creation_time", "TDEN", "ENCODINGTIME", others: ["encodingtime"]),
    row("genre", "TCON", "GENRE", "©gen", riff: true),
    row("mood", "TMOO", "MOOD"),
    row("grouping", "TIT1", "GROUPING", "©grp", others: ["contentgroup"]),
    row("bpm", "TBPM", "BPM", "tmpo", .number(bytes: 2), others: ["tmpo"]),
    row("initial_key", "TKEY", "INITIALKEY", others: ["initialkey"]),
    row("language", "TLAN", "LANGUAGE", riff: true),
    row("isrc", "TSRC", "ISRC"),
    row("publisher", "TPUB", "PUBLISHER", others: ["organization", "label"]),
    row("copyright", "TCOP", "COPYRIGHT", "cprt", riff: true),
    row("encoded_by", "TENC", "ENCODEDBY", riff: true, others: ["encodedby", "encoded-by"]),
    row("encoder", "TSSE", "ENCODER", "©too", riff: true),
    row("media", "TMED", "MEDIA"),
    row("compilation", "TCMP", "COMPILATION", "cpil", .boolean),
    row("original_artist", "TOPE", "ORIGINALARTIST", others: ["originalartist"]),
    row("original_album", "TOAL", "ORIGINALALBUM", others: ["originalalbum"]),
    row("original_lyricist", "TOLY", "ORIGINALLYRICIST", others: ["originallyricist"]),
    row("original_filename", "TOFN", "ORIGINALFILENAME", others: ["originalfilename"]),
    row("station", "TRSN", "STATION", others: ["radiostation"]),
    row("owner", "TOWN", "OWNER", others: ["fileowner"]),
    row("title-sort", "TSOT", "TITLESORT", "sonm", others: ["titlesort", "sort_name"]),
    row("artist-sort", "TSOP", "ARTISTSORT", "soar", others: ["artistsort", "sort_artist"]),
    row("album-sort", "TSOA", "ALBUMSORT", "soal", others: ["albumsort", "sort_album"]),
    row(
      "album_artist-sort", "TSO2", "ALBUMARTISTSORT", "soaa",
      others: ["albumartistsort", "sort_album_artist"]),
    row(
      "composer-sort", "TSOC", "COMPOSERSORT", "soco", others: ["composersort", "sort_composer"]),
    row("show-sort", nil, "SHOWSORT", "sosn", others: ["showsort", "sort_show"]),
    row("movement", "MVNM", "MOVEMENTNAME", "©mvn", others: ["movementname"]),
    row(
      "movement_number", "MVIN", "MOVEMENT", "©mvi", .number(bytes: 2), others: ["movementnumber"]),
    row(
      "movement_count", nil, "MOVEMENTTOTAL", "©mvc", .number(bytes: 2), others: ["movementtotal"]),
    row("show_movement", nil, "SHOWMOVEMENT", "shwm", .number(bytes: 1), others: ["showmovement"]),
    row("work", nil, "WORK", "©wrk"),
    row("podcast", "PCST", "PODCAST", "pcst", .boolean),
    row("podcast_url", "WFED", "PODCASTURL", "purl", others: ["podcasturl"]),
    row("episode_uid", "TGID", "PODCASTID", "egid", others: ["podcastid"]),
    row("category", "TCAT", "CATEGORY", "catg", others: ["podcastcategory"]),
    row("description", "TDES", "DESCRIPTION", "desc", others: ["podcastdesc"]),
    row("keywords", "TKWD", "KEYWORDS", "keyw", others: ["podcastkeywords"]),
    row("website", "WOAR", "WEBSITE", others: ["artistwebpage"]),
    row("file_url", "WOAF", "FILE_URL", others: ["filewebpage"]),
    row("source_url", "WOAS", "SOURCE_URL", others: ["audiosourcewebpage"]),
    row("station_url", "WORS", "STATION_URL", others: ["radiostationwebpage"]),
    row("publisher_url", "WPUB", "PUBLISHER_URL", others: ["publisherwebpage"]),
    row("copyright_url", "WCOP", "COPYRIGHT_URL", others: ["copyrighturl"]),
    row("payment_url", "WPAY", "PAYMENT_URL", others: ["paymentwebpage"]),
    row("commercial_url", "WCOM", "COMMERCIAL_URL"),
    row("location", nil, "LOCATION"),
    row("make", nil, "MAKE"),
    row("model", nil, "MODEL"),
    row("comment", nil, "COMMENT", "©cmt", riff: true),
    row("lyrics", nil, "LYRICS", "©lyr"),
    row("synopsis", nil, "SYNOPSIS", "ldes"),
    row("show", nil, "SHOW", "tvsh"),
    row("episode_id", nil, "EPISODE_ID", "tven"),
    row("network", nil, "NETWORK", "tvnn"),
    row("season_number", nil, "SEASON_NUMBER", "tvsn", .number(bytes: 4)),
    row("episode_sort", nil, "EPISODE_SORT", "tves", .number(bytes: 4)),
    row("media_type", nil, "MEDIA_TYPE", "stik", .number(bytes: 1)),
    row("gapless_playback", nil, "GAPLESS_PLAYBACK", "pgap", .boolean),
    row("hd_video", nil, "HD_VIDEO", "hdvd", .number(bytes: 1)),
    row("advisory", nil, "ITUNESADVISORY", "rtng", .number(bytes: 1), others: ["itunesadvisory"]),
    row("account_id", nil, "ACCOUNT_ID", "apID"),
    row("purchase_date", nil, "PURCHASE_DATE", "purd"),
  ]

  private static let byName: [String: Row] = {
    var found: [String: Row] = [:]
    for row in rows { found[row.key] = row }
    for row in rows { for other in row.others where found[other] == nil { found[other] = row } }
    return found
  }()

  private static let byFrame = rows.keyed { $0.frame }
  private static let byField = rows.keyed { $0.field.lowercased() }
  private static let byAtom = rows.keyed { $0.atom?.name }

  /// The tag of a name, its own or another program's, in any case.
  package static func row(of name: String) -> Row? { byName[name.lowercased()] }

  /// The tag of an ID3v2.4 frame.
  package static func row(ofFrame identifier: String) -> Row? { byFrame[identifier] }

  /// The tag of an atom.
  package static func row(ofAtom name: String) -> Row? { byAtom[name] }

  /// The key of a field of Vorbis comments, or of a tag that has a key's own name, in any case; the
  /// field's name where it is none. Names of other programs stay, so that a field keeps its name.
  package static func key(ofField name: String) -> String {
    let lower = name.lowercased()
    if let row = byField[lower] { return row.key }
    return byName[lower].flatMap { $0.key == lower ? lower : nil } ?? name
  }

  /// The key of a name in QuickTime's metadata: plain ones are those of FFmpeg's
  /// `-movflags use_metadata_tags`, Apple's have a prefix (QuickTime File Format, "Metadata keys").
  package static func key(ofQuickTime name: String) -> String {
    name.lowercased().hasPrefix(apple) ? key(ofApple: name) ?? name : key(ofField: name)
  }

  /// The key of one of Apple's names in QuickTime's metadata, in any case; nil: it has none.
  package static func key(ofApple name: String) -> String? {
    let name = name.lowercased()
    guard name.hasPrefix(apple) else { return nil }
    let rest = String(name.dropFirst(apple.count))
    return appleNames[rest] ?? (quickTime.contains(rest) ? rest : nil)
  }

  /// What the names of phones begin with, in QuickTime's metadata.
  static let phones = [apple, "com.android."]

  /// The key of a name in Matroska, where libavformat writes all in capitals, also those of phones.
  package static func key(ofMatroska name: String) -> String {
    let lower = name.lowercased()
    guard phones.contains(where: lower.hasPrefix) else { return key(ofField: name) }
    return key(ofApple: lower) ?? lower
  }

  /// Apple's name of where, when and with what a movie was recorded; nil of other tags.
  static func quickTimeName(of key: String) -> String? {
    switch key {
    case "location": apple + "location.ISO6709"
    case "date": apple + "creationdate"
    case "make", "model": apple + key
    default: nil
    }
  }

  private static let apple = "com.apple.quicktime."
  private static let appleNames = [
    "creationdate": "date", "year": "date", "location.iso6709": "location",
  ]
  private static let quickTime: Set = [
    "title", "artist", "album", "comment", "copyright", "description", "genre", "keywords",
    "publisher", "make", "model",
  ]

  /// The field of Vorbis comments for a key.
  package static func field(of key: String) -> String {
    let lower = key.lowercased()
    return byName[lower].flatMap { $0.key == lower ? $0.field : nil } ?? key
  }

  /// Chunks of RIFF's INFO list that libavformat writes under their own names, in capitals
  /// (`ff_riff_tags` in libavformat's riff.c).
  private static let info: Set<String> = [
    "IARL", "ICMS", "ICRP", "IDIM", "IDPI", "IENG", "IKEY", "ILGT", "IMED", "IPLT", "ISBJ", "ISHP",
    "ISRC", "ISRF", "ITCH",
  ]

  /// libavformat's keys of the others (`ff_riff_info_conv`).
  private static let keysOfInfo = [
    "IART": "artist", "ICMT": "comment", "ICOP": "copyright", "ICRD": "date", "IGNR": "genre",
    "ILNG": "language", "INAM": "title", "IPRD": "album", "IPRT": "track", "ITRK": "track",
    "ISFT": "encoder", "ISMP": "timecode", "ITCH": "encoded_by",
  ]

  /// Names of lyrics without times and with them, without what may part their words: ID3's frames, which
  /// FFmpeg writes as descriptions of `TXXX`, what foobar2000, Mp3tag and Picard call their fields, and
  /// those of Windows Media.
  private static let lyricsNames: Set<Substring> = [
    "lyrics", "uslt", "unsyncedlyrics", "unsynchronisedlyrics", "unsynchronizedlyrics", "sylt",
    "syncedlyrics", "synchronisedlyrics", "synchronizedlyrics", "lyricssynchronised",
  ]

  /// Whether a tag has lyrics by any program's name for them, in any case: also in a language, as FFmpeg
  /// names them (`lyrics-eng`), and with a description, as TagLib does (`lyrics:Live`). O(length)
  package static func isLyrics(_ name: String) -> Bool {
    let plain = name.lowercased().prefix { $0 != ":" }
    let parts = (plain.hasPrefix("wm/") ? plain.dropFirst(3) : plain)
      .split(separator: "-", maxSplits: 3, omittingEmptySubsequences: false)
    var known: Substring = ""
    return parts.contains { part in
      known += part.filter { $0 != " " && $0 != "_" }
      return lyricsNames.contains(known)
    }
  }

  /// The key of a chunk of RIFF's INFO list; its name where it has none.
  package static func key(ofInfo name: String) -> String { keysOfInfo[name] ?? name }

  /// The chunk of RIFF's INFO list for a key; nil where it has none.
  package static func infoName(of key: String) -> String? {
    if info.contains(key) { return key }
    let key = key.lowercased()
    // Two are read as `track`.
    return key == "track" ? "IPRT" : keysOfInfo.first { $0.value == key }?.key
  }

  /// Whether a key is such a chunk's name.
  package static func isInfo(_ key: String) -> Bool { info.contains(key) }

  /// The keys that a number's total has in Vorbis comments, beside the key of the number.
  package static let totals: [(number: String, totals: [String])] = [
    ("track", ["tracktotal", "totaltracks"]), ("disc", ["disctotal", "totaldiscs"]),
  ]
}

extension [TagNames.Row] {
  fileprivate func keyed(_ name: (TagNames.Row) -> String?) -> [String: TagNames.Row] {
    Dictionary(
      compactMap { row in name(row).map { ($0, row) } }, uniquingKeysWith: { first, _ in first })
  }
}
