/// A message about a place in a job file or a command line.
package struct Diagnostic: Sendable, Hashable {
  /// How bad it is.
  package enum Severity: String, Sendable, Hashable {
    /// The work cannot start.
    case error
    /// The work can start, but perhaps it is not what was meant.
    case warning
    /// The work can start; it holds a decision that the user should know of.
    case note
  }

  /// The other end of a conflict.
  package struct Note: Sendable, Hashable {
    /// One line, such as `first written here`.
    package var message: String
    /// Where the other end stands.
    package var origin: Origin

    /// A note about `origin`.
    package init(_ message: String, at origin: Origin) {
      self.message = message
      self.origin = origin
    }
  }

  /// How bad it is.
  package var severity: Severity
  /// One line: the fault.
  package var message: String
  /// Where.
  package var origin: Origin
  /// One line: what to write instead.
  package var help: String?
  /// The other ends of a conflict.
  package var notes: [Note]
  /// Of an error, what the user must do.
  package var remedy = Failure.Remedy.mendJob
  /// Whether its message is printed even where many others say the same of other things.
  package var isListed = false
  /// The path of the file that it is about as a whole, where it has no place in a text.
  package var file: String?

  /// A diagnostic at `origin`.
  package init(
    _ severity: Severity, _ message: String, at origin: Origin, help: String? = nil,
    notes: [Note] = []
  ) {
    self.severity = severity
    self.message = message
    self.origin = origin
    self.help = help
    self.notes = notes
  }

  /// An error at `origin`.
  package init(
    _ message: String, at origin: Origin, help: String? = nil, notes: [Note] = []
  ) {
    self.init(.error, message, at: origin, help: help, notes: notes)
  }

  /// A failure of the engine, said at its own origin, or at `origin` where it has none.
  package init(_ failure: Failure, at origin: Origin = .unknown) {
    let failure = failure.placed(at: origin)
    let subject = failure.location.map { "'\($0)': " } ?? ""
    self.init(.error, subject + failure.message, at: failure.origin)
    remedy = failure.remedy
  }

  /// A warning of the engine.
  package init(_ warning: Warning) {
    let subject = warning.location.map { "'\($0)': " } ?? ""
    self.init(.warning, subject + warning.message, at: warning.origin)
  }
}

/// Everything that is wrong with a job file, found in one pass.
package struct Diagnostics: Error, Sendable, Hashable {
  /// What was found.
  package private(set) var all: [Diagnostic]

  /// The given diagnostics, in their order.
  package init(_ all: [Diagnostic] = []) { self.all = all }

  /// A single one.
  package init(_ one: Diagnostic) { all = [one] }

  /// A single error at `origin`.
  package init(
    _ message: String, at origin: Origin, help: String? = nil, notes: [Diagnostic.Note] = []
  ) {
    all = [Diagnostic(message, at: origin, help: help, notes: notes)]
  }

  /// Whether there is none.
  package var isEmpty: Bool { all.isEmpty }

  /// Those that stop the work.
  package var errors: [Diagnostic] { all.filter { $0.severity == .error } }

  /// Those that do not.
  package var warnings: [Diagnostic] { all.filter { $0.severity != .error } }

  /// The same ones, of which those without a place are about the file `path` as a whole. O(n)
  package func about(file path: String) -> Diagnostics {
    Diagnostics(
      all.map { diagnostic in
        var diagnostic = diagnostic
        if diagnostic.origin == .unknown, diagnostic.file == nil { diagnostic.file = path }
        return diagnostic
      })
  }

  /// Adds one.
  package mutating func append(_ diagnostic: Diagnostic) { all.append(diagnostic) }

  /// Adds several.
  package mutating func append(contentsOf others: some Sequence<Diagnostic>) {
    all.append(contentsOf: others)
  }

  /// Each once, and where they are very many the first ones and how many more there are: a mistake in
  /// one line may be one in each of a hundred thousand jobs. Warnings take no error's place.
  ///
  /// - Parameter limit: How many errors are kept at most, and how many warnings.
  /// - Returns: What is left, in its order.
  /// - Complexity: O(n)
  package func bounded(to limit: Int) -> Diagnostics {
    guard all.count > limit else { return self }
    var seen: Set<Diagnostic> = []
    var counts: [Diagnostic.Severity: Int] = [:]
    var bounded = Diagnostics()
    for diagnostic in all where seen.insert(diagnostic).inserted {
      counts[diagnostic.severity, default: 0] += 1
      if counts[diagnostic.severity, default: 0] <= limit { bounded.append(diagnostic) }
    }
    bounded.append(contentsOf: Self.rests(counts, limit))
    return bounded
  }

  /// How many of each kind are more than `limit`.
  static func rests(_ counts: [Diagnostic.Severity: Int], _ limit: Int) -> [Diagnostic] {
    [Diagnostic.Severity.error, .warning, .note].compactMap { severity in
      let more = counts[severity, default: 0] - limit
      return more > 0 ? Diagnostic(severity, "\(more) more are not shown", at: .unknown) : nil
    }
  }

  /// The same ones in the order of their places, each once; those without a place come last.
  ///
  /// - Complexity: O(n log n)
  package func sorted(by map: SourceMap) -> Diagnostics {
    let placed = all.unique
      .enumerated().map {
        (index: $0.offset, diagnostic: $0.element, place: map.place(of: $0.element.origin))
      }
    let ordered = placed.sorted { a, b in
      switch (a.place, b.place) {
      case (let x?, let y?) where x < y || y < x: x < y
      case (_?, nil): true
      case (nil, _?): false
      default: a.index < b.index
      }
    }
    return Diagnostics(ordered.map(\.diagnostic))
  }
}

