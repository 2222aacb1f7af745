import ExportGraph
import LibAV

/// Counts the pictures of an output while they are made. One thread at a time.
final class PictureTally {
  /// Whose bits are a source's.
  var copied = 0
  /// Which are new.
  var encoded = 0
  /// Streams that are copied packet by packet, and count for themselves.
  var copies: CopiedStreams?
  /// What of sources' subtitles the output does not have, in words.
  var textOmissions: [String] = []

  /// All so far.
  var count: PictureCount {
    PictureCount(copied: copied + (copies?.pictureCount ?? 0), encoded: encoded)
  }
}
