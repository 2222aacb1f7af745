import Diagnosis
import Files
import JobModel
import MediaComposition
import SystemPackage
import TimeLists
import YAML

extension Decoder {
  /// The name of a job, without the secrets of addresses in it: it stands in every report.
  func jobName(_ node: YAMLNode, _ scope: Scope) -> String? {
    text(node, scope, as: .jobName).map { MediaURL.named($0.string) }
  }

  /// The text of a scalar with its variables filled in; nil, after a report, if it has none.
  func text(_ node: YAMLNode, _ scope: Scope, as use: Text.AddressUse = .text) -> Text? {
    switch node.kind {
    case .missing: return nil
    case .sequence, .mapping:
      sink.error(
        "a text belongs here, not \(node.description)", at: node.origin,
        help: "write one value, without brackets and dashes")
      return nil
    case .scalar(let scalar):
      let folder = node.folder ?? self.folder
      guard let template = scalar.template else {
        return Text(scalar, origin: node.origin, in: folder)
      }
      hideForeignWords(of: template, at: node.origin, scope)
      var size = scalar.text.utf8.count
      func bounded(_ reference: Template.Reference) throws(VariableError) -> Text.Value {
        try self.bounded(reference, scope, folder, as: use, usedAt: node.origin, size: &size)
      }
      do throws(VariableError) {
        guard scope.part == .bound else {
          return try Text(template, of: scalar, origin: node.origin, in: folder, value: bounded)
        }
        return try partText(template, origin: node.origin, in: folder, value: bounded)
      } catch {
        report(error, of: scalar, at: node.origin, scope)
        return nil
      }
    }
  }

  private func report(
    _ error: VariableError, of scalar: YAMLScalar, at origin: Origin, _ scope: Scope
  ) {
    guard !scope.bindsUnknownNames, !refusedNames.contains(error.reference.name) else { return }
    let place = scalar.contentOffset.map {
      map.origin(
        within: origin, offset: $0 + error.reference.offset, length: error.reference.length)
    }
    sink.error(error.message, at: place ?? origin, help: error.help, notes: error.notes)
  }

  /// The value of one variable in a scalar; nil, after a report, if it has none.
  func literal(
    _ reference: Template.Reference, of scalar: YAMLScalar, _ node: YAMLNode, _ scope: Scope,
    _ folder: FilePath
  ) -> String? {
    var size = 0
    do throws(VariableError) {
      return try bounded(
        reference, scope, folder, as: .text, usedAt: node.origin, size: &size
      ).text
    } catch {
      report(error, of: scalar, at: node.origin, scope)
      return nil
    }
  }

  /// A variable's value, without secrets where the text has no place for them; `size` counts the
  /// bytes of the text.
  private func bounded(
    _ reference: Template.Reference, _ scope: Scope, _ folder: FilePath, as use: Text.AddressUse,
    usedAt origin: Origin, size: inout Int
  ) throws(VariableError) -> Text.Value {
    var value = try value(of: reference, scope, folder)
    if use.hidesSecrets(of: reference.name) { value.text = MediaURL.shown(value.text) }
    size += value.text.utf8.count
    guard size <= Text.sizeLimit else {
      throw VariableError(
        reference: reference, message: "with its variables this text has more than 1 MiB")
    }
    filledBytes += value.text.utf8.count
    guard filledBytes <= Text.sumLimit else {
      throw VariableError(
        reference: reference,
        message: "with their variables all texts of the file have more than 256 MiB",
        help: "give the variables shorter values, or use them in fewer jobs")
    }
    let place = value.cell.flatMap { scope.loop?.rows?.table.origin(of: $0, usedAt: origin) }
    return Text.Value(
      text: value.text, startsEmpty: startingEmpty.contains(reference.name), cell: place)
  }

  /// The text of a template of parts, whose variables stay.
  private func partText(
    _ template: Template, origin: Origin, in folder: FilePath,
    value: (Template.Reference) throws(VariableError) -> Text.Value
  ) throws(VariableError) -> Text {
    var cells: [Origin] = []
    // How much of the text's start is variables without text.
    var (start, startsEmpty) = (0, false)
    let text = try partText(template) { reference throws(VariableError) in
      let value = try value(reference)
      if let cell = value.cell { cells.append(cell) }
      if reference.offset == start {
        startsEmpty = startsEmpty || value.text.isEmpty || value.startsEmpty
        if value.text.isEmpty { start += reference.length }
      }
      return value.text
    }
    return Text(text, origin: cells.first ?? origin, in: folder, startsEmpty: startsEmpty)
  }

  /// Why a variable has no value.
  struct VariableError: Error {
    var reference: Template.Reference
    var message: String
    var help: String?
    var notes: [Diagnostic.Note] = []
  }

  private func value(
    of reference: Template.Reference, _ scope: Scope, _ folder: FilePath
  ) throws(VariableError) -> BoundValue {
    let name = reference.name
    var known = try knownValue(of: reference, scope, folder)
    // An empty cell has no value if there is a fallback.
    if known?.cell != nil, known?.text.isEmpty == true, let fallback = reference.fallback {
      known = BoundValue(text: fallback)
    }
    var text = reference.fallback
    if known == nil, text == nil { text = try day(of: reference, scope) }
    guard var value = known ?? text.map({ BoundValue(text: $0) }) else {
      throw unknown(reference, scope)
    }
    guard let printed = reference.printed(value.text) else {
      throw VariableError(
        reference: reference,
        message: "'\(name)' is '\(value.text)', which is no \(reference.printing?.kind ?? "text")",
        help: reference.printing?.help,
        notes: cellNotes([value.cell], scope, "the text stands here"))
    }
    value.text = printed
    return value
  }

