import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage

/// Writes an output and its files of chapters, none of which appears before all are whole.
final class SidecarWriter: SoundWriter {
  private let sound: any SoundWriter
  private let sidecars: [(kind: ChapterPlaces.Sidecar, file: OutputFile)]

  /// Starts the files, then the output.
  ///
  /// - Parameters:
  ///   - sink: The output.
  ///   - chapters: With their lengths in frames.
  ///   - sampleRate: At which the frames count.
  ///   - openSound: Opens the output's writer. It comes last, so that folders made for the files
  ///     are empty again when it fails.
  /// - Throws: The file system's error, and as `openSound`; nothing is left behind.
  init(
    of sink: Sink, _ chapters: [(chapter: Chapter, frames: Range<Int64>)], sampleRate: Int,
    _ openSound: () throws(Failure) -> any SoundWriter
  ) throws(Failure) {
    var sidecars: [(kind: ChapterPlaces.Sidecar, file: OutputFile)] = []
    for kind in sink.sidecars {
      let path = sink.output.path.sidecar(kind)
      let text = ChapterText(chapters, sampleRate: sampleRate, beside: path)
      do throws(Failure) {
        let file = try OutputFile.create(at: path)
        try file.put(Array(text.written(as: kind).utf8), at: 0)
        sidecars.append((kind, file))
      } catch {
        throw error.about(path)
      }
    }
    sound = try openSound()
    self.sidecars = sidecars
  }

  func write(_ block: AudioBuffer) throws(Failure) {
    do throws(Failure) { try sound.write(block) } catch { throw abandoning(error) }
  }

  var firstNeeded: Int64 { sound.firstNeeded }

  var warnings: [Warning] { sound.warnings }

  func skip(_ frameCount: Int64) throws(Failure) {
    do throws(Failure) { try sound.skip(frameCount) } catch { throw abandoning(error) }
  }

  func end() throws(Failure) {
    do throws(Failure) { try sound.end() } catch { throw abandoning(error) }
  }

  func finish() throws(Failure) -> WrittenOutput {
    do throws(Failure) {
      var written = try sound.finish()
      for (kind, file) in sidecars {
        try file.flush()
        written.sidecars.append(
          WrittenSidecar(kind: kind, path: file.path, size: file.size))
      }
      return written
    } catch {
      throw abandoning(error)
    }
  }

  var files: [OutputFile] { sound.files + sidecars.map(\.file) }

  func abandon() {
    sound.abandon()
    for (_, file) in sidecars.reversed() { file.discard() }
  }

  private func abandoning(_ failure: Failure) -> Failure {
    abandon()
    return failure
  }
}
