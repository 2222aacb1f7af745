import MediaComposition
import SystemPackage

extension OutputDraft {
  /// The extension of movies in a folder: that of the input, where it is a movie's that holds what the
  /// output has; else that of the first that does.
  var movieExtension: String {
    let location = job.scope.input?.kind.medium?.location ?? job.clip
    let own = location?.fileName.flatMap { FilePath($0.string).extension?.lowercased() } ?? ""
    if let movie = MovieContainer(extension: own), holds(movie) { return own }
    return (MovieContainer.allCases.first(where: holds) ?? .mp4).extensions[0]
  }

  /// Whether the requested sound and picture go into a container, as far as they are known.
  private func holds(_ movie: MovieContainer) -> Bool {
    let sound = request?.extensions ?? []
    guard sound.isEmpty || sound.contains(movie.extensions[0]) else { return false }
    // Matroska has no edit lists.
    if video?.value == .editedCopy { return !movie.isMatroska }
    guard case .encode(let settings) = video?.value else { return true }
    return movie.holds(
      AssetTrack(index: 0, mediaType: .video, codec: settings.codec.codecName))
  }
}
