import Diagnosis
import ExportGraph
import Glibc
import LibAV
import MediaComposition
import Synchronization

extension Graph {
  private struct DescribedFilters: Hashable {
    var text: String
    var format: AudioFormat
  }

  private static let fine = Mutex<Set<DescribedFilters>>([])

  /// Has libavfilter read the filters that the job describes, each once for each format, so that a
  /// mistake in their arguments is found before work starts. Loads libavfilter only if there are
  /// some. O(nodes).
  ///
  /// - Throws: `Failure` (`mendJob`) with the place of the item.
  func requireDescribedFilters() throws(Failure) {
    for node in nodes {
      guard case .process(.filter(let effects), _) = node.kind else { continue }
      for case .filter(let description) in effects {
        let described = DescribedFilters(text: description.text, format: node.format)
        guard !Self.fine.withLock({ $0.contains(described) }) else { continue }
        do throws(LibAVError) {
          _ = try FilterChain.open(
            Effect.filter(description).row(sampleRate: node.format.sampleRate).filters,
            sampleRate: node.format.sampleRate, channelCount: node.format.channelLayout.count)
        } catch {
          throw Self.failure(error, description, in: node).placed(at: node.origin)
        }
        Self.fine.withLock { _ = $0.insert(described) }
      }
    }
  }

  private static func failure(
    _ error: LibAVError, _ description: FilterDescription, in node: Node
  ) -> Failure {
    if error.isMissingFilter { return error.missingFilterFailure }
    if error.posix == ENOMEM { return error.machineFailure }
    let name = "filter \"\(description)\""
    guard !error.isFormatChange else {
      return Failure(
        .mendJob,
        "\(name): takes other channels, or another rate, than the \(node.format) of this mix; "
          + "leave it out, or give the job other 'channels'")
    }
    return Failure(
      .mendJob,
      "\(name): FFmpeg does not take these arguments (\(error.message)); 'ffmpeg -h filter="
        + "\(error.operation)' lists those that it takes")
  }
}
