import TestSupport
import Testing

/// `avjob cache`
@Suite("avjob cache") struct CacheCommandTests {
  /// A stage with two media in its cache, of which the MP3 was used last.
  private func stage() throws -> RemoteStage {
    let stage = try RemoteStage()
    try stage.make(
      """
      avjob probe --allow-host $host '\(stage.url("plain", "voice-8k.wav"))' >facts
      avjob probe --allow-host $host '\(stage.url("plain", "sweep.mp3"))' >facts
      """)
    return stage
  }

  /// A script that says when the media were used last, by their sizes.
  private let ages = """
    for entry in cache/*/; do
      if grep -q 'size 10677' $entry/facts; then touch -d '-300 seconds' $entry/lock
      else touch -d '-49 hours' $entry/lock; fi
    done

    """

  @Test("a cache without anything is said to be empty, and no folder is made")
  func empty() throws {
    let stage = try RemoteStage()
    let script = "for i in list prune clear verify path; do avjob cache $i; done; ls"
    let expected =
      String(repeating: "the cache is empty\n", count: 4) + stage.stage.path("cache") + "\n"
    let missing = try stage.make(script)
    expect(missing.text, expected)
    #expect(missing.errors.isEmpty)
    try stage.make("mkdir -m 700 cache")
    expect(try stage.make(script).text, expected + "cache\n")
    let json = try stage.make("avjob cache list --json").text
    try JSONSchema.validate(json, as: "cache")
    #expect(json.contains("\"bytes\": 0,") && json.hasSuffix("\"messages\": []\n}\n"), "\(json)")
  }

  @Test("a cache of a size that is none is not listed, and the document says why")
  func refusedDocument() throws {
    let stage = try RemoteStage()
    let wrong = try stage.run("AVJOB_CACHE_SIZE=much avjob cache list --json")
    #expect(wrong.status == 2)
    try JSONSchema.validate(wrong.text, as: "cache")
    #expect(
      wrong.text.contains("\"AVJOB_CACHE_SIZE: 'much' is no size; write '500 MB' or '2 GB'\""),
      "\(wrong.text)")
  }

  @Test("media are listed with size, age and address, and without secrets")
  func list() throws {
    let stage = try stage()
    let host = stage.host
    try stage.make(ages)
    let listed = try stage.make("AVJOB_CACHE_SIZE='2 GB' avjob cache list").text
    // What lies on the disk depends on its file system.
    let screen = listed.replacing(#/^ +[0-9.]+ kB/#.anchorsMatchLineEndings(), with: "    … kB")
      .replacing(#/, [0-9.]+ kB of/#, with: ", … kB of")
    expect(
      screen,
      """
      On disk   Whole  Unused for  In use  Address
          … kB   11 kB       5 min      no  http://\(host)/plain/sweep.mp3?…
          … kB  484 kB         2 d      no  http://\(host)/plain/voice-8k.wav?…

      2 media, … kB of 2.0 GB

      """)
    let json = try stage.make("avjob cache list --json").text
    try JSONSchema.validate(json, as: "cache")
    #expect(json.contains("\"url\": \"http://\(host)/plain/voice-8k.wav?…\""))
  }

  @Test("what was not used for longest is pruned, and clear removes the rest")
  func prune() throws {
    let stage = try stage()
    let pruned = try stage.make(ages + "avjob cache prune --keep 50kB; avjob cache list").text
    #expect(pruned.hasPrefix("removed 1 medium, "), "\(pruned)")
    #expect(pruned.contains("/plain/sweep.mp3?…\n\n1 medium, "), "\(pruned)")
    let cleared = try stage.make("avjob cache clear; avjob cache list; ls cache").text
    #expect(cleared.hasPrefix("removed 1 medium, "), "\(cleared)")
    #expect(cleared.hasSuffix("; 0 media, 0 B, left\nthe cache is empty\nCACHEDIR.TAG\n"))
  }

  @Test("by itself, prune keeps AVJOB_CACHE_SIZE, and a size that is none is refused")
  func pruneSizes() throws {
    let stage = try stage()
    let kept = try stage.make("avjob cache prune").text
    #expect(kept.hasPrefix("removed 0 media, 0 B; 2 media, "), "\(kept)")
    let pruned = try stage.make("AVJOB_CACHE_SIZE=1 avjob cache prune").text
    #expect(pruned.hasPrefix("removed 2 media, "), "\(pruned)")
    let wrong = try stage.run("avjob cache prune --keep much")
    #expect(
      wrong.errors == """
        error: --keep: 'much' is no size; write '500 MB' or '2 GB'
          help: 'avjob help cache prune' lists the options

        """)
    #expect(wrong.status == 2)
  }

  @Test("what a process uses stays, and is shown")
  func inUse() throws {
    let stage = try stage()
    // As a process of avjob holds it.
    let result = try stage.make(
      """
      entry=$(dirname "$(grep -l 'size 10677' cache/*/facts)")
      exec {lock}<$entry/lock
      flock --shared $lock
      avjob cache list | grep -c ' yes  http'
      avjob cache clear
      AVJOB_CACHE_SIZE=1 avjob cache prune | tail -n 1
      """
    ).text.split(separator: "\n")
    try #require(result.count == 4)
    #expect(result[0] == "1")
    #expect(result[1].hasPrefix("removed 1 medium, ") && result[1].contains("; 1 medium, "))
    #expect(result[2] == "in use, and kept: http://\(stage.host)/plain/sweep.mp3?…")
    #expect(result[3].hasSuffix(" kB are more than 1 B, but in use"), "\(result[3])")
  }

  @Test("damaged blocks are counted, given up and fetched again")
  func verify() throws {
    let stage = try stage()
    let url = "http://\(stage.host)/plain/sweep.mp3?…"
    let damage = """
      entry=$(dirname "$(grep -l 'size 10677' cache/*/facts)")
      printf x | dd of=$(echo $entry/*.data) bs=1 seek=5000 conv=notrunc status=none
      avjob cache verify
      """
    let damaged = try stage.run(damage)
    #expect(damaged.status == 1 && damaged.text.hasPrefix("compared "))
    #expect(
      damaged.errors == """
        error: \(url): 1 block was damaged
          help: nothing needs to be done: the next command that needs them fetches them again

        """)
    let before = try stage.requests().count
    try stage.make(
      """
      avjob cache verify
      avjob clip -q --allow-host $host '\(stage.url("plain", "sweep.mp3"))' -o a.wav
      avjob clip -q $FIXTURES/sweep.mp3 -o b.wav
      cmp a.wav b.wav
      """)
    let fetched = try stage.requests().dropFirst(before)
    #expect(Array(fetched).bodyBytes == 10_677)
  }
}
