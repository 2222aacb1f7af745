/// The rules for names of variables.
package enum VariableName {
  /// The first words of the language's own names.
  package static let reserved = ["input", "n", "count", "env", "part", "row"]

  /// Whether the name is the language's own.
  package static func isReserved(_ name: String) -> Bool {
    reserved.contains(String(name.prefix { $0 != "." }))
  }

  /// Whether a template can hold it.
  package static func isPossible(_ name: String) -> Bool {
    guard let template = try? Template.parse("${\(name)}") else { return false }
    return template.references.first?.name == name
  }

  /// `name` with an underscore for each character that names of variables cannot have.
  package static func made(of name: String) -> String {
    String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) || "-_.".contains($0) ? $0 : "_" })
  }
}
