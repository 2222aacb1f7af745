import SystemPackage

/// What variables stand for.
struct Scope {
  /// `vars`, with what `--set` put in their place.
  var globals: [String: String]
  /// The variables of the environment that the user allows; nil for one that is not set.
  var environment: [String: String?]
  /// What `for_each` bound for this job.
  var input: InputBinding?
  /// Whether something that binds variables was refused: any name may be one of them.
  var bindsUnknownNames = false
  /// What `${part…}` is here.
  var part = PartUse.none

  /// Whether the variables of a part may be used.
  enum PartUse {
    /// The job has no parts.
    case none
    /// The job has parts, and what is read here is the same for all of them.
    case elsewhere
    /// Each part fills them in.
    case bound
  }

  /// The same scope where parts are or are not known.
  func with(part: PartUse) -> Scope {
    var copy = self
    copy.part = part
    return copy
  }

  /// The value of `name`, if it is a variable of this scope.
  func value(of name: String) -> String? {
    globals[name] ?? input?.value(of: name)
  }

  /// Every name, for "did you mean".
  var names: [String] {
    globals.keys.sorted() + (input == nil ? [] : InputBinding.names)
  }
}

/// One file of a `for_each`.
struct InputBinding {
  static let names = ["input", "input.dir", "input.stem", "input.ext", "input.name", "n", "count"]

  /// As it can be opened.
  var path: FilePath
  /// As the job file would write it.
  var text: String
  /// Below the pattern's fixed part.
  var folder: FilePath
  /// From 1.
  var number: Int
  var count: Int

  /// Stands for any file where a pattern found none.
  static let unknown = InputBinding(
    path: "\u{FFFC}", text: "\u{FFFC}", folder: "", number: 1, count: 1)

  /// Whether `path` was made from the file that stands for any.
  static func isUnknown(_ path: FilePath) -> Bool { path.string.contains("\u{FFFC}") }

  var stem: String { path.stem ?? "" }

  func value(of name: String) -> String? {
    switch name {
    case "input": text
    case "input.dir": folder.string
    case "input.stem": stem
    case "input.ext": path.extension ?? ""
    case "input.name": path.lastComponent?.string ?? ""
    case "n": String(number)
    case "count": String(count)
    default: nil
    }
  }
}
