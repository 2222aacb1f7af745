import Diagnosis
import MediaComposition
import MediaTime

/// Chapters that are found in the sound.
extension Job {
  /// Gives the whole a chapter for each part that a split at the same silences would make.
  ///
  /// - Throws: The refusals of a split, and chapters that are there already. Empty where the silences are
  ///   not known now.
  func addChapters(
    _ search: ChapterSearch, to whole: inout Whole, _ assets: [MediaReference: Asset],
    _ listen: @escaping Listen
  ) throws(Diagnostics) {
    let origin = search.split.origin
    if let other = (whole.export.chapters + whole.export.composition.chapters).first {
      throw Diagnostics(
        "chapters are sought in '\(name)', which has some: '\(other.title)' at "
          + Lowering.text(other.start), at: origin,
        help: "leave one of them out",
        notes: other.origin == .unknown ? [] : [.init("that is here", at: other.origin)])
    }
    var splitter = Splitter(
      whole.export, rate: sampleRate ?? clipRate(assets), snappedTo: nil,
      quotingWords: item.quotesWords, naming: "chapter", listen
    ) { _ in nil }
    guard let parts = splitter.parts(of: search.split), splitter.errors.isEmpty else {
      throw splitter.errors
    }
    var found = Diagnostics()
    whole.export.chapters = parts.map { placed in
      var title = ""
      do throws(PartTemplate.Failure) {
        title = try PartTemplate.text(search.title, for: placed.part)
      } catch {
        report(error, at: origin, in: &found)
      }
      return Chapter(start: placed.range.start, title: title, origin: origin)
    }
    guard found.isEmpty else { throw found }
    whole.notes += splitter.warnings
  }
}