/// Collects diagnostics while a job file is read. A value that a hundred thousand jobs share is
/// reported a few times, not a hundred thousand.
package struct DiagnosticSink {
  /// The number of different messages about one place.
  package static let limitPerPlace = 5
  /// The number of messages in all.
  package static let limit = 200

  /// For how many it is looked up what was perhaps meant, which may be costly: of more that say the
  /// same the first is shown.
  package static let suggestionLimit = 20

  package private(set) var diagnostics = Diagnostics()
  /// How many were not kept.
  package private(set) var droppedCount = 0
  private var seen: Set<Diagnostic> = []
  private var countPerPlace: [Origin: Int] = [:]

  package init() {}

  /// Whether it is full, so that one more is counted and nothing else: its place, which takes memory,
  /// need not be made.
  package mutating func dropsAll() -> Bool {
    guard diagnostics.all.count >= Self.limit else { return false }
    droppedCount += 1
    return true
  }

  /// Whether a message at `origin` is counted and nothing else: because the collection is full, or
  /// because `origin` has enough messages.
  package mutating func drops(at origin: Origin) -> Bool {
    if dropsAll() { return true }
    guard countPerPlace[origin, default: 0] >= Self.limitPerPlace else { return false }
    droppedCount += 1
    return true
  }

  /// Whether it should be looked up for the next one what was perhaps meant.
  package var isSuggesting: Bool { diagnostics.all.count < Self.suggestionLimit }

  /// Adds what another one found and could not keep.
  package mutating func add(_ other: DiagnosticSink) {
    for diagnostic in other.diagnostics.all { add(diagnostic) }
    droppedCount += other.droppedCount
  }

  package mutating func add(_ diagnostic: Diagnostic) {
    guard !seen.contains(diagnostic), !drops(at: diagnostic.origin) else { return }
    seen.insert(diagnostic)
    countPerPlace[diagnostic.origin, default: 0] += 1
    diagnostics.append(diagnostic)
  }

  package mutating func error(
    _ message: String, at origin: Origin, help: String? = nil, notes: [Diagnostic.Note] = []
  ) {
    add(Diagnostic(.error, message, at: origin, help: help, notes: notes))
  }
}

extension Failure {
  /// The first error of several, with its help: for callers that take one.
  package init(_ diagnostics: Diagnostics, at origin: Origin) {
    guard let first = diagnostics.errors.first else {
      self.init(.reportBug, "cannot be composed", origin: origin)
      return
    }
    self.init(
      first.remedy, first.message + (first.help.map { "; \($0)" } ?? ""), origin: first.origin)
  }
}
