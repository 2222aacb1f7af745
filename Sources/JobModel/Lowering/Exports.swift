import Diagnosis
import MediaComposition
import MediaTime

extension Job {
  /// What a job becomes.
  public struct Exports: Sendable {
    /// One, or in a split job one a part, in order of time.
    public var exports: [Export]
    /// What the user should know.
    public var warnings: [Diagnostic]
  }

  /// The compositions of this job and their outputs, with the facts of its media put in.
  ///
  /// The parts of a split job have the whole composition each and a time range of their own, so they
  /// add up to the whole, to the sample.
  ///
  /// - Parameter assets: Called once for each of `media`. nil where probing failed: the caller has
  ///   said so, and what depends on that file's length is not checked.
  /// - Returns: The exports, with every time exact.
  /// - Throws: what only those facts show: a range past the end, a fade or a cross-fade that is
  ///   longer than its item, items that overlap, parts that are empty or beyond the end. Empty where
  ///   only `assets` gave nil.
  /// - Complexity: O(n log n) in the number of items and parts
  public func exports(assets: (MediaReference) -> Asset?) throws(Diagnostics) -> Exports {
    var known: [MediaReference: Asset] = [:]
    for reference in media { known[reference] = assets(reference) }
    var whole = try whole(assets: known)
    guard let split else {
      tag(&whole.export, whole, base: { $0 }, filled: { $0 })
      return Exports(exports: [whole.export], warnings: whole.notes)
    }
    var splitter = Splitter(whole.export, rate: sampleRate ?? clipRate(known))
    let parts = splitter.parts(of: split)
    guard splitter.errors.isEmpty else { throw splitter.errors }
    var found = Diagnostics()
    let exports = parts.map { partExport($0, whole, into: &found) }
    guard found.isEmpty else { throw found }
    return Exports(exports: exports, warnings: splitter.warnings + whole.notes)
  }

  /// Of a job that is one clip.
  private func clipRate(_ assets: [MediaReference: Asset]) -> Int? {
    if case .clip(let reference) = item.content { assets[reference]?.sampleRate } else { nil }
  }
}

// MARK: - The files of a part

extension Job {
  private func partExport(
    _ placed: Splitter.Placed, _ whole: Whole, into found: inout Diagnostics
  ) -> Export {
    let part = placed.part
    var export = whole.export
    export.timeRange = placed.range
    let number = String(part.number)
    let width = max(2, String(part.count).count)
    let padded = String(repeating: "0", count: max(0, width - number.count)) + number
    export.name = "\(name)/\(padded)" + (part.title.map { " \($0)" } ?? "")
    for index in outputs.indices {
      let output = export.outputs[index]
      do throws(PartTemplate.Failure) {
        export.outputs[index].path = try PartTemplate.path(output.path, for: part)
      } catch {
        report(error, at: output.origin, in: &found)
      }
    }
    for index in records.indices {
      let record = records[index]
      do throws(PartTemplate.Failure) {
        export.records[index].path = try PartTemplate.path(record.path, for: part)
      } catch {
        report(error, at: record.origin, in: &found)
      }
    }
    tag(
      &export, whole, base: { tags(of: placed, over: $0) },
      filled: { filled($0, part, &found) })
    return export
  }

  /// Gives an export and its outputs their tags: those of the base, over them the job's, over these
  /// an output's.
  ///
  /// - Parameters:
  ///   - export: Gets them.
  ///   - whole: Knows the bases.
  ///   - base: Makes the tags of a part of those of its base.
  ///   - filled: Fills in the variables of a part.
  private func tag(
    _ export: inout Export, _ whole: Whole, base: (Metadata) -> Metadata,
    filled: (Metadata) -> Metadata
  ) {
    let own = filled(metadata)
    export.metadata = base(whole.baseTags).overridden(by: own)
    for index in outputs.indices {
      export.outputs[index].metadata = filled(outputs[index].metadata)
      guard let other = whole.outputTags[index] else { continue }
      export.outputs[index].metadata =
        base(other).overridden(by: own).overridden(by: export.outputs[index].metadata)
        .overrides(of: export.metadata)
    }
  }

  /// The clip's own tags with those of the list over them; its number is another thing's.
  private func tags(of placed: Splitter.Placed, over clipTags: Metadata) -> Metadata {
    var tags = clipTags
    for key in ["track", "tracktotal", "totaltracks", "isrc", "TSRC"] { tags[key] = nil }
    tags = tags.overridden(by: placed.part.tags)
    if let title = placed.part.title { tags["title"] = title }
    tags["track"] = "\(placed.part.number)/\(placed.highestNumber)"
    return tags
  }

  private func filled(_ tags: Metadata, _ part: Part, _ found: inout Diagnostics) -> Metadata {
    var tags = tags
    for item in tags.items {
      do throws(PartTemplate.Failure) {
        tags[item.key] = try PartTemplate.text(item.value, for: part)
      } catch {
        report(error, at: origin, in: &found)
      }
    }
    return tags
  }

  /// What is wrong with one text is told of the first part that shows it.
  private func report(
    _ failure: PartTemplate.Failure, at origin: Origin, in found: inout Diagnostics
  ) {
    guard !found.all.contains(where: { $0.origin == origin }) else { return }
    found.append(Diagnostic(failure.message, at: origin, help: failure.help))
  }
}
