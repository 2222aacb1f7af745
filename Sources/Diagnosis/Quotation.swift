// What messages may show of texts that may not be quoted.

extension SourceMap {
  /// Notes that the value at `origin` has words of a text that may not be quoted, though it stands in
  /// one that may: by way of a variable.
  package func hideWords(at origin: Origin) {
    state.withLock { _ = $0.foreignValues.insert(origin.rawValue) }
  }

  /// Whether messages may show the words of what `origin` stands for.
  package func showsWords(at origin: Origin) -> Bool {
    state.withLock { state in
      guard state.hidesTexts, let span = state.span(of: origin) else { return true }
      return state.texts[Int(span.source)].isQuoted
        && !state.foreignValues.contains(span.whole == 0 ? origin.rawValue : span.whole)
    }
  }

  /// What the readers of texts report, without words of texts that may not be quoted: of each such
  /// text one diagnostic counts the mistakes, and one the warnings.
  ///
  /// - Parameters:
  ///   - diagnostics: What was found while texts were read.
  ///   - safe: Those that have no such words, wherever they stand.
  /// - Returns: What may be printed, with the counts behind all others.
  /// - Complexity: O(n); O(1) where all texts may be quoted
  package func quotable(_ diagnostics: Diagnostics, besides safe: Set<Diagnostic> = [])
    -> Diagnostics
  {
    guard state.withLock({ $0.hidesTexts }) else { return diagnostics }
    var shown = Diagnostics()
    var hidden: [Hidden: (count: Int, first: Place, remedy: Failure.Remedy)] = [:]
    for diagnostic in diagnostics.all {
      guard let place = place(of: diagnostic.origin), !showsWords(at: diagnostic.origin),
        !safe.contains(diagnostic)
      else {
        shown.append(diagnostic)
        continue
      }
      guard !isQuoted(place) else {
        shown.append(diagnostic.withoutWords)
        continue
      }
      let key = Hidden(source: place.source, severity: diagnostic.severity)
      let known = hidden[key]
      hidden[key] = (
        (known?.count ?? 0) + 1, min(known?.first ?? place, place),
        known?.remedy ?? diagnostic.remedy
      )
    }
    for (key, found) in hidden.sorted(by: { $0.value.first < $1.value.first }) {
      shown.append(summary(of: key, found.count, from: found.first, found.remedy))
    }
    return shown
  }

  private struct Hidden: Hashable {
    var source: Int
    var severity: Diagnostic.Severity
  }

  private func summary(
    of hidden: Hidden, _ count: Int, from first: Place, _ remedy: Failure.Remedy
  ) -> Diagnostic {
    let text = state.withLock { $0.texts[hidden.source] }
    let noun = hidden.severity == .error ? "mistake" : hidden.severity.rawValue
    let found = count == 1 ? "1 \(noun), in line" : "\(count) \(noun)s, the first in line"
    let isIncluded = text.inclusion.origin != .unknown
    var diagnostic = Diagnostic(
      hidden.severity, "'\(text.name)', read as \(text.noun): \(found) \(first.line)",
      at: text.inclusion.origin,
      help: isIncluded
        ? "its lines are not shown, since it does not lie below the job file's folder, or a "
          + "name on the way begins with a dot: put it beside the job file"
        : "its lines are not shown, since a link leads out of the folder that it is named in, or "
          + "to a name that begins with a dot: name the file that the link leads to")
    diagnostic.remedy = remedy
    return diagnostic
  }
}

extension Diagnostic {
  /// This message about a value, without the words of the value.
  fileprivate var withoutWords: Diagnostic {
    var diagnostic = Diagnostic(
      severity,
      severity == .error
        ? "the value is refused; it has words of a file whose lines are not shown"
        : "a \(severity) about the value; it has words of a file whose lines are not shown",
      at: origin, help: Self.helpToShowWords)
    diagnostic.remedy = remedy
    return diagnostic
  }

  /// How words of a file that may not be quoted can be shown.
  package static let helpToShowWords = "put that file beside the job file, or below its folder"
}
