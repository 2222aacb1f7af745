import Diagnosis
import MediaComposition
import Tagging

/// What a Matroska file holds beside its sound, of which libavformat passes on less: of tags the
/// last of each name, of chapters neither editions, flags nor nesting.
extension ContainerFacts {
  /// Names of elements (RFC 9559, 5.1; RFC 8794, 11).
  enum MatroskaID {
    static let header: UInt32 = 0x1A45_DFA3
    static let segment: UInt32 = 0x1853_8067
    static let seekHead: UInt32 = 0x114D_9B74
    static let seek: UInt32 = 0x4DBB
    static let seekID: UInt32 = 0x53AB
    static let seekPosition: UInt32 = 0x53AC
    static let tracks: UInt32 = 0x1654_AE6B
    static let trackEntry: UInt32 = 0xAE
    static let trackUID: UInt32 = 0x73C5
    static let language: UInt32 = 0x22_B59C
    static let languageBCP47: UInt32 = 0x22_B59D
    static let video: UInt32 = 0xE0
    /// At the bottom, at the top, at the left and at the right.
    static let pixelCrops: Set<UInt32> = [0x54AA, 0x54BB, 0x54CC, 0x54DD]
    static let tags: UInt32 = 0x1254_C367
    static let chapters: UInt32 = 0x1043_A770
    static let cluster: UInt32 = 0x1F43_B675
    static let void: UInt32 = 0xEC
    static let checksum: UInt32 = 0xBF
  }

  /// More elements than any honest file has before its sound.
  private static let elementLimit = 1000
  /// Places in tables that are looked at.
  private static let placeLimit = 32
  /// Bytes that are read of an element.
  private static let contentLimit = 1 << 24

  /// The tags of a file and of its `stream`th track; nil where the file is no Matroska.
  static func matroskaTags(
    in medium: MediumBytes, stream: Int
  ) throws(Failure) -> SourceTags? {
    guard let elements = try elements([MatroskaID.tracks, MatroskaID.tags], in: medium) else {
      return nil
    }
    var tags = SourceTags()
    var track: UInt64?
    if let tracks = elements.first(where: { $0.id == MatroskaID.tracks }) {
      let entries = try entries(of: tracks, medium)
      if entries.indices.contains(stream) {
        track = entries[stream].first { $0.id == MatroskaID.trackUID }?.number
      }
      tags.unread += lostLanguages(of: entries)
    }
    for element in elements where element.id == MatroskaID.tags {
      let found = MatroskaTags(parsing: try content(element.body, medium)[...])
      let items = found.items.filter { $0.track == 0 || $0.track == track }
      let hasTrackLevel = items.contains { $0.level == trackLevel }
      let groups = Dictionary(grouping: items) { key(of: $0, besideTrackLevel: hasTrackLevel) }
      let languages = groups.mapValues(MatroskaTags.plainLanguage)
      for item in items {
        var key = key(of: item, besideTrackLevel: hasTrackLevel)
        let plain = languages[key] ?? nil
        // libavformat has the last of a name, of whatever level, and of each language.
        tags.otherKeys.insert(Self.key(of: item, besideTrackLevel: false).lowercased())
        if let language = item.language {
          tags.otherKeys.insert("\(item.name)-\(language)".lowercased())
          // Lyrics keep their language.
          if language != plain || TagNames.isLyrics(key) {
            key = TagNames.field(of: key) + "-" + language
          }
        }
        tags.add(item.value, to: key)
        if item.isGuessed, !tags.guessed.contains(key) { tags.guessed.append(key) }
      }
      tags.unread += found.binary
      if element.body.count > contentLimit { tags.unread.append("tags beyond 16 MiB") }
    }
    return tags
  }

  /// What a Matroska file says of each of its tracks; nothing where the file is no Matroska.
  static func matroskaTracks(in medium: MediumBytes) throws(Failure) -> [[EBMLElement]] {
    guard let tracks = try elements([MatroskaID.tracks], in: medium)?.first else { return [] }
    return try entries(of: tracks, medium)
  }

  private static func entries(
    of tracks: Placed, _ medium: MediumBytes
  ) throws(Failure) -> [[EBMLElement]] {
    EBMLElement.all(in: try content(tracks.body, medium)[...])
      .filter { $0.id == MatroskaID.trackEntry }.map { EBMLElement.all(in: $0.body) }
  }

