import Glibc
import TestSupport
import Testing

/// What `avjob preview` says of alsa-lib's `file` devices that cannot be written.
@Suite struct PreviewFileTests {
  /// `file` as alsa.conf defines it, without that file's hooks: plugins of sound servers, which they
  /// load, keep files of their own, which a limit stops first.
  private static let configuration = """
    pcm.null.type null
    pcm.file {
      @args [ FILE ]
      @args.FILE.type string
      type file
      slave.pcm null
      file $FILE
      format raw
    }
    """

  @Test("a device that cannot write its file is told by name, once, and ends it with status 1")
  func noFolder() throws {
    let sound = try SoundStage()
    try sound.make()
    try sound.stage.write("alsa.conf", Self.configuration)
    let result = try sound.run(
      """
      export ALSA_CONFIG_PATH=$PWD/alsa.conf
      avjob preview one.wav two.wav --device file:nowhere/heard.raw
      """)
    #expect(result.status == 1)
    #expect(
      result.errors == """
        error: the sound device 'file:nowhere/heard.raw' takes no sound; make the folder of its file, \
        or change the permissions there (nowhere/heard.raw write failed, file data may be corrupt: \
        Bad file descriptor)

        """)
    #expect(!result.text.contains("gone"))
    #expect(!result.text.contains("back"))
  }

  @Test(
    "one whose file may not grow is told, also at its very end, and what went into the file stays",
    arguments: [(144_000, 100), (14_720, 40)])
  func limit(frames: Int, kilobytes: Int) throws {
    let sound = try SoundStage()
    try sound.stage.make("sox -n -r 48000 -c 2 -e float -b 32 one.wav synth \(frames)s sine 300")
    try sound.stage.write("alsa.conf", Self.configuration)
    let result = try sound.run(
      """
      export ALSA_CONFIG_PATH=$PWD/alsa.conf
      (
        ulimit -f \(kilobytes)
        avjob preview one.wav --device file:heard.raw
        echo $?
      )
      """)
    #expect(result.text.hasSuffix("\n1\n"), "\(result.text)")
    #expect(
      result.errors == """
        error: the sound device 'file:heard.raw' takes no sound; raise the limit (ulimit -f), or \
        write to another file system (heard.raw write failed, file data may be corrupt: File too large)

        """)
    #expect(!result.text.contains("gone"))
    let heard = try readFile(sound.stage.path("heard.raw"))
    // Of the shorter one, alsa-lib holds back 200 ms until its end.
    #expect(heard.count == kilobytes * 1024)
    let isHeard = try WAVFile(sound.stage.path("one.wav")).data.starts(with: heard)
    #expect(isHeard)
  }
}
