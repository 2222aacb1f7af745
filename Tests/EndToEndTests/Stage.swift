import Glibc
import Synchronization
import TestSupport

/// A folder in which media are made, the command runs, and what it leaves can be seen.
struct Stage {
  let folder = TestFolder()

  func path(_ name: String) -> String { folder.path(name) }

  func write(_ name: String, _ text: String) throws { try writeFile(path(name), text.utf8) }

  /// Runs a script of bash in the folder. `avjob` is the command under test, loaded once for all
  /// tests where `AVJOB_LOADED` is set and the caller's libraries are no others, and `"$AVJOB"` its
  /// file, for what looks at the process; `$FIXTURES` are the repository's media. An `avjob` that
  /// does not end within a minute (`AVJOB_PATIENCE` seconds) is ended, with status 124, and a
  /// script after twenty such minutes, with status 137. A script that calls a program that is not
  /// there ends at once, with status 137. `taskset -c $(core) …` runs on one core, whatever there
  /// are.
  func run(_ script: String, environment: [String: String] = [:]) throws -> ToolResult {
    // To wait for what never comes by a FIFO costs no process.
    let waits = TestFolder()
    guard mkfifo(waits.path("never"), 0o600) == 0 else { throw ToolFailure(description: "no FIFO") }
    defer { withExtendedLifetime(waits) {} }
    let prelude = """
      cd "$1"
      shift
      sleep() { read -rt "$1" <>"$NEVER" || true; }
      command_not_found_handle() { echo "$1: command not found" >&2; kill -KILL $$; }
      avjob() {
        if [ -z "${AVJOB_LOADED-}" ] || [ -n "${LD_PRELOAD-}${LD_LIBRARY_PATH-}" ]; then
          timeout --foreground $AVJOB_PATIENCE "$AVJOB" "$@"
        else
          FORK_PATIENCE=$AVJOB_PATIENCE "$AVJOB_LOADED" "$@"
        fi
      }
      turn() { python3 -c "$TURN" "$1"; }
      core() { sed -n 's/^Cpus_allowed_list:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/self/status; }

      """
    let patience = getenv("AVJOB_PATIENCE").flatMap { Int(String(cString: $0)) } ?? 60
    let own = [
      "AVJOB": Command.path, "FIXTURES": Fixture.path(""), "AVJOB_PATIENCE": "\(patience)",
      "TURN": turningScript, "NEVER": waits.path("never"),
    ]
    // The limit is for loops that wait for what never comes.
    return try Tool.run(
      ["bash", "-c", prelude + script, "bash", folder.root],
      environment: environment.merging(own) { theirs, _ in theirs },
      patience: .seconds(20 * patience))
  }

  /// Runs a script that must succeed, each line of it.
  @discardableResult
  func make(_ script: String, environment: [String: String] = [:]) throws -> ToolResult {
    let result = try run("set -euo pipefail\n" + script, environment: environment)
    guard result.status == 0 else {
      throw ToolFailure(description: "\(script) gave \(result.status): \(result.errors)")
    }
    return result
  }

  /// Puts into the folder what a script makes in an empty one. The same script is run once in a run
  /// of the tests: most tests of a suite begin with the same media.
  func share(_ script: String) throws {
    try Tool.succeed("cp", "-a", SharedMedia.made(by: script).folder.root + "/.", folder.root)
  }

  /// Writes a job file and runs it, without progress.
  func job(_ yaml: String) throws -> ToolResult {
    try write("job.yaml", yaml)
    return try run("avjob run --quiet job.yaml")
  }

  /// The sound of a movie as one channel, from the start of its clock: ffmpeg fills what is before it with
  /// silence.
  func sound(of name: String, track: Int = 0) throws -> [Float] {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-copyts", "-i", path(name), "-map", "0:a:\(track)", "-af",
      "aresample=async=1:first_pts=0", "-ac", "1", "-f", "f32le", "-"
    ).floats
  }

  /// Digests of a file's pictures, as FFmpeg decodes them, from the first one on that it gives.
  func pictures(of name: String) throws -> [String] {
    try make(
      "ffmpeg -v error -i \(name) -map 0:v -fps_mode passthrough -f framemd5 - | grep -v '^#'"
    ).text.split(separator: "\n").compactMap { $0.split(separator: ",").last.map(String.init) }
  }

  /// Every file and folder with its kind and size, in order of name, but for what avjob keeps for
  /// its next run.
  func listing() throws -> [String] {
    let found = "find . -name .avjob -prune -o -printf '%P %y %s %l\\n'"
    return try run("\(found) | sed 's/ d [0-9]*/ d/' | LC_ALL=C sort").text.split(separator: "\n")
      .map(String.init)
  }
}