  /// The chapters of a Matroska file; nil where it has none.
  static func matroskaChapters(in medium: MediumBytes) throws(Failure) -> MatroskaChapters? {
    guard let element = try elements([MatroskaID.chapters], in: medium)?.first else { return nil }
    guard element.body.count <= contentLimit else { return .tooLong }
    return MatroskaChapters(try content(element.body, medium)[...])
  }

  private static let trackLevel: UInt64 = 30

  /// FFmpeg's names of two (`ff_mkv_metadata_conv`). Beside tags of the track, those of levels above
  /// are its album's.
  private static func key(of item: MatroskaTags.Item, besideTrackLevel: Bool) -> String {
    switch (item.name, isAbove: besideTrackLevel && item.level > trackLevel) {
    case ("LEAD_PERFORMER", _): "performer"
    case ("PART_NUMBER", false): "track"
    case ("PART_NUMBER", true) where item.level == 40: "disc"
    case ("TITLE", true): "album"
    case ("ARTIST", true): "album_artist"
    default: TagNames.key(ofMatroska: item.name)
    }
  }

  private typealias Placed = (id: UInt32, body: Range<Int64>)

  /// The segment's elements of these kinds that stand before its sound, or where tables before it
  /// say (RFC 9559, 5.1.1); nil where the file is no Matroska.
  private static func elements(
    _ wanted: Set<UInt32>, in medium: MediumBytes
  ) throws(Failure) -> [Placed]? {
    let whole = 0..<(try medium.size())
    guard let header = try element(at: 0, in: whole, medium), header.id == MatroskaID.header,
      let segment = try element(at: header.body.upperBound, in: whole, medium)?.body
    else { return nil }
    var found: [Placed] = []
    var seen: Set<Int64> = []
    var places: [Int64] = []
    func look(at offset: Int64) throws(Failure) -> Placed? {
      guard let element = try element(at: offset, in: segment, medium),
        seen.insert(offset).inserted
      else { return nil }
      if wanted.contains(element.id) { found.append(element) }
      if element.id == MatroskaID.seekHead {
        places += try seeks(wanted, in: element.body, of: segment, medium)
      }
      return element
    }
    var offset = segment.lowerBound
    for _ in 0..<elementLimit {
      guard let element = try look(at: offset), element.id != MatroskaID.cluster else { break }
      offset = element.body.upperBound
    }
    var next = 0
    while next < min(places.count, placeLimit) {
      _ = try look(at: places[next])
      next += 1
    }
    return found
  }

  /// An element; one of unknown size lasts to the end of `range`.
  private static func element(
    at offset: Int64, in range: Range<Int64>, _ medium: MediumBytes
  ) throws(Failure) -> Placed? {
    guard range.contains(offset) else { return nil }
    let bytes = try medium.bytes(at: offset, count: EBMLElement.Head.longest)
    guard let head = EBMLElement.Head(bytes[...]) else { return nil }
    let start = offset + Int64(head.count)
    let (end, isTooMuch) = start.addingReportingOverflow(
      head.size.map { Int64(clamping: $0) } ?? range.upperBound - start)
    guard !isTooMuch, start <= end, end <= range.upperBound else {
      return start <= range.upperBound ? (head.id, start..<range.upperBound) : nil
    }
    return (head.id, start..<end)
  }

  private static func content(
    _ range: Range<Int64>, _ medium: MediumBytes
  ) throws(Failure) -> [UInt8] {
    try medium.bytes(at: range.lowerBound, count: min(range.count, contentLimit))
  }

  /// Where elements of these kinds, and other tables, lie by a table of the segment.
  private static func seeks(
    _ wanted: Set<UInt32>, in range: Range<Int64>, of segment: Range<Int64>, _ medium: MediumBytes
  ) throws(Failure) -> [Int64] {
    var found: [Int64] = []
    for seek in EBMLElement.all(in: try content(range, medium)[...])
    where seek.id == MatroskaID.seek {
      let parts = EBMLElement.all(in: seek.body)
      guard let id = parts.first(where: { $0.id == MatroskaID.seekID })?.number,
        UInt32(exactly: id).map({ wanted.contains($0) || $0 == MatroskaID.seekHead }) == true,
        let position = parts.first(where: { $0.id == MatroskaID.seekPosition })?.number
      else { continue }
      let (place, isTooMuch) = segment.lowerBound.addingReportingOverflow(Int64(clamping: position))
      if !isTooMuch { found.append(place) }
    }
    return found
  }
}
