import TestSupport
import Testing

/// Jobs of several parts, from the command to the samples of each file.
@Suite("One file a part")
struct SplitFilesTests {
  /// `live.wav`: three seconds of music, and a sheet of it.
  private func album() throws -> Stage {
    let stage = Stage()
    try stage.make(
      "ffmpeg -v error -i $FIXTURES/feelings.ogg -map 0:a -map_metadata -1 "
        + "-af atrim=end_sample=132301 -c:a pcm_s16le live.wav")
    try stage.write(
      "live.cue",
      """
      PERFORMER "The Band"
      TITLE "Live"
      REM DATE 1999
      FILE "live.wav" WAVE
        TRACK 01 AUDIO
          TITLE "AC/DC"
          ISRC GBAYE9900001
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          TITLE "Zwei"
          PERFORMER "Gast"
          INDEX 00 00:00:60
          INDEX 01 00:01:01
        TRACK 03 AUDIO
          TITLE "The End"
          INDEX 01 00:02:74

      """.replacing("\n", with: "\r\n"))
    try stage.write(
      "album.yaml",
      """
      clip: live.wav
      split: live.cue
      output:
        - { file: "mp3/${part.n:02} ${part.title}.mp3", mp3: V0 }
        - { file: "flac/${part.n:02} ${part.title}.flac", flac: 16 bit }

      """)
    return stage
  }

  private static let names = ["01 AC_DC", "02 Zwei", "03 The End"]
  /// Frames of 44.1 kHz: 1 1/75 s, then 2 74/75 s.
  private static let bounds = [0, 44_688, 131_712, 132_301]