  /// The language's own days: `date`, on which the file is read, and `input.date`, on which a file was
  /// changed last.
  private func day(
    of reference: Template.Reference, _ scope: Scope
  ) throws(VariableError) -> String? {
    switch reference.name {
    case "date":
      usesToday = true
      return today?.text
    case "input.date":
      guard let medium = (scope.found ?? scope.input)?.kind.medium else { return nil }
      guard let path = medium.location.file else {
        throw VariableError(
          reference: reference,
          message: "'input.date' is the day of a file, and this is an address",
          help: "give a default: '${input.date:-none}'")
      }
      // Where the pattern found no file, that was reported.
      if InputBinding.isUnknown(path) { return "1970-01-01" }
      let seconds = files.modificationTime(of: path)?.components.seconds
      guard let day = seconds.flatMap({ CalendarDay(seconds: $0) }) else {
        throw VariableError(
          reference: reference, message: "the day of '\(path)' cannot be read",
          help: "give a default: '${input.date:-none}'")
      }
      return day.text
    default: return nil
    }
  }

  private func cellNotes(
    _ cells: [Table.Cell?], _ scope: Scope, _ message: String
  ) -> [Diagnostic.Note] {
    guard let table = scope.loop?.rows?.table else { return [] }
    return cells.compactMap { $0 }.map { .init(message, at: table.origin(of: $0)) }
  }

  private func knownValue(
    of reference: Template.Reference, _ scope: Scope, _ folder: FilePath
  ) throws(VariableError) -> BoundValue? {
    guard reference.name.hasPrefix("env.") else {
      do throws(RowsDiffer) {
        return try scope.value(of: reference.name, in: folder)
      } catch {
        throw VariableError(
          reference: reference,
          message: "the rows of '\(error.group)' have more than one '\(error.column)'",
          help:
            "use it in an item with 'each: row', or let 'group_by' name a column that separates them",
          notes: cellNotes([error.cells.0], scope, "one is here")
            + cellNotes([error.cells.1], scope, "another one is here"))
      }
    }
    let name = String(reference.name.dropFirst(4))
    guard let value = scope.environment[name] else {
      throw VariableError(
        reference: reference, message: "the environment's '\(name)' is not allowed here",
        help: Confinement.root == nil
          ? "allow it with --env \(name)" : "with --root no job file has it; write the value out")
    }
    if value == nil, reference.fallback == nil {
      throw VariableError(
        reference: reference, message: "the environment has no '\(name)'",
        help: "set it, or give a default: '${env.\(name):-text}'")
    }
    return value.map { BoundValue(text: $0) }
  }

  /// Names under which other programs have the time of the day.
  private static let clockNames: Set = ["today", "now", "time", "timestamp", "year"]

  private func nearest(to name: String, _ scope: Scope) -> String? {
    Spelling.nearest(
      to: name,
      among: scope.names.lazy.filter {
        !self.isForeign($0, scope) && !self.strayNames.contains($0)
      })
  }

  private func unknown(_ reference: Template.Reference, _ scope: Scope) -> VariableError {
    let name = reference.name
    let root = String(name.prefix { $0 != "." })
    var help = "add it to 'vars', or pass --set \(name)=VALUE"
    if root == "part" {
      help =
        scope.part == .none
        ? "'part' is bound by 'split', which this job has not"
        : "'part' has a value in 'output' and in 'metadata', but for its cover"
    } else if root == "row" {
      help =
        scope.loop?.names.bindsRow == true
        ? "'row.n' and 'row.count' have a value in an item with 'each: row'; columns go by their names"
        : "'row' is bound by 'rows', which this job has not"
    } else if root == "cue" {
      if let cue = scope.cue, CueBinding.names.contains(name) {
        if name == "cue.text", let removal = cue.removal {
          return VariableError(
            reference: reference,
            message: "'cue.text' would say words that '\(removal.key)' takes away",
            help: "write '${cue.n}' instead, or take the words out of the transcript",
            notes: [.init("they are taken away here", at: removal.origin)])
        }
        return VariableError(
          reference: reference, message: "cue \(cue.number) of '\(cue.source)' has no '\(name)'",
          help: "give a default: '${\(name):-text}'")
      }
      help =
        scope.cue == nil
        ? "'cue' is bound by 'each: cue' of an item" : "a cue has \(CueBinding.names.quoted)"
    } else if scope.loop == nil, ["input", "n", "count"].contains(root) {
      help = "'\(root)' is bound by 'for_each', which this job has not"
    } else if Self.clockNames.contains(name.lowercased()) {
      help =
        "the day is '${date}', as in '${date:%Y-%m-%d}'; give a time on the command line, as "
        + "--set \(name)=\"$(date +%T)\""
    } else if root == "input", scope.loop?.names.bindsInput == false {
      help = "'input' is bound by a 'for_each' over files, or over a list without a name"
    } else if sink.isSuggesting, let nearest = nearest(to: name, scope) {
      help = "did you mean '${\(nearest)}'?"
    } else if let table = scope.loop?.rows?.table, table.isQuoted,
      let column = table.header.first(where: { VariableName.made(of: $0) == name && $0 != name })
    {
      help = "no variable can have the name of the column '\(column)' is: call it '\(name)'"
    }
    return VariableError(reference: reference, message: "unknown variable '\(name)'", help: help)
  }
}
