import Diagnosis
import MediaComposition

/// A list of sound files, as a job asks for it: its files get a line each.
package struct JobManifest: Sendable, Hashable {
  /// Where it will be, and in which form.
  package var manifest: DataSetManifest
  /// The index of the output whose files it lists.
  package var output: Int
  /// What is said in each file, a template in a split job; nil: as the transcript has it.
  package var text: Located<String>?
  /// Who says it, as `text`.
  package var speaker: Located<String>?
  /// The language; nil: that of the transcript.
  package var language: Located<String>?

  /// A list of the files of output number `output`, which takes what is said from the transcript.
  package init(_ manifest: DataSetManifest, ofOutput output: Int = 0) {
    self.manifest = manifest
    self.output = output
  }
}
