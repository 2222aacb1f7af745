import TestSupport
import Testing

/// Chapters in Vorbis comments, as other programs write them, and beside a cue sheet.
@Suite("Chapters in comments") struct CommentChapterTests {
  private let stage = Stage()

  /// Two seconds as `a.flac`.
  private func makeSound() throws {
    try stage.make(
      "sox -n -r 44100 -c 2 -b 16 a.wav synth 2 sine 440 gain -6; flac -s -f a.wav -o a.flac")
  }

  private static let ogm = """
    cp a.flac c.flac
    metaflac --set-tag=CHAPTER01=00:00:00.500 --set-tag=CHAPTER01NAME=A \
      --set-tag=CHAPTER02=00:00:01.500 --set-tag=CHAPTER02NAME=B --set-tag=TITLE=T c.flac

    """

  @Test("chapters of two digits move with the sound, and stand nowhere else in any format")
  func twoDigits() throws {
    try makeSound()
    try stage.make(
      Self.ogm + "for e in flac ogg opus m4a mp3; do avjob clip -q c.flac --from 0.4s -o p.$e; done"
    )
    #expect(
      try stage.make("metaflac --export-tags-to=- p.flac | grep CHAPTER").text
        == "CHAPTER000=00:00:00.100\nCHAPTER000NAME=A\nCHAPTER001=00:00:01.100\nCHAPTER001NAME=B\n")
    for name in ["p.flac", "p.ogg", "p.opus", "p.m4a", "p.mp3"] {
      #expect(try stage.chapters(of: name) == ["0.1 A", "1.1 B"], "\(name)")
      let text = try stage.make("avjob probe \(name) --json").text
      #expect(!text.uppercased().contains("CHAPTER0"), "\(name) \(text)")
    }
    // The tag of MP3, and the atoms of M4A, have them as texts of any name.
    try stage.make(
      """
      /usr/bin/python3 - <<'E'
      import mutagen
      for name in ['p.mp3', 'p.m4a']:
        keys = [k for k in mutagen.File(name).tags if 'CHAPTER' in k.upper()]
        assert not keys, (name, keys)
      E
      """)
  }

  @Test("of Ogg and Opus, copies have the moved chapters alone")
  func copies() throws {
    try makeSound()
    try stage.make(
      """
      avjob clip -q a.flac -o a.ogg; avjob clip -q a.flac -o a.opus
      /usr/bin/python3 - <<'E'
      import mutagen
      for name in ['a.ogg', 'a.opus']:
        f = mutagen.File(name)
        f['CHAPTER01'], f['CHAPTER01NAME'] = '00:00:01.000', 'A'
        f.save()
      E
      for e in ogg opus; do
        printf "clip: a.$e 0.5s..\\noutput: { file: p.$e, codec: same }\\n" >j.yaml
        avjob run -q j.yaml
      done
      """)
    for name in ["p.ogg", "p.opus"] {
      #expect(try stage.chapters(of: name) == ["0.5 A"], "\(name)")
      #expect(try stage.foreignChapters(of: name) == ["0.5 A"], "\(name)")
    }
  }

  @Test("a number whose time is none is left out, and its comments are named")
  func timeless() throws {
    try makeSound()
    try stage.make(
      Self.ogm + "metaflac --set-tag=CHAPTER03=00:01.9 --set-tag=CHAPTER03NAME=C c.flac")
    let told = try stage.run("avjob clip c.flac -o o.flac")
    #expect(
      told.status == 0
        && told.errors.contains(
          "'c.flac': has comments of chapters without a time as 00:01:02.500, which are left out: "
            + "CHAPTER03, CHAPTER03NAME"),
      "\(told.errors)")
    #expect(try stage.chapters(of: "o.flac") == ["0.5 A", "1.5 B"])
    #expect(try stage.make("metaflac --export-tags-to=- o.flac | grep -c CHAPTER").text == "4\n")
  }

  /// Titled comments beside a cue sheet of two tracks, the second of which begins in a sector.
  private func makeSheet(second: String) throws {
    try makeSound()
    try stage.write(
      "c.cue",
      """
      FILE "x" WAVE
       TRACK 01 AUDIO
        INDEX 01 00:00:00
       TRACK 02 AUDIO
        INDEX 01 00:01:01

      """)
    try stage.make(
      """
      cp a.flac q.flac
      metaflac --set-tag=CHAPTER001=00:00:00.000 --set-tag=CHAPTER001NAME=Eins \
        --set-tag=CHAPTER002=\(second) --set-tag=CHAPTER002NAME=Zwei --import-cuesheet-from=c.cue q.flac
      """)
  }

  @Test("comments beside a cue sheet keep their titles, at the frames of the sheet")
  func cueSheet() throws {
    try makeSheet(second: "00:00:01.013")
    let told = try stage.run("avjob clip q.flac -o q.m4a && avjob clip q.flac -o q2.flac")
    #expect(told.status == 0 && !told.errors.contains("two lists"), "\(told.errors)")
    for name in ["q.flac", "q.m4a", "q2.flac"] {
      let found = try stage.chapters(of: name)
      #expect(found.count == 2 && found[0] == "0 Eins" && found[1].hasSuffix(" Zwei"), "\(name)")
    }
    // 44 688 frames, which are no whole milliseconds.
    #expect(try stage.chapters(of: "q2.flac")[1].hasPrefix("1.0133"))
    #expect(try stage.foreignChapters(of: "q.m4a") == ["0 Eins", "1.013 Zwei"])
    // By number they are those of the tracks, so that others have one list, too.
    #expect(try stage.foreignChapters(of: "q2.flac") == ["0 Eins", "1.013 Zwei"])
    try stage.make(
      "flac -t -s q2.flac; metaflac --export-cuesheet-to=- q2.flac | grep -q 'TRACK 02'")
  }

  @Test("where a cue sheet has other times than the comments, these count, and a warning says so")
  func otherSheet() throws {
    try makeSheet(second: "00:00:01.500")
    let told = try stage.run("avjob clip q.flac -o q.m4a")
    #expect(
      told.errors.contains(
        "'q.flac': has two lists of chapters that differ: the 2 of its tags count, and not the 2 of its "
          + "cue sheet"), "\(told.errors)")
    #expect(try stage.foreignChapters(of: "q.m4a") == ["0 Eins", "1.5 Zwei"])
  }

  @Test("titles that a job gives a FLAC with a cue sheet are read back, also by others")
  func givenTitles() throws {
    try makeSheet(second: "00:00:01.013")
    try stage.write(
      "j.yaml", "clip: q.flac\nchapters: { 0s: One, 0.5s: Two, 1.5s: Three }\noutput: o.flac\n")
    try stage.make("avjob run -q j.yaml; flac -t -s o.flac")
    let wanted = ["0 One", "0.5 Two", "1.5 Three"]
    #expect(try stage.chapters(of: "o.flac") == wanted)
    #expect(try stage.foreignChapters(of: "o.flac") == wanted)
    #expect(try !stage.run("avjob probe o.flac").errors.contains("two lists"))
  }

  @Test("links of chapters stay in comments, and go to ID3")
  func links() throws {
    try makeSound()
    try stage.make(
      Self.ogm + "metaflac --no-utf8-convert --set-tag=CHAPTER02URL=https://example.org/ü c.flac")
    try stage.make(
      "for e in flac ogg opus mp3; do avjob clip -q c.flac --from 0.5s -o p.$e; done")
    try stage.write("j.yaml", "clip: c.flac\noutput: [j.flac, j.ogg, j.opus, j.mp3, j.m4a]\n")
    let lost = try stage.run("avjob plan j.yaml").errors.split(separator: "\n")
      .filter { $0.contains("chapters' links") }
    #expect(
      lost.count == 1
        && lost[0].hasSuffix("'j.m4a': M4A has no place for the chapters' links: left out"),
      "\(lost)")
    for name in ["flac", "ogg", "opus", "mp3"] {
      let text = try stage.make("avjob probe p.\(name) --json").text
      #expect(text.contains("https://example.org/%C3%BC"), "\(name) \(text)")
    }
    #expect(
      try stage.make("metaflac --show-tag=CHAPTER001URL p.flac").text
        == "CHAPTER001URL=https://example.org/%C3%BC\n")
    try stage.make(
      """
      /usr/bin/python3 - <<'E'
      import mutagen, mutagen.id3
      assert mutagen.File('p.opus')['chapter001url'] == ['https://example.org/%C3%BC']
      chapters = sorted(mutagen.id3.ID3('p.mp3').getall('CHAP'), key=lambda c: c.start_time)
      assert [f.url for f in chapters[1].sub_frames.getall('WXXX')] == ['https://example.org/%C3%BC']
      E
      """)
  }
}
