import Diagnosis
import Yams

/// An error of libyaml's scanner or parser, and the text around it.
struct YAMLProblem {
  let text: String
  let mark: Mark
  let context: YamlError.Context?
  let line: [Unicode.Scalar]
  let lineBefore: [Unicode.Scalar]
  let source: SourceText

  init(text: String, mark: Mark, context: YamlError.Context?, source: SourceText) {
    self.text = text
    self.mark = mark
    self.context = context
    self.source = source
    line = Array(source.line(mark.line).unicodeScalars)
    lineBefore = Array(source.line(mark.line - 1).unicodeScalars)
  }

  var before: ArraySlice<Unicode.Scalar> { line.prefix(mark.column - 1) }
  var after: ArraySlice<Unicode.Scalar> { line.dropFirst(mark.column - 1) }
  var character: Unicode.Scalar? { after.first }
}
