import Diagnosis
import MediaComposition
import SystemPackage

/// Texts of a split job with `${part…}`, and `$${` for the characters `${`: paths and tags that
/// each part fills in.
package enum PartTemplate {
  /// Why a text cannot be filled in.
  package struct Failure: Error {
    var message: String
    var help: String?
  }

  /// The most bytes of a file's name (NAME_MAX of Linux, limits.h).
  private static let nameLimit = 255

  /// `text` for `part`.
  package static func text(_ text: String, for part: Part) throws(Failure) -> String {
    guard let template = try? Template.parse(text) else { return text }
    var result = ""
    for piece in template.pieces {
      switch piece {
      case .literal(let literal, _): result += literal
      case .variable(let reference): result += try value(of: reference, for: part)
      }
    }
    return result
  }

  /// `path` for `part`. A value never reaches beyond its name in the path: `/` and control
  /// characters become `_`, and so does an empty name.
  package static func path(_ path: FilePath, for part: Part) throws(Failure) -> FilePath {
    // As Latin-1, whose scalars are the bytes: a name need not be UTF-8.
    var view = String.UnicodeScalarView()
    view.append(contentsOf: path.bytes.map { Unicode.Scalar($0) })
    guard let template = try? Template.parse(String(view)) else { return path }
    var result: [UInt8] = []
    var name: [UInt8] = []
    var isMade = false
    func close() throws(Failure) {
      if isMade, name.isEmpty || name == [0x2E] || name == [0x2E, 0x2E] {
        name = [UInt8](repeating: 0x5F, count: max(1, name.count))
      }
      guard !isMade || name.count <= nameLimit else {
        throw Failure(
          message: "the name '\(String(decoding: name, as: UTF8.self))' of part \(part.number) has "
            + "more than \(nameLimit) bytes",
          help: "shorten the title, or name the part by '${part.n:02}' alone")
      }
      result += name
      (name, isMade) = ([], false)
    }
    for piece in template.pieces {
      switch piece {
      case .literal(let literal, _):
        for byte in literal.unicodeScalars.map({ UInt8(truncatingIfNeeded: $0.value) }) {
          if byte == 0x2F {
            try close()
            result.append(byte)
          } else {
            name.append(byte)
          }
        }
      case .variable(let reference):
        isMade = true
        let value = try value(of: reference, for: part)
        let isFallback = part.value(of: reference.name) == nil
        // The bytes of a default were read as Latin-1 above.
        let bytes =
          isFallback
          ? value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
          : Array(value.utf8)
        name += bytes.map { $0 < 0x20 || $0 == 0x2F || $0 == 0x7F ? 0x5F : $0 }
      }
    }
    try close()
    return FilePath(bytes: result)
  }

  private static func value(
    of reference: Template.Reference, for part: Part
  ) throws(Failure) -> String {
    guard let value = part.value(of: reference.name) ?? reference.fallback else {
      throw Failure(
        message: "part \(part.number) has no '\(reference.name)'",
        help: "give a default: '${\(reference.name):-text}'")
    }
    return reference.printed(value) ?? value
  }

  /// Whether `path` depends on the part.
  package static func isTemplate(_ path: FilePath) -> Bool {
    guard let template = try? Template.parse(path.string) else { return false }
    return !template.references.isEmpty
  }

  /// `path` as a template without variables.
  package static func escaped(_ path: FilePath) -> FilePath {
    guard path.string.containsScalars("${") else { return path }
    var result: [UInt8] = []
    let bytes = path.bytes
    for (index, byte) in bytes.enumerated() {
      if byte == 0x24, bytes.dropFirst(index + 1).first == 0x7B { result.append(byte) }
      result.append(byte)
    }
    return FilePath(bytes: result)
  }

  /// `path` with the part's number before its extension: `a.mp3` becomes `a ${part.n:02}.mp3`.
  package static func numbered(_ path: FilePath) -> FilePath {
    let bytes = path.bytes
    let dot = path.extension == nil ? bytes.endIndex : bytes.lastIndex(of: 0x2E) ?? bytes.endIndex
    return FilePath(bytes: bytes[..<dot] + Array(" ${part.n:02}".utf8) + bytes[dot...])
  }
}

extension Template.Reference {
  /// `value` with the requested leading zeros, or as the requested day; nil where it is no whole number,
  /// or no day.
  package func printed(_ value: String) -> String? {
    if let dayFormat { return CalendarDay(value).map(dayFormat.text) }
    guard let width else { return value }
    guard !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return String(repeating: "0", count: max(0, width - value.utf8.count)) + value
  }

  /// What a value must be to be printed so, and what to do where it is not.
  package var printing: (kind: String, help: String)? {
    if dayFormat != nil {
      return ("day", "only days take such a format, as '2026-11-29'")
    }
    return width == nil ? nil : ("whole number", "only whole numbers take leading zeros")
  }

  package var text: String {
    let suffix =
      fallback.map { ":-\($0)" } ?? width.map { ":0\($0)" } ?? dayFormat.map { ":\($0.source)" }
    return "${\(name)\(suffix ?? "")}"
  }
}
