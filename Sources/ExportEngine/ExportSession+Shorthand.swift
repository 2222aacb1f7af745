import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

/// Sessions of one file.
extension ExportSession {
  /// A session that writes one file by a preset (`AVAssetExportSession.init(asset:presetName:)`).
  ///
  /// - Parameters:
  ///   - composition: What is written, all of it.
  ///   - preset: What becomes of picture and sound.
  ///   - path: Where the file will be; its extension decides what kind of file it is.
  ///   - library: The media.
  /// - Throws: As `Output.init(path:preset:of:)`.
  /// - Complexity: O(segments)
  public init(
    _ composition: Composition, preset: Output.Preset, to path: FilePath, library: MediaLibrary
  ) throws(Failure) {
    let output = try Output(path: path, preset: preset, of: composition)
    self.init(composition, output, library: library)
  }

  /// A session that writes one file in the usual format of its extension: all of a composition, with
  /// pictures as they are where the file holds any.
  ///
  /// - Parameters:
  ///   - composition: What is written, all of it.
  ///   - path: Where the file will be.
  ///   - library: The media.
  /// - Throws: As `Output.init(path:)`.
  /// - Complexity: O(segments)
  public init(
    _ composition: Composition, to path: FilePath, library: MediaLibrary = MediaLibrary()
  ) throws(Failure) {
    self.init(composition, try Output(path: path), library: library)
  }

  /// A session that writes all of an asset into one file, in the usual format of its extension, with
  /// pictures as they are where the file holds any (`AVAssetExportSession.init(asset:presetName:)`).
  ///
  /// - Parameters:
  ///   - asset: What is written.
  ///   - path: Where the file will be.
  ///   - library: The media; best the one that the asset comes from, which knows them.
  /// - Throws: As `Output.init(path:)`, and for an asset that no composition holds.
  public init(
    _ asset: Asset, to path: FilePath, library: MediaLibrary = MediaLibrary()
  ) throws(Failure) {
    let composition: Composition
    do throws(EditError) {
      composition = try Composition(asset)
    } catch {
      throw Failure(.mendInput, "\(error)", location: asset.location)
    }
    try self.init(composition, to: path, library: library)
  }

  private init(_ composition: Composition, _ output: Output, library: MediaLibrary) {
    let name = output.path.stem ?? "\(output.path)"
    self.init(
      Export(name: name, composition: composition, outputs: [output]), library: library)
  }
}
