import Diagnosis
import Files
import JobModel
import MediaComposition
import SystemPackage

/// A media file in place of a text: `avjob run talk.wav`.
enum MediaInstead {
  /// The expected text.
  enum Text: String {
    case jobFile = "a job file"
    /// A job file that another one includes.
    case included = "another job file"
    case list = "a list of times"
    case table = "a table"
    case transcript = "a transcript"

    /// Without an article.
    var noun: String {
      switch self {
      case .jobFile, .included: "job file"
      case .list: "list of times"
      case .table: "table"
      case .transcript: "transcript"
      }
    }
  }

  /// The error for a file at `path` that begins with `bytes`; nil where it may be `text`.
  ///
  /// - Parameters:
  ///   - text: The expected text.
  ///   - path: As the user spelled it.
  ///   - bytes: All of it, or nil where it is too large for such a text.
  ///   - origin: Where it is named.
  /// - Returns: An error.
  static func diagnostic(
    insteadOf text: Text = .jobFile, of path: FilePath, _ bytes: [UInt8]?,
    at origin: Origin = .unknown
  ) -> Diagnostic? {
    let isMedia = bytes.map(beginsAsMedia) ?? hasMediaExtension(path)
    guard isMedia else { return nil }
    return Diagnostic(
      "'\(path)' is a media file, and \(text.rawValue) belongs here", at: origin,
      help: help(text, path))
  }

  private static func help(_ text: Text, _ path: FilePath) -> String {
    switch text {
    case .jobFile:
      let name = ArgumentNode.scalar(path.lastComponent?.string ?? path.string)
      return "write a job file with 'clip: \(name)' and 'output: NAME.mp3' in it, or take "
        + "'avjob compress', 'avjob clip' or 'avjob probe'"
    case .included: return "name a file of jobs, as 'shows.yaml'; media are named by 'clip'"
    case .list: return "name a text with lines as '14:05 School', or a CUE sheet"
    case .transcript:
      return "name a text, as 'talk.vtt'; 'transcript: keep' keeps the words in the clip's own file"
    case .table: return "name a table, as 'words.csv'; 'for_each' goes through media files"
    }
  }

  static func hasMediaExtension(_ path: FilePath) -> Bool {
    let others: Set = ["mov", "avi", "ts", "mxf", "m4v", "ogv", "mpg", "mpeg", "jpg", "png"]
    guard let own = path.extension?.lowercased(), own != "json" else { return false }
    return Output.Request.mediaExtensions.contains(own) || others.contains(own)
  }

  /// Whether names with this extension are those of pictures.
  static func isPicture(_ fileExtension: String?) -> Bool {
    ["jpg", "jpeg", "png", "gif", "webp"].contains(fileExtension?.lowercased())
  }

  /// The first bytes of formats, from libmagic and FFmpeg's probes.
  private static let signatures: [(offset: Int, bytes: [UInt8])] = [
    (0, Array("RIFF".utf8)), (0, Array("RF64".utf8)), (0, Array("FORM".utf8)),
    (0, Array("fLaC".utf8)), (0, Array("OggS".utf8)), (0, Array("caff".utf8)),
    (0, Array("ID3".utf8)), (0, Array("#!AMR".utf8)), (0, Array(".snd".utf8)),
    (0, Array("MAC ".utf8)), (0, Array("wvpk".utf8)), (4, Array("ftyp".utf8)),
    (4, Array("moov".utf8)), (4, Array("mdat".utf8)), (0, [0x1A, 0x45, 0xDF, 0xA3]),
    (0, [0x30, 0x26, 0xB2, 0x75]), (0, [0xFF, 0xD8, 0xFF]), (0, [0x89, 0x50, 0x4E, 0x47]),
  ]

  fileprivate static func beginsAsMedia(_ bytes: [UInt8]) -> Bool {
    let start = bytes.prefix(512)
    guard start.contains(where: { $0 == 0 || $0 >= 0x80 }) else { return false }
    // A frame of MPEG audio or of AAC: 11 or 12 bits set (ISO/IEC 11172-3, 2.4.1.3).
    if bytes.count > 1, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0, bytes[1] & 0x06 != 0,
      bytes[1] != 0xFE
    {
      return true
    }
    // A table whose first column is called 'FORM' is a text.
    guard start.contains(where: { $0 < 0x20 && !"\t\n\r".utf8.contains($0) }) else { return false }
    return signatures.contains { offset, signature in
      bytes.dropFirst(offset).starts(with: signature)
    }
  }
}

extension JobFile {
  /// Whether a file is a medium and no job file, by its first bytes, or else by its name; for a
  /// command that takes both.
  package static func isMedia(_ path: FilePath) -> Bool {
    guard !isNamed(path) else { return false }
    return MediaInstead.beginsAsMedia(PathCalls.beginning(of: path))
      || MediaInstead.hasMediaExtension(path)
  }
}