/// What scripts have made in this run, each in a folder of its own.
private final class SharedMedia: Sendable {
  private static let all: Mutex<[String: SharedMedia]> = {
    atexit { SharedMedia.all.withLock { $0 = [:] } }
    return Mutex([:])
  }()

  private let stage = Stage()
  private let isMade = Mutex(false)

  static func made(by script: String) throws -> Stage {
    let media = all.withLock { all in
      let media = all[script] ?? SharedMedia()
      all[script] = media
      return media
    }
    try media.isMade.withLock { isMade in
      if !isMade { try media.stage.make(script) }
      isMade = true
    }
    return media.stage
  }
}

extension Stage {
  /// For scripts: `lasting` prints a report in JSON without what no two runs have in common.
  static let lasting = """
    lasting() {
      /usr/bin/python3 -c "
    import json, sys
    r = json.load(open(sys.argv[1]))
    for name in ('started', 'elapsed', 'machine', 'shards'): r.pop(name, None)
    for job in r['jobs']:
      for name in ('start', 'elapsed', 'speed', 'number', 'part'): job.pop(name, None)
    print(json.dumps(r, indent=1))" $1
    }

    """
}

extension ToolResult {
  /// What was said, but for the progress, which has times in it.
  var screen: String {
    errors.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { line in
        !line.hasSuffix(": started") && !line.contains(": done in ")
          && !line.contains(": failed after ")
      }
      .joined(separator: "\n")
  }

  /// The headlines of what was said, but for notes on pictures of videos, and on the dates in their headers,
  /// which are left out.
  var remarksBesidesPictures: [Substring] {
    errors.split(separator: "\n").filter { line in
      [": note: ", ": warning: ", "error: "].contains(where: line.contains)
        && !line.hasSuffix("left out: no output holds a picture")
        && !line.contains(": creation_time of the source left out, since ")
    }
  }
}

/// Samples in WAV (ITU-R BS.2088 for the chunks), read without any library.
struct WAVFile {
  let channelCount: Int
  let sampleRate: Int
  let bitDepth: Int
  /// Interleaved, little-endian.
  let data: ArraySlice<UInt8>

  var frameSize: Int { channelCount * bitDepth / 8 }
  var frameCount: Int { data.count / frameSize }

  init(_ path: String) throws {
    let bytes = try readFile(path)
    func number(_ offset: Int, _ size: Int) -> Int {
      (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    var format = 0
    var offset = 12
    while offset + 8 <= bytes.count {
      let name = String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
      let size = number(offset + 4, 4)
      if name == "fmt " { format = offset + 8 }
      if name == "data", format > 0 {
        channelCount = number(format + 2, 2)
        sampleRate = number(format + 4, 4)
        bitDepth = number(format + 14, 2)
        data = bytes[(offset + 8)..<min(bytes.count, offset + 8 + size)]
        return
      }
      offset += 8 + size + size % 2
    }
    throw ToolFailure(description: "\(path) holds no WAV data")
  }

  /// The bytes of a range of frames.
  func slice(_ frames: Range<Int>) -> ArraySlice<UInt8> {
    data[(data.startIndex + frames.lowerBound * frameSize)...].prefix(frames.count * frameSize)
  }

  /// Interleaved 32-bit floats.
  var floats: [Float] {
    [Float](unsafeUninitializedCapacity: data.count / 4) { samples, count in
      count = data.count / 4
      UnsafeMutableRawBufferPointer(samples).copyBytes(from: data.prefix(count * 4))
    }
  }

  /// One channel of 32-bit floats.
  func floats(_ channel: Int) -> [Float] {
    let all = floats
    return stride(from: channel, to: all.count, by: channelCount).map { all[$0] }
  }
}

extension Stage {
  /// Makes `broken.m4a`, which is found whole, and of which all packets from 0.464 s on are lost. Of some
  /// packets, the times of the next ones would show the hole.
  static let brokenMedium = """
    ffmpeg -v error -f lavfi -i anoisesrc=d=1:r=22050:a=0.3:seed=1 -c:a aac -b:a 64k \
      -movflags +faststart broken.m4a
    head -c $(($(stat -c %s broken.m4a) - 5000)) /dev/zero |
      dd of=broken.m4a bs=1 seek=5000 conv=notrunc status=none
    """
}
