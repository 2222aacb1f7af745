import Diagnosis
import JobModel
import MediaComposition
import MediaTime
import SystemPackage
import TimeLists
import Transcripts
import YAML

/// Reads the nodes of one job file as values of the language, and collects errors.
///
/// A value is decoded once, however many jobs share it, unless it depends on a variable of the job;
/// so a hundred thousand jobs share it, and its error is reported once.
final class Decoder {
  let map: SourceMap
  let files: any FileSystem
  /// The base of relative paths.
  let folder: FilePath
  /// Of other files than media, messages quote those below it; behind all links.
  private let quotedFolder: FilePath
  /// Variables whose values have words of files that messages may not quote. `input` stands for those
  /// of files, too.
  private var foreignNames: Set<String> = []
  var sink: DiagnosticSink
  var sources: [String: YAMLEntry] = [:]
  var presets: [String: YAMLEntry] = [:]
  /// The keys of built-in presets, as if written where they are named.
  var builtInPresets: [PresetPlace: Fields] = [:]
  /// The names of jobs, including refused ones.
  var jobNames: Set<String> = []
  /// Whether a loop over files may find none, and whether one did.
  var (allowsNoFiles, foundNoFiles) = (false, false)
  /// The files that patterns of loops found.
  var foundFiles: Set<FilePath> = []
  /// Whether there may be fewer jobs than were written.
  var leavesOutJobs: Bool { foundNoFiles || !leftOutJobs.isEmpty }
  /// The jobs that `when` leaves out, with its places.
  var leftOutJobs: [String: Origin] = [:]
  /// The names of tracks and items that `when` leaves out of the jobs of one loop, with its places.
  var leftOutItems: [String: Origin] = [:]
  /// Missing files: media, which are not reported yet; the others, and the reports of these.
  var missing: (media: [MissingFile], files: [MissingFile], reports: Set<Diagnostic>) = ([], [], [])
  /// The paths of `missing.media` and `missing.files` by their places.
  var notedMissing: Set<Located<FilePath>> = []
  private var fieldsOf: [ObjectIdentifier: Fields?] = [:]
  private var decoded: [ObjectIdentifier: SharedValue] = [:]
  /// Values without variables, for all jobs of the file.
  private var constants: [ObjectIdentifier: SharedValue] = [:]
  private var kinds: [FilePath: FileKind?] = [:]
  /// A clip's last file, as written: clips of one file mostly follow one another.
  var lastFile: (name: String, folder: FilePath, path: FilePath)?
  /// Lists of times; nil for refused ones.
  var lists: [MediaLocation: TimeList?] = [:]
  /// What items make of them, which all that name the same list share.
  var listedRanges: [MediaLocation: [Located<ItemRange>]] = [:]
  var listedChapters: [MediaLocation: [ItemChapter]] = [:]
  /// Transcripts; nil for refused ones.
  var transcripts: [TranscriptFile: QuotableTranscript?] = [:]
  /// Where the files of them are named first.
  var transcriptOrigins: [FilePath: Origin] = [:]
  /// Whether one was refused: that outputs have no words says nothing then.
  var refusedTranscript = false
  /// Tables; nil for refused ones.
  var tables: [FilePath: Table?] = [:]
  /// The lists, transcripts and tables that the job which is being decoded has used so far.
  var texts: Set<FilePath> = []
  /// What each was when it was read.
  var textIdentities: [FilePath: FileIdentity] = [:]
  var jobCount = 0
  /// How many of them there may be.
  var jobLimit = JobLoop.countLimit
  /// Bytes of memory that its jobs take, about, and may take; whether other processes make them.
  var size = 0
  var sizeLimit = SegmentBudget.usualLimit
  var isSent = false
  /// Of that, what the items of the job that is being decoded take so far.
  var unfinishedSize = 0
  /// Whether they take more than they may, which is reported once: no more is decoded.
  var isExhausted = false
  /// The bytes that variables have added to texts.
  var filledBytes = 0
  /// The known tags that keys of tags resemble, if any.
  var nearestTags: [String: String?] = [:]
  /// The day for `date`; nil: the clock has none.
  var today: CalendarDay?
  /// Whether a text has that day.
  var usesToday = false
  /// Where the file, or the command line, sets variables.
  var globalPlaces: [String: Origin] = [:]
  /// Variables that the command line alone has, and no file uses: not what anything was meant to be.
  var strayNames: Set<String> = []
  /// Variables of the file whose texts begin with variables without text.
  var startingEmpty: Set<String> = []
  /// Variables with refused names: their uses are not reported.
  var refusedNames: Set<String> = []
  /// The names that loops bind.
  var loopBound: [LoopNames] = []
  /// The places of gains that are noted to change nothing.
  var notedGains: Set<Origin> = []
  /// The places of groups that are noted to leave out cues.
  var notedCues: Set<Origin> = []
  /// The values of jobs without their own.
  var defaults: Fields?
  /// Nodes are identified by their addresses, and so must live on.
  private var merged: [YAMLNode] = []

  /// Keeps `node`, which is in no file, alive.
  func keep(_ node: YAMLNode) -> YAMLNode {
    merged.append(node)
    return node
  }

