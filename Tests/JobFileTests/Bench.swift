import Diagnosis
import MediaComposition
import MediaTime
import RunPlan
import SystemPackage
import Testing

@testable import JobFile
@testable import JobModel

/// Job files to try, on a disk with some media.
struct Bench {
  var options = JobFile.Options()
  var media = [
    "a.wav", "b.wav", "intro.mp3", "episode.flac", "outro.ogg", "media/theme.ogg", "media/host.wav",
    "media/guest.mka", "media/cover.jpg", "raw/ch1.wav", "raw/ch2.wav", "raw/ch10.wav",
    "raw/extra/bonus.wav", "My take 1..2.wav",
  ]
  /// Files with something in them, beside the job file.
  var texts: [String: String] = [:]
  /// The same in bytes.
  var bytes: [String: [UInt8]] = [:]
  /// The texts of servers, or why there are none, by their addresses.
  var pages: [String: Result<String, Failure>] = [:]
  /// When every file was changed last.
  var modificationTime: Duration?
  /// The silences of every sound.
  var listen: (SilenceSearch) -> SilenceFindings = { _ in SilenceFindings([]) }
  /// The key picture nearest to a moment of any video.
  var keyPicture: (KeyPictureSearch) throws(Failure) -> Time = { $0.time }
  /// By the last name of the path: seconds, or frames at a rate.
  var assets: [String: Asset] = [:]

  /// Everything that is said about `yaml`, as a terminal shows it; for a file without faults, its
  /// warnings.
  func screen(_ yaml: String, named name: String = "job.yaml") -> String {
    let map = SourceMap()
    do throws(Diagnostics) {
      let file = try load(yaml, named: name, into: map)
      return Diagnostics(file.warnings).render(in: map)
    } catch {
      return error.render(in: map)
    }
  }

  /// What lowering says about the jobs of `yaml`.
  func exportScreen(_ yaml: String) -> String {
    let map = SourceMap()
    var all = Diagnostics()
    do throws(Diagnostics) {
      for job in try load(yaml, into: map).jobs {
        do throws(Diagnostics) {
          all.append(
            contentsOf: try job.exports(
              assets: asset, listen: listen, findKeyPicture: findKeyPicture
            ).warnings)
        } catch {
          all.append(contentsOf: error.all)
        }
      }
    } catch {
      return error.render(in: map)
    }
    return all.render(in: map)
  }

  func load(
    _ yaml: String, named name: String = "job.yaml", into map: SourceMap = SourceMap()
  ) throws(Diagnostics) -> JobFile {
    let folder = FilePath(name).removingLastComponent()
    var contents = bytes
    for (path, text) in texts { contents[path] = Array(text.utf8) }
    contents[name] = Array(yaml.utf8)
    var files = MemoryFiles(media.map { folder.appending($0).string }, bytes: contents)
    files.devices = ["/dev/zero"]
    files.pages = pages
    files.modificationTime = modificationTime
    let file = try JobFile.loadAllowingMistakes(
      FilePath(name), options: options, into: map, files: files)
    let dependencies = JobDependencies(
      among: file.jobs, of: file.jobs.map { _ in 0 }, reading: file.files, file.transcripts,
      currentDirectory: files.currentDirectory)
    var found = file.diagnostics
    let missing = dependencies.unwritten(file.missingMedia)
    found.append(contentsOf: MissingFile.diagnostics(of: missing).all)
    guard found.errors.isEmpty else { throw found.sorted(by: map) }
    let problems = dependencies.problems.filter { $0.severity == .error }
    guard problems.isEmpty else { throw Diagnostics(problems).sorted(by: map) }
    return file
  }

  func exports(_ yaml: String, named name: String = "job.yaml") throws(Diagnostics) -> [Export] {
    var exports: [Export] = []
    for job in try load(yaml, named: name).jobs {
      exports += try job.exports(
        assets: asset, listen: listen, findKeyPicture: findKeyPicture
      ).exports
    }
    return exports
  }

  private func findKeyPicture(_ search: KeyPictureSearch) throws(Failure) -> Time? {
    try keyPicture(search)
  }

  func asset(_ reference: MediaReference) -> Asset? {
    assets[reference.location.lastName ?? ""] ?? .fake("\(reference.location)", seconds: 60)
  }
}

/// Files, as tests name them.
extension MediaLocation: ExpressibleByStringLiteral {
  /// The file at a path.
  public init(stringLiteral path: String) { self = .file(FilePath(path)) }
}

extension Asset {
  /// A file of which only the sound's shape matters.
  static func fake(
    _ path: String, seconds: Int64, rate: Int = 48_000, layout: ChannelLayout = .stereo,
    bitDepth: Int? = 16
  ) -> Asset {
    let isMP3 = path.hasSuffix(".mp3")
    return Asset(
      location: .file(FilePath(path)), streamIndex: 0, container: isMP3 ? "mp3" : "wav",
      codec: isMP3 ? "mp3" : "pcm_s16le", sampleRate: rate, channelLayout: layout,
      bitDepth: isMP3 ? nil : bitDepth, frameCount: seconds * Int64(rate),
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 0))
  }
}

extension Job {
  /// Of a job that is not split.
  func export(assets: (MediaReference) -> Asset?) throws(Diagnostics) -> Export {
    let exports = try exports(assets: assets).exports
    guard let only = exports.first, exports.count == 1 else {
      throw Diagnostics(Diagnostic("\(exports.count) exports", at: .unknown))
    }
    return only
  }
}
