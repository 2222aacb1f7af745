import Tagging

/// The chapters of a Matroska file as a player shows them (RFC 9559, 5.1.7 and 20): those of its default
/// edition that are neither hidden nor disabled, with nested ones, by their first names.
///
/// libavformat mixes all editions, and has neither flags nor nested chapters.
struct MatroskaChapters: Sendable, Hashable {
  struct Chapter: Sendable, Hashable {
    /// Nanoseconds of the file's clock.
    var start: Int64
    var title: String
  }

  /// In the order of the file, which nests them: a chapter stands before those in it.
  private(set) var chapters: [Chapter] = []
  /// Whether players play the edition's ranges, and not the file from its start to its end.
  private(set) var isOrdered = false
  /// Whether it has chapters of other files, which are left out.
  private(set) var namesOtherFiles = false
  /// Whether the encoding of a title was guessed.
  private(set) var hasGuesses = false
  /// Whether there are more than are read.
  private(set) var isTooLong = false

  private enum ID {
    static let edition: UInt32 = 0x45B9
    static let editionIsHidden: UInt32 = 0x45BD
    static let editionIsDefault: UInt32 = 0x45DB
    static let editionIsOrdered: UInt32 = 0x45DD
    static let atom: UInt32 = 0xB6
    static let start: UInt32 = 0x91
    static let isHidden: UInt32 = 0x98
    static let isEnabled: UInt32 = 0x4598
    static let segment: UInt32 = 0x6E67
    static let display: UInt32 = 0x80
    static let string: UInt32 = 0x85
  }

  /// Of an element that is too large to read: none.
  static let tooLong: MatroskaChapters = {
    var chapters = MatroskaChapters([])
    chapters.isTooLong = true
    return chapters
  }()

  /// Atoms that may still be looked at, shown or not.
  private var room = 2 * chapterLimit

  private static let chapterLimit = 10_000
  private static let depthLimit = 16

  /// The content of the element `Chapters`; what is damaged is left out.
  init(_ bytes: ArraySlice<UInt8>) {
    let editions = EBMLElement.all(in: bytes).filter { $0.id == ID.edition }.map(\.body)
    let visible = editions.filter { !Self.flag(ID.editionIsHidden, in: $0, otherwise: false) }
    guard
      let edition = visible.first(where: {
        Self.flag(ID.editionIsDefault, in: $0, otherwise: false)
      }) ?? visible.first
    else { return }
    isOrdered = Self.flag(ID.editionIsOrdered, in: edition, otherwise: false)
    add(atomsIn: edition, depth: 0)
  }

  private mutating func add(atomsIn parent: ArraySlice<UInt8>, depth: Int) {
    for element in EBMLElement.all(in: parent) where element.id == ID.atom {
      let atom = element.body
      guard chapters.count < Self.chapterLimit, room > 0, depth < Self.depthLimit else {
        isTooLong = true
        return
      }
      room -= 1
      // What lies in a range that is skipped is skipped with it.
      guard Self.flag(ID.isEnabled, in: atom, otherwise: true) else { continue }
      if EBMLElement.all(in: atom).contains(where: { $0.id == ID.segment }) {
        namesOtherFiles = true
        continue
      }
      if !Self.flag(ID.isHidden, in: atom, otherwise: false), let start = Self.start(of: atom) {
        let title = Self.title(of: atom)
        chapters.append(Chapter(start: start, title: title.text))
        hasGuesses = hasGuesses || title.isGuessed
      }
      add(atomsIn: atom, depth: depth + 1)
    }
  }

  private static func start(of atom: ArraySlice<UInt8>) -> Int64? {
    let start = EBMLElement.all(in: atom).first { $0.id == ID.start }?.number
    return start.map { Int64(clamping: $0) }
  }

  /// The first of its names, whatever their languages are.
  private static func title(of atom: ArraySlice<UInt8>) -> (text: String, isGuessed: Bool) {
    for display in EBMLElement.all(in: atom) where display.id == ID.display {
      guard let text = EBMLElement.all(in: display.body).first(where: { $0.id == ID.string }) else {
        continue
      }
      // Zeros may follow a text (RFC 8794, 7.4).
      return EightBitText.decoded(text.body.prefix { $0 != 0 })
    }
    return ("", false)
  }

  private static func flag(
    _ id: UInt32, in parent: ArraySlice<UInt8>, otherwise usual: Bool
  ) -> Bool {
    let value = EBMLElement.all(in: parent).first { $0.id == id }?.number
    return value.map { $0 != 0 } ?? usual
  }

  /// What a user should know, each as a predicate of the file.
  var oddities: [String] {
    var found: [String] = []
    if isOrdered {
      found.append(
        "its chapters are ordered: players play their ranges, in their order; here it is read from its "
          + "start to its end")
    }
    if namesOtherFiles { found.append("names chapters of other files: they are left out") }
    if hasGuesses {
      found.append("has titles of chapters that are not UTF-8 and are read as Windows-1252")
    }
    if isTooLong { found.append("has more chapters, or chapters in chapters, than are read") }
    return found
  }
}
