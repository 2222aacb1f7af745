import Diagnosis
import MediaComposition

/// A list of sound files, as a job asks for it: its files get a line each.
public struct JobManifest: Sendable, Hashable {
  /// Where it will be, and in which form.
  public var manifest: DataSetManifest
  /// The index of the output whose files it lists.
  public var output: Int
  /// What is said in each file, a template in a split job; nil: as the transcript has it.
  public var text: Located<String>?
  /// Who says it, as `text`.
  public var speaker: Located<String>?
  /// The language; nil: that of the transcript.
  public var language: Located<String>?

  /// A list of the files of output number `output`, which takes what is said from the transcript.
  public init(_ manifest: DataSetManifest, ofOutput output: Int = 0) {
    self.manifest = manifest
    self.output = output
  }
}
