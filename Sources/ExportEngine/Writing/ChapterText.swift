import Diagnosis
import JSON
import MediaComposition
import MediaTime
import SystemPackage
import Transcripts

/// Chapters as text files beside an output. The bytes depend on the chapters, those of a CUE sheet also
/// on the output's name and tags.
struct ChapterText {
  fileprivate struct Line {
    /// From the start of the sound, to where the next one begins.
    var range: TimeRange
    /// Where it begins, in whole milliseconds, as in ID3.
    var milliseconds: Int64
    var title: String
    var url: String?
    /// A reference relative to the file's own place (RFC 3986 §4.2).
    var image: String?
  }

  private let lines: [Line]
  private let sheet: CueSheetText

  /// - Parameters:
  ///   - chapters: With their lengths in frames.
  ///   - sampleRate: At which the frames count.
  ///   - path: The output: images are named relative to it.
  ///   - metadata: The output's tags.
  init(
    _ chapters: [(chapter: Chapter, frames: Range<Int64>)], sampleRate: Int, beside path: FilePath,
    _ metadata: Metadata
  ) {
    sheet = CueSheetText(chapters, sampleRate: sampleRate, of: path, metadata)
    lines = chapters.map { chapter, frames in
      var image: String?
      switch chapter.image {
      case .picture(.file(let file))?: image = file.reference(from: path.folder)
      case .picture(.remote(let url))?: image = url.withoutCredentials.absoluteText
      // Neither has an address that another program could open.
      case .embedded?, .picture(.source)?, nil: image = nil
      }
      let range = TimeRange(
        start: Time(frames: frames.lowerBound, rate: sampleRate),
        end: Time(frames: frames.upperBound, rate: sampleRate))
      return Line(
        range: range, milliseconds: range.start.frames(atRate: 1000),
        title: chapter.title, url: chapter.url, image: image)
    }
  }

  func bytes(as format: ChapterPlaces.Sidecar) -> [UInt8] {
    switch format {
    case .podlove: Array(podlove.utf8)
    case .podcasting2: Array(podcasting2.utf8)
    case .labels:
      lines.flatMap { AudacityLabel(from: $0.range.start, to: $0.range.end, $0.title).line.utf8 }
    case .cue: Array(sheet.text.utf8)
    }
  }

  /// Podlove Simple Chapters 1.2; times are Normal Play Time (RFC 2326 §3.6).
  private var podlove: String {
    var text = """
      <?xml version="1.0" encoding="utf-8"?>
      <psc:chapters version="1.2" xmlns:psc="http://podlove.org/simple-chapters">

      """
    for line in lines {
      let attributes = [
        ("start", line.clock), ("title", line.title), ("href", line.url), ("image", line.image),
      ]
      let written = attributes.compactMap { name, value in
        value.map { " \(name)=\"\(XMLText.escaped($0))\"" }
      }
      text += "  <psc:chapter\(written.joined())/>\n"
    }
    return text + "</psc:chapters>\n"
  }

  /// The Podcast Namespace's "JSON Chapters Format" 1.2.
  private var podcasting2: String {
    let chapters = lines.map { line in
      JSONValue.members([
        "startTime": .number(Double(line.milliseconds) / 1000, decimals: 3),
        "img": line.image.map { .text($0) }, "title": .text(line.title),
        "url": line.url.map { .text($0) },
      ])
    }
    return JSONValue.members(["version": "1.2.0", "chapters": .list(chapters)]).document()
  }
}

extension ChapterText.Line {
  fileprivate var clock: String {
    let seconds = milliseconds / 1000
    let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0.digits(2) }
    return parts.joined(separator: ":") + "." + (milliseconds % 1000).digits(3)
  }
}

extension FilePath {
  /// This path as a reference from a folder: relative, with `/`, and all but unreserved characters
  /// as %XX (RFC 3986 §2.3 and §4.2). Links are not followed.
  func reference(from folder: FilePath) -> String {
    relative(to: folder).components.map { FilePath(root: nil, [$0]).bytes.percentEncoded() }
      .joined(separator: "/")
  }

  /// This path relative to a folder: without a root. Links are not followed.
  func relative(to folder: FilePath) -> FilePath {
    relative(to: folder, in: .current)
  }
}

extension MediaLocation {
  /// A path relative to a folder; an address stays as it is.
  func relative(to folder: FilePath) -> MediaLocation {
    file.map { .file($0.relative(to: folder)) } ?? self
  }
}