  @Test("An album by its CUE sheet: FLACs joined are the WAV, MP3s have the frames of their part")
  func wholeAlbum() throws {
    let stage = try album()
    #expect(try stage.make("avjob check album.yaml").text == "1 job with 3 parts is fine\n")
    try stage.make("avjob run -q album.yaml")
    let source = try WAVFile(stage.path("live.wav"))
    #expect(source.frameCount == Self.bounds.last)
    for (index, name) in Self.names.enumerated() {
      let range = Self.bounds[index]..<Self.bounds[index + 1]
      try stage.make("flac -s -d -o part.wav -f 'flac/\(name).flac'")
      #expect(try WAVFile(stage.path("part.wav")).data.elementsEqual(source.slice(range)))
      try stage.make("mpg123 -q -w part.wav 'mp3/\(name).mp3'")
      #expect(try WAVFile(stage.path("part.wav")).frameCount == range.count)
    }
    let tags = try stage.make(
      "for f in flac/*; do metaflac --export-tags-to=- \"$f\" | sort; done; mutagen-inspect mp3/02*"
    ).text.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined(separator: "\n")
    #expect(
      tags == """
        ALBUM=Live
        ALBUMARTIST=The Band
        ARTIST=The Band
        DATE=1999
        ISRC=GBAYE9900001
        TITLE=AC/DC
        TRACKNUMBER=1/3
        ALBUM=Live
        ALBUMARTIST=The Band
        ARTIST=Gast
        DATE=1999
        TITLE=Zwei
        TRACKNUMBER=2/3
        ALBUM=Live
        ALBUMARTIST=The Band
        ARTIST=The Band
        DATE=1999
        TITLE=The End
        TRACKNUMBER=3/3
        TALB=Live
        TDRC=1999
        TIT2=Zwei
        TPE1=Gast
        TPE2=The Band
        TRCK=2/3
        TSSE=avjob
        """)
    #expect(
      try stage.run("ffprobe -v error -show_entries format_tags mp3/01*").text.contains(
        "TAG:TSRC=GBAYE9900001\n"))
  }

  @Test("The plan shows each part, and where on the timeline it is")
  func plan() throws {
    let stage = try album()
    let plan = try stage.make("avjob plan album.yaml").text
    #expect(
      plan.hasPrefix(
        """
        album/01 AC/DC: 0:01.013, mixed at 44.1 kHz stereo
          timeline
            0:00.000 – 0:03.000  live.wav from 0:00.000
          outputs, of 0:00.000 – 0:01.013 on the timeline
            mp3/01 AC_DC.mp3  MP3 V0, 44.1 kHz stereo
            flac/01 AC_DC.flac  FLAC 16 bit, 44.1 kHz stereo, samples copied exactly
        album/02 Zwei: 0:01.973, mixed at 44.1 kHz stereo
          timeline
            0:00.000 – 0:03.000  live.wav from 0:00.000
          outputs, of 0:01.013 – 0:02.987 on the timeline
        """))
  }

  @Test("One worker and two give the same bytes, and a table of all parts")
  func workers() throws {
    let stage = try album()
    let result = try stage.make(
      """
      avjob run album.yaml --workers 1 >table 2>/dev/null; (sha256sum mp3/* flac/*) >one; rm -r mp3 flac
      avjob run -q album.yaml --workers 2 >/dev/null; (sha256sum mp3/* flac/*) >two
      cmp one two; wc -l <one; cut -d ' ' -f 1-4 table
      """)
    #expect(
      result.text.split(separator: "\n").map { $0.trimmingSuffix(" ") } == [
        "6", "Output", "mp3/01 AC_DC.mp3", "flac/01 AC_DC.flac", "mp3/02 Zwei.mp3",
        "flac/02 Zwei.flac", "mp3/03 The End.mp3", "flac/03 The End.flac", "6 outputs, 0:06.000 of",
      ])
  }

  @Test("A lossy interview by a text of times: the parts are the slices of the whole")
  func interview() throws {
    let stage = Stage()
    try stage.write("stamps.txt", "0:00 Childhood\n0:02.5 School: the end\n0:04 - Later\n")
    try stage.make("cp $FIXTURES/voice-vbr.mp3 interview.mp3")
    let job = "clip: interview.mp3\nsplit: stamps.txt\nmetadata: { comment: mine }\n"
    try stage.write(
      "parts.yaml", job + "output: { file: \"parts/${part.n:02} ${part.title}.mp3\", mp3: V2 }")
    try stage.write(
      "exact.yaml",
      job + "output: { file: \"${part.n}.wav\", wav: 32 bit float }")
    try stage.write(
      "whole.yaml", "clip: interview.mp3\noutput: { file: whole.wav, wav: 32 bit float }")
    try stage.make("avjob run -q parts.yaml exact.yaml whole.yaml")
    let whole = try WAVFile(stage.path("whole.wav"))
    let bounds = [0, 110_250, 176_400, 238_447]
    for index in 0..<3 {
      let part = try WAVFile(stage.path("\(index + 1).wav"))
      #expect(part.data.elementsEqual(whole.slice(bounds[index]..<bounds[index + 1])))
    }
    #expect(
      try stage.make(
        "cd parts; for f in *; do echo \"$f\"; mpg123 -q -w ../x.wav \"$f\"; soxi -s ../x.wav; done"
      )
      .text == """
        01 Childhood.mp3
        110250
        02 School: the end.mp3
        66150
        03 Later.mp3
        62047

        """)
    let tags = try stage.make("ffprobe -v error -of compact -show_entries format_tags parts/02*")
      .text
    #expect(
      tags == "format|tag:comment=mine|tag:artist=Eriberto Mota|tag:date=2020"
        + "|tag:title=School: the end|tag:track=2/3|tag:encoder=avjob\n"
        || tags.contains("tag:track=2/3") && tags.contains("tag:title=School: the end")
          && tags.contains("tag:artist=Eriberto Mota") && tags.contains("tag:comment=mine")
    )
  }

  @Test("Chapters of a part are its own, and a part that is one chapter has none")
  func chapters() throws {
    let stage = Stage()
    try stage.make("sox -n -r 8000 a.wav synth 6 sine 440")
    try stage.write(
      "job.yaml",
      """
      clip: a.wav
      chapters: { 0s: One, 1s: Two, 3s: Three, 4.5s: Four }
      split: { 0s: A, 2s: B, 5s: C }
      output: ${part.n}.flac
      """)
    try stage.make("avjob run -q job.yaml")
    let shown = try (1...3).map { number in
      try stage.make(
        "ffprobe -v error -of compact=p=0 -show_entries chapter=start_time:chapter_tags=title "
          + "\(number).flac"
      ).text
    }
    #expect(
      shown == [
        "start_time=0.000000|tag:title=One\nstart_time=1.000000|tag:title=Two\n",
        "start_time=0.000000|tag:title=Two\nstart_time=1.000000|tag:title=Three\n"
          + "start_time=2.500000|tag:title=Four\n",
        "",
      ])
  }

  @Test("Parts of one name, a folder that may not be written: found before anything is made")
  func conflicts() throws {
    let stage = try album()
    try stage.write("times.txt", "0:00 Same\n0:01 Same\n0:02 Other\n")
    try stage.write(
      "job.yaml", "clip: live.wav\nsplit: times.txt\noutput: \"out/${part.title}.mp3\"\n")
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 2)
    #expect(
      result.errors == """
        job.yaml:3:9: error: parts 'job/01 Same' and 'job/02 Same' both write 'out/Same.mp3'
            3 | output: "out/${part.title}.mp3"
              |         ^~~~~~~~~~~~~~~~~~~~~~~
          help: make the path depend on the part, as with '${part.n:02}'

        """)
    #expect(try stage.run("ls out").status != 0)
    try stage.write(
      "two.yaml",
      """
      jobs:
        a: { clip: live.wav, output: out/2.mp3 }
        b: { clip: live.wav, split: { every: 1s }, output: "out/${part.n}.mp3" }
      """)
    #expect(
      try stage.run("avjob check two.yaml").errors == """
        two.yaml:3:54: error: two outputs at 'out/2.mp3'
            3 |   b: { clip: live.wav, split: { every: 1s }, output: "out/${part.n}.mp3" }
              |                                                      ^~~~~~~~~~~~~~~~~~~
          help: give one of them another name
        two.yaml:2:32: note: the other one is here
            2 |   a: { clip: live.wav, output: out/2.mp3 }
              |                                ^~~~~~~~~

        """)
    try stage.make("mkdir raw; cp live.wav raw/a.wav; cp live.wav raw/b.wav")
    try stage.write(
      "all.yaml", "for_each: raw/*.wav\nsplit: { every: 1s }\noutput: \"${part.n}.mp3\"\n")
    #expect(
      try stage.run("avjob check all.yaml").errors == """
        all.yaml:3:9: error: parts 'a/01' and 'b/01' both write '1.mp3'
            3 | output: "${part.n}.mp3"
              |         ^~~~~~~~~~~~~~~
          help: make the path depend on the job, as with '${input.stem}' or '${n:02}'

        """)
    try stage.write(
      "shut.yaml",
      "clip: live.wav\nsplit: { every: 1s }\noutput: \"live.wav/${part.n}.mp3\"\n")
    let shut = try stage.run("avjob check shut.yaml")
    #expect(shut.status == 2)
    #expect(
      shut.errors == """
        shut.yaml:3:9: error: 'live.wav/1.mp3': cannot write there: Not a directory; a part of the \
        path before the name is a file, not a folder
            3 | output: "live.wav/${part.n}.mp3"
              |         ^~~~~~~~~~~~~~~~~~~~~~~~

        """)
  }

  @Test("A job file in the place of a command")
  func noCommand() throws {
    let result = try Stage().run("avjob Jobs/x.yaml")
    #expect(result.status == 2)
    #expect(
      result.errors == """
        error: 'Jobs/x.yaml' is a job file, not a command
          help: write 'avjob run Jobs/x.yaml'

        """)
  }
}

extension Substring {
  fileprivate func trimmingSuffix(_ character: Character) -> String {
    var copy = self
    while copy.last == character { copy.removeLast() }
    return String(copy)
  }
}