  init(
    map: SourceMap, files: any FileSystem, folder: FilePath, quotedFolder: FilePath,
    sink: DiagnosticSink
  ) {
    self.map = map
    self.files = files
    self.folder = folder
    self.quotedFolder = quotedFolder
    self.sink = sink
  }

  /// A value that several jobs share, and the texts that it is made of.
  private struct SharedValue {
    var value: Any
    var texts: Set<FilePath>
  }

  /// The result of `decode`, and the texts that it was made of.
  private func gatheringTexts<Value>(_ decode: () -> Value) -> (shared: SharedValue, value: Value) {
    let outer = texts
    texts = []
    defer { texts.formUnion(outer) }
    let value = decode()
    return (SharedValue(value: value, texts: texts), value)
  }

  /// The result of `decode` for `node`, cached if it is the same for every job and every file of a
  /// pattern.
  func shared<Value>(_ node: YAMLNode, in scope: Scope, _ decode: () -> Value) -> Value {
    guard !node.depends(on: loopNames), !sourcesDependOnLoop else { return decode() }
    guard scope.found == nil || !node.depends(on: .ofPatterns) else { return decode() }
    guard scope.cue == nil || !node.dependsOnCue else { return decode() }
    // Two steps: `nil as? Value` succeeds where `Value` is an optional.
    if let known = decoded[ObjectIdentifier(node)], let value = known.value as? Value {
      texts.formUnion(known.texts)
      return value
    }
    let (shared, value) = gatheringTexts(decode)
    decoded[ObjectIdentifier(node)] = shared
    return value
  }

  /// The result of `decode` for `node`, which names no source: without variables it is decoded once for
  /// all jobs that share `defaults`, too.
  func sharedValue<Value>(_ node: YAMLNode, in scope: Scope, _ decode: () -> Value) -> Value {
    guard node.variables.isEmpty else { return shared(node, in: scope, decode) }
    if let known = constants[ObjectIdentifier(node)], let value = known.value as? Value {
      texts.formUnion(known.texts)
      return value
    }
    let (shared, value) = gatheringTexts(decode)
    constants[ObjectIdentifier(node)] = shared
    return value
  }

  /// Begins a job, or all jobs of one loop. Cached values may depend on other variables, as both
  /// may share `defaults`.
  func begin(_ names: LoopNames?) {
    loopNames = names
    unfinishedSize = 0
    leftOutItems = [:]
    sourcesDependOnLoop =
      names != nil
      && (sources.values.contains { $0.value.depends(on: names) }
        || presets.values.contains { $0.value.depends(on: names) })
    if !decoded.isEmpty { decoded = [:] }
  }

  private(set) var loopNames: LoopNames?
  private var sourcesDependOnLoop = false

  /// The kind of `path`; each path is examined once.
  func kind(of path: FilePath) -> FileKind? {
    if let known = kinds[path] { return known }
    let kind = files.kind(of: path)
    kinds[path] = .some(kind)
    return kind
  }
}

// MARK: - Files that messages may not quote

extension Decoder {
  /// Whether messages may quote a file that the job file names.
  func isQuoted(_ contents: FileContents) -> Bool { contents.isQuoted(in: quotedFolder) }

  /// Notes that a variable has words of files that messages may not quote, if one of its values has.
  func noteForeign(_ name: String, _ values: [YAMLNode]) {
    if !values.allSatisfy({ map.showsWords(at: $0.origin) }) { foreignNames.insert(name) }
  }

  /// Keeps messages about a text from showing words that a variable has of files that they may not
  /// quote.
  func hideForeignWords(of template: Template, at origin: Origin, _ scope: Scope) {
    guard
      !foreignNames.isEmpty || scope.cue != nil || scope.loop?.rows?.table.isQuoted == false,
      template.references.contains(where: { isForeign($0.name, scope) })
    else { return }
    map.hideWords(at: origin)
  }

  /// Keeps messages at a place from showing the name of a job's file, where such words may stand in it.
  func hideForeignWords(ofNameAt origin: Origin, _ scope: Scope) {
    if !foreignNames.isEmpty || scope.cue != nil || scope.loop?.rows?.table.isQuoted == false {
      map.hideWords(at: origin)
    }
  }

  /// Whether a variable has words of a file that messages may not quote.
  func isForeign(_ name: String, _ scope: Scope) -> Bool {
    if let loop = scope.loop, let rows = loop.rows, !rows.table.isQuoted,
      loop.names.indices[name] != nil
    {
      return true
    }
    return CueBinding.isWord(name) && scope.cue != nil
      || foreignNames.contains(name.hasPrefix("input.") ? "input" : name)
  }
}

/// The known keys of a map.
struct Fields {
  /// In the order of writing.
  private(set) var entries: [YAMLEntry] = []
  private var indices: [String: Int] = [:]
  let origin: Origin
  /// Keys with refused values: they are not missing.
  private(set) var refused: Set<String> = []

  var isIncomplete: Bool { !refused.isEmpty }

  init(origin: Origin) { self.origin = origin }

  subscript(name: String) -> YAMLEntry? { indices[name].map { entries[$0] } }

