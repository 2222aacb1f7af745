import ArgumentParser
import Diagnosis
import ExportEngine
import Glibc
import JSON
import MediaCache
import MediaComposition
import Reports
import SystemPackage
import Terminal

/// `avjob cache`
struct Cache: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache", abstract: "List, check or remove what is kept of media from servers.",
    discussion: """
      The cache is the folder AVJOB_CACHE, by default ~/.cache/avjob/media. Above AVJOB_CACHE_SIZE, \
      by default 8 GiB, it removes what was not used for longest by itself. No command removes what \
      another process uses, and none asks a server.
      """,
    subcommands: [List.self, Prune.self, Clear.self, Verify.self, Path.self])

  /// `avjob cache list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Print what is in the cache, used last first.")

    static let documentVersion: Int64 = 1

    @OptionGroup var output: JSONOption

    func run() throws {
      let cache = try Cache.open()
      let entries = try cache.entries()
      if output.json {
        output.print(
          version: Self.documentVersion, CacheTable.json(entries, options: cache.options))
      } else if entries.isEmpty {
        Cache.say(Cache.empty)
      } else {
        StandardStream.output.write(
          CacheTable.text(entries, now: Int64(time(nil)), limit: cache.options.limit))
      }
    }
  }

  /// `avjob cache prune`
  struct Prune: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "prune", abstract: "Remove what was not used for longest, down to a size.")

    @Option(help: .value("size", "Keep this much, such as '2 GB'; default: AVJOB_CACHE_SIZE."))
    var keep: String?

    func run() throws {
      let cache = try Cache.open()
      let limit = try keep.map { try Bound.bytes($0, of: "--keep") } ?? cache.options.limit
      let removed = try cache.prune(to: limit)
      let left = try cache.entries()
      Cache.say(Cache.account(removed, left))
      let bytes = left.reduce(0) { $0 + $1.bytes }
      if bytes > limit {
        Cache.say(
          "\(Figures.size(bytes: bytes)) are more than \(Figures.size(bytes: limit)), but in use")
      }
    }
  }

  /// `avjob cache clear`
  struct Clear: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "clear", abstract: "Remove all that no process uses.")

    func run() throws {
      let cache = try Cache.open()
      let removed = try cache.clear()
      let left = try cache.entries()
      Cache.say(Cache.account(removed, left))
      for entry in left {
        Cache.say("in use, and kept: \(entry.address ?? CacheTable.unknownAddress)")
      }
    }
  }

  /// `avjob cache verify`
  struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract: "Compare all bytes with their digests; exit with 1 if any were damaged.",
      discussion: "Damaged blocks are given up: the next command that needs them fetches them.")

    func run() throws {
      let cache = try Cache.open()
      let isEmpty = try cache.entries().isEmpty
      let result = try cache.verify()
      Cache.say(
        isEmpty
          ? Cache.empty
          : "compared \(Figures.size(bytes: result.bytes)) of \(Cache.count(result.entries))")
      guard !result.damaged.isEmpty else { return }
      for damage in result.damaged {
        let blocks = damage.blocks == 1 ? "1 block was" : "\(damage.blocks) blocks were"
        ReportedDiagnostics.refuse(
          "\(damage.address): \(blocks) damaged",
          help: "nothing needs to be done: the next command that needs them fetches them again")
      }
      throw ExitCode.jobFailed
    }
  }

  /// `avjob cache path`
  struct Path: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "path", abstract: "Print the cache's folder, whether it exists or not.")

    func run() throws {
      StandardStream.output.write("\(try Cache.open().options.folder)\n", verbatim: true)
    }
  }
}

extension Cache {
  /// The cache that the environment names; its folder is not made.
  fileprivate static func open() throws -> MediaCache {
    try MediaNetwork.configure(NetworkOptions.options())
    return try MediaNetwork.cache()
  }

  fileprivate static let empty = "the cache is empty"

  fileprivate static func say(_ line: String) {
    StandardStream.output.write(line.printable + "\n")
  }

  fileprivate static func account(_ removed: CacheRemoval, _ left: [CacheEntry]) -> String {
    guard removed.entries > 0 || !left.isEmpty else { return empty }
    let bytes = left.reduce(0) { $0 + $1.bytes }
    return "removed \(count(removed.entries)), \(Figures.size(bytes: removed.bytes)); "
      + "\(count(left.count)), \(Figures.size(bytes: bytes)), left"
  }

  fileprivate static func count(_ media: Int) -> String {
    media == 1 ? "1 medium" : "\(media) media"
  }
}

/// What `avjob cache list` prints.
enum CacheTable {
  /// Of an entry whose server has not answered.
  static let unknownAddress = "(not fetched yet)"

  /// The entries in their order, and a total, as lines that each end in a line feed; `now` is in Unix
  /// seconds, and `limit` what the cache may hold, in bytes.
  static func text(_ entries: [CacheEntry], now: Int64, limit: Int64) -> String {
    let rows =
      [["On disk", "Whole", "Unused for", "In use", "Address"]]
      + entries.map { entry in
        [
          Figures.size(bytes: entry.bytes), entry.size.map { Figures.size(bytes: $0) } ?? "",
          age(now - entry.lastUse), entry.isInUse ? "yes" : "no",
          (entry.address ?? unknownAddress).printable,
        ]
      }
    let widths = (0...3).map { column in rows.map { $0[column].columns }.max() ?? 0 }
    let lines = rows.map { row in
      (widths.indices.map { row[$0].aligned(to: widths[$0]) } + [row[4]]).joined(separator: "  ")
    }
    let bytes = entries.reduce(0) { $0 + $1.bytes }
    let total =
      "\(Cache.count(entries.count)), \(Figures.size(bytes: bytes)) of \(Figures.size(bytes: limit))"
    return (lines + ["", total]).map { $0 + "\n" }.joined()
  }

  /// `12 s`, `5 min`, `3 h`, `40 d`: rounded down.
  static func age(_ seconds: Int64) -> String {
    switch max(0, seconds) {
    case let seconds where seconds < 60: "\(seconds) s"
    case let seconds where seconds < 3600: "\(seconds / 60) min"
    case let seconds where seconds < 86400: "\(seconds / 3600) h"
    case let seconds: "\(seconds / 86400) d"
    }
  }

  /// The members of the document beside its head; it has no messages.
  static func json(_ entries: [CacheEntry], options: MediaCache.Options) -> JSONValue {
    .file(
      options.folder,
      [
        "limit": .integer(options.limit),
        "bytes": .integer(entries.reduce(0) { $0 + $1.bytes }),
        "media": .list(
          entries.map { entry in
            .members([
              "url": entry.address.map { .text($0) }, "key": .text(entry.key),
              "bytes": .integer(entry.bytes), "size": entry.size.map { .integer($0) },
              "last_use": .text(Timestamp(seconds: entry.lastUse, milliseconds: 0).text),
              "in_use": .boolean(entry.isInUse),
            ])
          }),
        "messages": .list([]),
      ])
  }
}
