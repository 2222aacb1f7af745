import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage

/// Chapters, or parts between silences, as a CUE sheet beside an output, by the commands of the CDRWIN
/// User's Guide, appendix "Cuesheet Commands", and with the remarks on dates and genres that other programs
/// write.
struct CueSheetText {
  /// As many as a disc has (CDRWIN User's Guide, "TRACK").
  static let mostTracks = 99

  /// A track of the sheet.
  struct Track {
    /// Empty: none is written.
    var title: String
    /// Where its pregap begins; nil: it has none.
    var gap: Time?
    /// Where it begins itself.
    var start: Time
  }

  /// The lines, in UTF-8.
  let text: String

  /// A sheet with a track for each chapter; the time before the first one is its pregap.
  ///
  /// - Parameters:
  ///   - chapters: At most `mostTracks`, with their lengths in frames.
  ///   - sampleRate: At which the frames count.
  ///   - file: The output.
  ///   - metadata: Its tags.
  init(
    _ chapters: [(chapter: Chapter, frames: Range<Int64>)], sampleRate: Int, of file: FilePath,
    _ metadata: Metadata
  ) {
    let tracks = chapters.enumerated().map { index, chapter in
      Track(
        title: chapter.chapter.title, gap: index == 0 ? .zero : nil,
        start: Time(frames: chapter.frames.lowerBound, rate: sampleRate))
    }
    self.init(tracks, of: file, metadata)
  }

  /// A sheet of these tracks.
  ///
  /// - Parameters:
  ///   - tracks: At most `mostTracks`, in order of time.
  ///   - file: The output.
  ///   - metadata: Its tags.
  init(_ tracks: [Track], of file: FilePath, _ metadata: Metadata) {
    func line(_ command: String, _ text: String?) -> String {
      text.map { $0.isEmpty ? "" : "\(command) \(Self.quoted($0))\n" } ?? ""
    }
    var sheet = line("REM GENRE", metadata["genre"]) + line("REM DATE", metadata["date"])
    sheet += line("PERFORMER", metadata["album_artist"] ?? metadata["artist"])
    sheet += line("TITLE", metadata["album"] ?? metadata["title"])
    sheet += "FILE \(Self.quoted(file.lastComponent?.string ?? "")) \(Self.type(of: file))\n"
    // Of two tracks in one 75th of a second, the later one has the next.
    var earliest: Int64 = 0
    for (index, track) in tracks.enumerated() {
      let frame = max(track.start.frames(atRate: 75), earliest)
      sheet += "  TRACK \((index + 1).digits(2)) AUDIO\n"
      sheet += line("    TITLE", track.title)
      if let gap = track.gap.map({ max($0.frames(atRate: 75), earliest) }), gap < frame {
        sheet += "    INDEX 00 \(Self.clock(gap))\n"
      }
      sheet += "    INDEX 01 \(Self.clock(frame))\n"
      earliest = frame + 1
    }
    text = sheet
  }

  /// A text in quotation marks, of which it can have none.
  private static func quoted(_ text: String) -> String {
    let line = String(text.map { $0.isNewline ? " " : $0 })
    return "\"" + line.replacingScalars("\"", with: "'") + "\""
  }

  /// The word for the file's kind; players take WAVE for whatever they decode.
  private static func type(of file: FilePath) -> String {
    switch file.extension?.lowercased() {
    case "mp3": "MP3"
    case "aif", "aiff", "aifc": "AIFF"
    default: "WAVE"
    }
  }

  /// `MM:SS:FF`
  private static func clock(_ frame: Int64) -> String {
    [frame / 4500, frame / 75 % 60, frame % 75].map { $0.digits(2) }.joined(separator: ":")
  }
}