  /// Entries with these names, in the order of writing.
  func present(_ names: String...) -> [YAMLEntry] { present(names) }

  /// Entries with these names, in the order of writing.
  func present(_ names: [String]) -> [YAMLEntry] {
    names.compactMap { indices[$0] }.sorted().map { entries[$0] }
  }

  mutating func append(_ entry: YAMLEntry) {
    indices[entry.key] = entries.count
    entries.append(entry)
  }

  mutating func refuse(_ key: String) { refused.insert(key) }

  /// Replaces the entry with the same key, or appends `entry`.
  mutating func replace(_ entry: YAMLEntry) {
    guard let index = indices[entry.key] else { return append(entry) }
    entries[index] = entry
  }
}

// MARK: - Maps

extension Decoder {
  /// The entries of `node` by `schema`; other keys are refused.
  func fields(of node: YAMLNode, as schema: Schema) -> Fields? {
    if let known = fieldsOf[ObjectIdentifier(node)] { return known }
    let fields = makeFields(of: node, as: schema)
    fieldsOf[ObjectIdentifier(node)] = fields
    return fields
  }

  private func makeFields(of node: YAMLNode, as schema: Schema) -> Fields? {
    guard case .mapping(let entries) = node.kind else {
      if !node.isMissing {
        sink.error(
          "\(schema.subject) is a map, not \(node.description)", at: node.origin,
          help: schema.example.map { "write \($0)" })
      }
      return nil
    }
    var fields = Fields(origin: node.origin)
    for entry in entries {
      if accept(entry, by: schema) {
        fields.append(entry)
      } else {
        fields.refuse(entry.key)
      }
    }
    enforce(schema.rules, on: fields)
    return fields
  }

  private func accept(_ entry: YAMLEntry, by schema: Schema) -> Bool {
    guard let key = schema[entry.key] else {
      guard !schema.isOpen else { return !entry.value.isMissing }
      refuseUnknown(entry, by: schema)
      return false
    }
    guard !entry.value.isMissing else { return false }
    let shape: Form.Shape =
      switch entry.value.kind {
      case .scalar, .missing: .text
      case .sequence: .list
      case .mapping: .map
      }
    if let item = entry.value.tightItem, key.form.shapes.contains(.list) {
      sink.error(
        "no space after the '-' of a list", at: entry.value.origin,
        help: "write '- \(item)'; a file of that name is './-\(item)'")
      return false
    }
    guard key.form.shapes.contains(shape) else {
      let shapes = key.form.shapes.map(\.rawValue).joined(separator: " or ")
      sink.error(
        "'\(entry.key)' is \(shapes), not \(shape.rawValue)",
        at: entry.value.origin,
        help: key.form.name == Values.clip.name && shape == .list
          ? "files that follow one another stand behind 'concat'" : "write \(key.form.example)")
      return false
    }
    return true
  }

  /// Refuses an empty list or map.
  func refuseEmpty(_ node: YAMLNode, _ form: Form) {
    let isList = if case .sequence = node.kind { true } else { false }
    sink.error(
      isList ? "an empty list" : "an empty map", at: node.origin, help: "write \(form.example)")
  }
}

extension YAMLNode {
  /// The `a.wav` of a text like `-a.wav -b.wav`, which was meant as a list.
  fileprivate var tightItem: String? {
    guard case .scalar(let scalar) = kind, scalar.text.hasPrefix("-"),
      // The words of a command line are literal.
      scalar.contentOffset != nil || scalar.text.contains(" -")
    else { return nil }
    let item = scalar.text.dropFirst().split(separator: " -").first.map(trimmed)
    return item?.isEmpty == false ? item : nil
  }
}

// MARK: - Scalars

extension Decoder {
  /// The result of `make`; nil, after a report at `origin`, if the text is refused.
  func checked<Value>(
    at origin: Origin, _ make: () throws(QuantityError) -> Value
  ) -> Value? {
    do throws(QuantityError) {
      return try make()
    } catch {
      sink.error(error.message, at: origin, help: error.help)
      return nil
    }
  }

  /// The text of `entry`, parsed by `parse`.
  func value<Value>(
    _ node: YAMLNode?, _ scope: Scope, as use: Text.AddressUse = .text,
    _ parse: (String) throws(QuantityError) -> Value
  ) -> Located<Value>? {
    guard let node, let text = text(node, scope, as: use) else { return nil }
    do throws(QuantityError) {
      return Located(try parse(text.string), at: text.origin)
    } catch {
      let meant = text.string.withDecimalPoint.flatMap { (try? parse($0)) == nil ? nil : $0 }
      sink.error(
        error.message, at: text.origin,
        help: meant.map { "decimals stand behind a point: write '\($0)'" } ?? error.help)
      return nil
    }
  }

  static func time(_ text: String) throws(QuantityError) -> TimeText {
    if let moment = try? Moment(parsing: text), moment.anchor != .start || text == "start" {
      throw QuantityError(
        "'\(text)' is a moment, and a length is meant here",
        help: "write a time, as '1:30' or '250ms'")
    }
    return try Quantity.time(text)
  }
}
