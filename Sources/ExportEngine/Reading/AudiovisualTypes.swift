import LibAV
import MediaComposition

extension MediaLibrary {
  /// The extensions of files that can be read, in lower case and in order
  /// (`AVURLAsset.audiovisualTypes`), for dialogs that let somebody choose files.
  ///
  /// A file is recognised by its bytes, whatever its name is; only sound without a header, such as
  /// G.722, is known by its extension alone. For what can be written see `Output.FileType`.
  ///
  /// - Complexity: O(n log n) in the formats the first time
  public static let audiovisualTypes: [String] = {
    let written = Output.FileType.allCases.map(\.rawValue)
    return Set(Demuxer.fileExtensions + written).sorted()
  }()
}
