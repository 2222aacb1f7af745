import TestSupport
import Testing

/// Media that are changed or removed while a preview plays.
extension PreviewFollowTests {
  @Test("a medium that is removed is heard to its end, also where it is opened later")
  func removed() throws {
    let sound = try SoundStage.noise()
    try sound.stage.make(
      "for n in one two three; do ffmpeg -v error -i $n.wav -c:a libvorbis $n.ogg; done")
    try sound.stage.write("job.yaml", job("one.ogg 0s..6s, two.ogg, one.ogg 1s..3s"))
    let before = try export(sound)
    let result = try sound.play("job.yaml", "heard 400000\nrm one.ogg two.ogg")
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(sound.firstDifference(from: before) == nil)
  }

  @Test(
    "a medium that changes before its turn is heard as it is then", arguments: ["", "--follow"])
  func changedBefore(option: String) throws {
    let sound = try SoundStage.noise()
    let (one, three) = try (
      Array(WAVFile(sound.stage.path("one.wav")).data),
      Array(WAVFile(sound.stage.path("three.wav")).data)
    )
    let result = try sound.play(
      "one.wav two.wav \(option)", "heard 400000\ncat three.wav > two.wav")
    #expect(result.status == 0)
    #expect(result.errors == "")
    // Where the player had already rendered the end, it goes back to the frame that was heard last, as
    // far as a card that runs four times as fast lets it know that.
    let expected = one + three
    let head = sound.heard.commonPrefix(with: expected)
    let tail = sound.heard.commonSuffix(with: expected)
    #expect((0...480 * 8).contains(sound.heard.count - expected.count))
    #expect(head + tail >= expected.count)
  }

  @Test("a medium that is rewritten while it is heard goes on as what is there now")
  func rewritten() throws {
    let sound = try SoundStage.noise()
    let before = Array(try WAVFile(sound.stage.path("one.wav")).data)
    let result = try sound.play("one.wav", "heard 400000\ncat two.wav > one.wav")
    #expect(result.status == 0)
    #expect(result.errors == "")
    let after = Array(try WAVFile(sound.stage.path("one.wav")).data)
    let (left, entered) = try #require(change(sound.heard, before, after))
    #expect(entered <= left)
  }

  @Test("a medium that is cut short and cannot be read fails where it was heard last")
  func truncated() throws {
    let sound = try SoundStage.noise()
    try sound.stage.make("ffmpeg -v error -i one.wav -b:a 256k one.m4a")
    let result = try sound.play("one.m4a", "heard 400000\ntruncate -s 9000 one.m4a")
    #expect(result.status == 1)
    #expect(result.errors.contains("error: 'one.m4a': "))
    #expect(result.text.contains("one.m4a: ended at 0:0"))
    #expect(!result.text.contains("ended at 0:00.0"))
  }

  @Test(
    "of several media that are rewritten while the first is heard, all go on as what is there now")
  func rewrittenTogether() throws {
    let sound = try SoundStage.noise()
    let before = Array(try WAVFile(sound.stage.path("one.wav")).data)
    let result = try sound.play(
      "one.wav two.wav",
      "heard 400000\ncp two.wav new.wav; cat three.wav > two.wav; cat new.wav > one.wav")
    #expect(result.status == 0)
    #expect(result.errors == "")
    let after = try ["one.wav", "two.wav"].flatMap { try WAVFile(sound.stage.path($0)).data }
    let (left, entered) = try #require(change(sound.heard, before, after))
    #expect(entered <= left)
  }

  @Test("of several media that are cut short and removed, each one is reported")
  func removedTogether() throws {
    let sound = try SoundStage.noise()
    try sound.stage.make("for n in one two; do ffmpeg -v error -i $n.wav -b:a 256k $n.m4a; done")
    let result = try sound.play(
      "one.m4a two.m4a three.wav",
      "heard 400000\ntruncate -s 9000 one.m4a two.m4a; rm one.m4a two.m4a")
    #expect(result.status == 75)
    for name in ["one.m4a", "two.m4a"] {
      #expect(result.errors.contains("error: '\(name)': "), "\(result.errors)")
    }
    #expect(result.text.hasSuffix("three.wav: ended at 0:08.0 of 0:08.0\n"))
  }

  @Test("a medium that is rewritten is heard also where the one before it cannot be read any more")
  func rewrittenBehindTruncated() throws {
    let sound = try SoundStage.noise()
    try sound.stage.make("ffmpeg -v error -i one.wav -b:a 256k one.m4a")
    let result = try sound.play(
      "one.m4a two.wav three.wav",
      "heard 400000\ncat three.wav > two.wav; truncate -s 9000 one.m4a")
    #expect(result.status == 1)
    #expect(result.errors.contains("error: 'one.m4a': "), "\(result.errors)")
    #expect(!result.errors.contains("error: 'two.wav': "), "\(result.errors)")
    let after = try ["two.wav", "three.wav"].flatMap { try WAVFile(sound.stage.path($0)).data }
    let entered = sound.heard.commonSuffix(with: after)
    #expect(entered + 480 * 8 >= after.count)
  }

  @Test("a medium that is rewritten goes on where it stopped, also when the next one is on its way")
  func rewrittenBeforeNext() throws {
    let sound = try SoundStage.noise()
    let media = try ["one.wav", "two.wav", "three.wav"].map {
      Array(try WAVFile(sound.stage.path($0)).data)
    }
    let result = try sound.play(
      "one.wav two.wav three.wav", "heard 4000000\ncat three.wav > two.wav")
    #expect(result.status == 0)
    #expect(result.errors == "")
    let heard = sound.heard
    let left = heard.commonPrefix(with: media[0] + media[1]) - media[0].count
    let entered = media[2].count * 2 - heard.commonSuffix(with: media[2] + media[2])
    #expect((4_000_000 - media[0].count..<media[1].count).contains(left))
    // A cross-fade later at most. The device is four times as fast as it says, so that what it has
    // played is known late, and heard again.
    #expect((left - 96_000...left + 480 * 8).contains(entered), "\(left), \(entered)")
  }

  @Test("a medium that cannot be read is waited for with a message, until a key goes on without it")
  func waits() throws {
    let sound = try SoundStage.noise()
    try sound.stage.make("ffmpeg -v error -i one.wav -b:a 256k one.m4a")
    let terminal = try sound.start("one.m4a", "two.wav")
    try terminal.wait(for: "playing  one.m4a")
    try sound.stage.make("truncate -s 9000 one.m4a")
    try terminal.wait(
      for: "'one.m4a' has changed: waiting until it can be read; a key goes on without it")
    // The reason stays when the pause before the next entry has come. Another size draws all lines.
    try terminal.wait(for: "paused  two.wav")
    terminal.passAll()
    terminal.resize(columns: 90, rows: 24)
    try terminal.wait(
      for: "waiting until it can be read; a key goes on without it", "paused  two.wav", "q quit")
    terminal.type("+")
    try terminal.wait(for: "error: 'one.m4a': ")
    try terminal.wait(for: "playing  two.wav")
    terminal.type("q")
    #expect(terminal.wait() == 75)
  }
}
