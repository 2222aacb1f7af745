import Diagnosis
import Glibc
import JSON
import MediaComposition
import MediaTime
import SystemPackage

/// Chapters as text files beside an output. The bytes depend on the chapters alone.
struct ChapterText {
  fileprivate struct Line {
    /// From the start of the sound, in whole milliseconds, as in ID3.
    var milliseconds: Int64
    var title: String
    var url: String?
    /// A reference relative to the file's own place (RFC 3986 §4.2).
    var image: String?
  }

  private let lines: [Line]

  /// - Parameters:
  ///   - chapters: With their lengths in frames.
  ///   - sampleRate: At which the frames count.
  ///   - path: The file: images are named relative to it.
  init(
    _ chapters: [(chapter: Chapter, frames: Range<Int64>)], sampleRate: Int, beside path: FilePath
  ) {
    lines = chapters.map { chapter, frames in
      var image: String?
      switch chapter.image {
      case .picture(.file(let file))?: image = file.reference(from: path.folder)
      case .picture(.remote(let url))?: image = url.withoutCredentials.absoluteText
      case .embedded?, nil: image = nil
      }
      return Line(
        milliseconds: Time(frames: frames.lowerBound, rate: sampleRate).frames(atRate: 1000),
        title: chapter.title, url: chapter.url, image: image)
    }
  }

  func written(as kind: ChapterPlaces.Sidecar) -> String {
    switch kind {
    case .podlove: podlove
    case .podcasting2: podcasting2
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
    let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { decimal($0, digits: 2) }
    return parts.joined(separator: ":") + "." + decimal(milliseconds % 1000, digits: 3)
  }
}

extension FilePath {
  /// This path as a reference from a folder: relative, with `/`, and all but unreserved characters
  /// as %XX (RFC 3986 §2.3 and §4.2). Links are not followed.
  fileprivate func reference(from folder: FilePath) -> String {
    relative(to: folder).components.map { component in
      FilePath(root: nil, [component]).withPlatformString { name in
        (0..<strlen(name)).reduce(into: "") { $0 += Self.escaped(UInt8(bitPattern: name[$1])) }
      }
    }.joined(separator: "/")
  }

  /// This path relative to a folder: without a root. Links are not followed.
  func relative(to folder: FilePath) -> FilePath {
    relative(to: folder, in: .current)
  }

  private static func escaped(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      String(UnicodeScalar(byte))
    default: "%" + hexadecimal(UInt32(byte), digits: 2)
    }
  }
}

extension MediaLocation {
  /// A path relative to a folder; an address stays as it is.
  func relative(to folder: FilePath) -> MediaLocation {
    file.map { .file($0.relative(to: folder)) } ?? self
  }
}

private func decimal(_ number: Int64, digits: Int) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}

private func hexadecimal(_ number: UInt32, digits: Int) -> String {
  let text = String(number, radix: 16, uppercase: true)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}
