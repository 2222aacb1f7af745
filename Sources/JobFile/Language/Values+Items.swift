import Diagnosis
import JSON
import JobModel
import MediaComposition
import SystemPackage
import YAML

/// The kinds of values for sounds and chapters.
extension Values {
  // MARK: Contents

  static let clip: Form = Form(
    "clip", [.text], "a path or an address, and a range, as 'host.wav 1:00..2:30'"
  ) { JSONForm.clip }

  /// An element of a list: a clip, a time, or a map, without times from an end. It is no track.
  private static func listItem() -> JSONValue {
    JSONForm.shapes(
      text: JSONForm.clip.with(["type": "string"]),
      map: JSONForm.all(
        Language.item.reference, ["properties": ["at": placeInList, "duck": ["not": [:]]]]))
  }

  static let placeInList: JSONValue = [
    "not": [
      "anyOf": [
        ["type": "string", "pattern": .text(Pattern.unplacedMoment)], ["type": "object"],
      ]
    ]
  ]

  static let items: NodeNotation<[Item]> = NodeNotation(
    Form(
      "items", [.list], "a list, as [intro.mp3, episode.flac]", maps: { [Language.item] }
    ) { JSONForm.list(of: listItem()) }
  ) { node, decoder, scope in
    // Lists that all jobs of a loop share are decoded once.
    decoder.shared(node, in: scope) { decoder.list(node, scope) }
  }

  static let tracks: NodeNotation<[ItemTrack]> = NodeNotation(
    Form(
      "tracks", [.map], "named tracks, as { voice: host.wav, music: theme.ogg }",
      maps: { [Language.item] }
    ) {
      JSONForm.map(
        of: JSONForm.shapes(
          text: JSONForm.clip, list: JSONForm.list(of: listItem()),
          map: JSONForm.all(Language.item.reference, ["properties": ["at": placeInList]])),
        isEmptyFine: false)
    }
  ) { node, decoder, scope in
    decoder.shared(node, in: scope) { decoder.tracks(node, scope) }
  }

  static let sources: Form = Form(
    "sources", [.map], "names, and paths or addresses, as { theme: media/theme.ogg }",
    maps: { [Language.source] }
  ) { JSONForm.map(of: JSONForm.shapes(text: JSONForm.clip, map: Language.source.reference)) }

  /// What an item is repeated for.
  enum Each: Sendable { case row, cue }

  static let each = TextNotation(
    "each", [("row", Each.row), ("cue", .cue)], refusal: "is nothing that an item is repeated for")

  static let sourceName: Form = Form("source_name", [.text], "the name of a source") {
    JSONForm.someText
  }

  // MARK: Chapters

  private struct ChapterFields: Sendable {
    var title: String?
    var url: String?
    var image: MediaLocation?
  }

  static let chapterTitle = TextNotation("title", "a title", JSONForm.someText) {
    text throws(QuantityError) in
    guard !text.isEmpty else {
      throw QuantityError("a chapter without a title", help: "write one, or leave the chapter out")
    }
    return text
  }

  private static let chapterExample = "a title, or { title: Intro, url: https://example.org }"

  /// A chapter at the start of its item.
  static let chapter: NodeNotation<ItemChapter> = NodeNotation(
    "chapter", chapterExample,
    text: chapterTitle, convert: { ItemChapter($0.value, at: Located(.start, at: $0.origin)) },
    map: MapNotation(
      "a chapter", ChapterFields(),
      rules: [
        .some(
          of: ["title"], missing: "a chapter needs a 'title'", help: "write \(chapterExample)")
      ],
      [
        Key("title", chapterTitle, "what players show") { $0.title = $1.value },
        Key("url", link, "a page about it") { $0.url = $1.value },
        Key("image", picture, "a JPEG or PNG picture") { $0.image = $1.value },
      ]),
    finish: { fields, node, _ in
      fields.title.map {
        ItemChapter(
          $0, at: Located(.start, at: node.origin), url: fields.url, image: fields.image)
      }
    })

  /// The chapters of an item.
  enum Chapters: Sendable, Hashable {
    case list([ItemChapter], Clock?)
    /// Those of its files.
    case keep
    /// One for each file.
    case files
    /// Those between silences.
    case search(ChapterSearch)
  }

  /// Times and titles, or a file that lists them.
  private static let chapterPoints: NodeNotation<[ItemChapter]> = NodeNotation(
    Form(
      "chapter_points", [.text, .map],
      "times and titles, as { 0s: Intro, 5:00: News }, or the path or address of a list",
      maps: chapter.form.maps
    ) { JSONForm.shapes(text: JSONForm.location, map: JSONForm.points(chapter.form.reference)) }
  ) { node, decoder, scope in
    guard case .mapping(let points) = node.kind else { return decoder.listedChapters(node, scope) }
    return points.compactMap { point in
      guard let start = decoder.keyMoment(point),
        var chapter = chapter.read(point.value, decoder, scope)
      else { return nil }
      chapter.start = start
      return chapter
    }
  }

  private static let longChapters: MapNotation<ClockedPoints<ItemChapter>> = MapNotation(
    "the chapters", ClockedPoints(),
    rules: [
      .some(
        of: ["points"], missing: "chapters need 'points'",
        help: "write { points: { 0s: Intro, 5:00: News }, clock: source }")
    ],
    [
      Key("points", chapterPoints, "the chapters, or a list of them") {
        $0.points = $1
      },
      Key("clock", clock, "'source' for times of the file") { $0.clock = $1.value },
    ])

  static let chapters: NodeNotation<Located<Chapters>> = NodeNotation(
    Form(
      "chapters", [.text, .map],
      "times and titles, as { 0s: Intro, 5:00: News }, { silence: 2s, below: -50 dB }, 'keep', "
        + "'files', or the path or address of a list",
      maps: { chapter.form.maps() + [longChapters.schema, Language.chapterSearch] }
    ) {
      JSONForm.shapes(
        text: JSONForm.location,
        map: JSONForm.map(
          longChapters.schema,
          or: JSONForm.map(
            Language.chapterSearch, or: JSONForm.points(chapter.form.reference))))
    }
  ) { node, decoder, scope in
    func points(_ node: YAMLNode) -> Chapters? {
      chapterPoints.read(node, decoder, scope).map { .list($0, nil) }
    }
    let chapters: Chapters?
    switch node.kind {
    case .mapping where node.hasKey(of: longChapters.schema):
      chapters = longChapters.read(node, decoder, scope).map { .list($0.points, $0.clock) }
    case .mapping where node.hasKey(of: Language.chapterSearch):
      chapters = decoder.chapterSearch(node, scope).map { .search($0) }
    case .mapping: chapters = points(node)
    case .scalar, .sequence, .missing:
      guard let text = decoder.text(node, scope) else { return nil }
      switch text.string {
      case "keep": chapters = .keep
      case "files": chapters = .files
      default:
        guard !decoder.refusesMisspelt(text, of: ["keep", "files"]) else { return nil }
        chapters = points(node)
      }
    }
    return chapters.map { Located($0, at: node.origin) }
  }
}
