/// What a tag or a chunk says, and so what becomes of it when the sound is edited: the one table for all
/// containers (docs/broadcast.md).
package enum TagClass: Sendable, Hashable {
  /// About the work, as a title: true of any edit of it.
  case content
  /// The date in the header of a movie, when a camera recorded it: true of any edit of it, in an output
  /// that has such a header (`HeaderDate`).
  case headerDate
  /// A place in the sound: it moves with the edit.
  case place(Place)
  /// Times in the sound, in the words of another program: true as long as all of the sound comes out, at
  /// its own times.
  case times
  /// A measurement of level, as ReplayGain: true as long as all of the sound comes out at its level.
  case level
  /// A measurement or an identity of the samples: true as long as they are the same.
  case samples
  /// A digest of the sound as the file stores it: true as long as the same samples have the same bytes.
  case bytes
  /// A change of an MP3's frames that can be undone: true of these frames alone.
  case frames
  /// About the file itself, which each file has its own of.
  case file
  /// Of unknown meaning: kept only as long as the samples are the same.
  case unknown

  /// How a place is told.
  package enum Place: Sendable, Hashable {
    /// When the sound begins, in frames since midnight (EBU Tech 3285, 2.3).
    case timeReference
    /// One of the ends of a loop, or its length (`LoopTags`).
    case loop
    /// A moment, in seconds of the file; of the end of something it is the moment behind.
    case seconds(isEnd: Bool)
    /// How long something at a place takes, in seconds.
    case length
    /// Several facts, of which `MediaMarks` has each.
    case marks
  }

  /// Whether it is about the sound of one source, and so never true of another's.
  package var isOfSound: Bool {
    switch self {
    case .place, .times, .level, .samples, .bytes, .frames: true
    case .content, .headerDate, .file, .unknown: false
    }
  }

  /// That of a tag, by its key in any case.
  package init(of key: String) {
    // Behind a colon, as in `org.hydrogenaudio.replaygain:replaygain_track_gain` of MP4.
    let lower = key.lowercased()
    let name = lower.split(separator: ":").last.map(String.init) ?? lower
    if let known = Self.tags[name] {
      self = known
    } else if LoopTags.Part(key: name) != nil {
      self = .place(.loop)
    } else if name.hasPrefix("mp3gain_") {
      self = .frames
    } else if name.hasPrefix("replaygain_") || name.hasPrefix("r128_") {
      self = name.hasSuffix("_peak") ? .samples : .level
    } else {
      self = .content
    }
  }

  /// That of a chunk of RIFF, AIFF or CAF, by its four characters; of a list they are followed by its own,
  /// as in `LIST adtl`.
  package init(ofChunk name: String) { self = Self.chunks[name] ?? .unknown }

  private static let tags: [String: TagClass] = [
    // ReplayGain's first names in Vorbis comments.
    "rg_radio": .level, "rg_audiophile": .level, "rg_peak": .samples,
    "umid": .samples, "acoustid_fingerprint": .samples, "acoustid fingerprint": .samples,
    "time_reference": .place(.timeReference),
    HeaderDate.key: .headerDate,
    // foobar2000's sheet, lines as of an LRC file, and chapters of OverDrive's books.
    "cuesheet": .times, "syncedlyrics": .times, "overdrive mediamarkers": .times,
    // Radio automation (Liquidsoap, AzuraCast).
    "liq_amplify": .level,
    "liq_cue_in": .place(.seconds(isEnd: false)), "liq_cue_out": .place(.seconds(isEnd: true)),
    "liq_cross_start_next": .place(.seconds(isEnd: false)),
    "liq_fade_in": .place(.length), "liq_fade_out": .place(.length),
  ]

  private static let chunks: [String: TagClass] = {
    let rows: [(TagClass, [String])] = [
      (.content, ["LIST INFO", "id3 ", "ID3 ", "NAME", "AUTH", "(c) ", "ANNO", "info", "inst"]),
      (
        .place(.marks),
        [
          "bext", "cart", "iXML", "cue ", "LIST adtl", "smpl", "MARK", "COMT", "INST",
          "mark", "strg",
        ]
      ),
      (.samples, ["PEAK", "peak", "levl", "umid"]),
      (.bytes, ["MD5 "]),
      (
        .file,
        [
          "fmt ", "fact", "data", "ds64", "JUNK", "junk", "PAD ", "FLLR", "filr", "Fake", "free",
          "COMM", "SSND", "FVER", "CHAN", "desc", "chan", "pakt", "kuki", "summary list",
        ]
      ),
    ]
    return Dictionary(
      rows.flatMap { row in row.1.map { ($0, row.0) } }, uniquingKeysWith: { first, _ in first })
  }()
}

/// Gains of a track or an album in the two notations: ReplayGain 2.0 counts from −18 LUFS, in dB, and
/// Opus from −23 LUFS, in 1/256 dB (RFC 7845, 5.2.1).
package enum LevelTag {
  private static let pairs = [
    ("replaygain_track_gain", "R128_TRACK_GAIN"), ("replaygain_album_gain", "R128_ALBUM_GAIN"),
  ]

  /// The tag of Opus for one of ReplayGain; nil where it has none.
  package static func opus(_ key: String, _ value: String) -> (key: String, value: String)? {
    guard let pair = pairs.first(where: { $0.0 == key.lowercased() }),
      let gain = decibels(value)
    else { return nil }
    let steps = ((gain - 5) * 256).rounded()
    guard -32768...32767 ~= steps else { return nil }
    return (pair.1, String(Int(steps)))
  }

  /// The tag of ReplayGain for one of Opus; nil where it has none.
  package static func replayGain(_ key: String, _ value: String) -> (key: String, value: String)? {
    guard let pair = pairs.first(where: { $0.1 == key.uppercased() }),
      let steps = Int16(value)
    else { return nil }
    let hundredths = Int((Double(steps) * 100 / 256).rounded()) + 500
    let (whole, rest) = Int(hundredths.magnitude).quotientAndRemainder(dividingBy: 100)
    return (
      pair.0.uppercased(),
      (hundredths < 0 ? "-" : "") + "\(whole)." + (rest < 10 ? "0" : "") + "\(rest) dB"
    )
  }

  /// Whether a loudness that gains count from is that of ReplayGain 2.0: −18 LUFS, or the 89 dB of its
  /// first version, which stand for the same.
  package static func isUsualReference(_ value: String) -> Bool {
    decibels(value).map { $0 == -18 || $0 == 89 } ?? false
  }

  /// Whether two gains in one notation are the same, as far as the other notation has them.
  package static func isSame(_ one: String, _ other: String, asOpus isOpus: Bool) -> Bool {
    guard let one = decibels(one), let other = decibels(other) else { return false }
    return abs(one - other) <= (isOpus ? 2 : 0.01)
  }

  private static func decibels(_ text: String) -> Double? {
    // Programs of many countries write a comma.
    let number = Substring(
      text.prefix { "+-.,0123456789".contains($0) }.map { $0 == "," ? "." : $0 })
    return Double(number.first == "+" ? number.dropFirst() : number)
  }
}
