import TestSupport
import Testing

/// Chapters as others write them, and as others read what avjob writes.
@Suite struct ChapterTests {
  /// Says of files whether they have so many chapters, as `probe`, ffprobe and mutagen (ID3, Vorbis
  /// comments) or MKVToolNix (MP4) read them.
  private static let readers = """
    cat > read.py <<'END'
    import json, subprocess, sys
    import mutagen, mutagen.id3, mutagen.aiff
    def run(*words): return subprocess.run(words, capture_output=True, check=True).stdout
    def clock(text):
        h, m, s = text.split(':')
        return round(int(h) * 3600 + int(m) * 60 + float(s), 3)
    def avjob(name):
        return [(round(c['start'], 3), c['title']) for c in
            json.loads(run(sys.argv[1], 'probe', '--json', name))['media'][0]['chapters']]
    def ffprobe(name):
        return [(round(float(c['start_time']), 3), c['tags']['title']) for c in
            json.loads(run('ffprobe', '-v', 'error', '-of', 'json', '-show_chapters', name))['chapters']]
    def third(name):
        if name.endswith('.m4a'):
            run('mkvmerge', '-q', '-o', 'x.mka', name)
            lines = run('mkvextract', 'x.mka', 'chapters', '-s').decode().splitlines()
            values = [line.split('=', 1)[1] for line in lines]
            return [(clock(start), title) for start, title in zip(values[::2], values[1::2])]
        if name.endswith(('.mp3', '.aiff')):
            tags = mutagen.id3.ID3(name) if name.endswith('.mp3') else mutagen.aiff.AIFF(name).tags
            frames = {f.element_id: f for f in tags.getall('CHAP')}
            def listed(table):
                for name in tables[table].child_element_ids:
                    if name in tables: yield from listed(name)
                    else: yield frames[name]
            tables = {f.element_id: f for f in tags.getall('CTOC')}
            return [(f.start_time / 1000, f.sub_frames.getall('TIT2')[0].text[0])
                for f in listed(next(k for k, f in tables.items() if f.flags & 2))]
        tags = mutagen.File(name)
        count = sum(1 for k in tags if k.lower().startswith('chapter') and len(k) == 10)
        return [(clock(tags[f'CHAPTER{n:03}'][0]), tags[f'CHAPTER{n:03}NAME'][0]) for n in range(count)]
    for name in sys.argv[3:]:
        wanted = [(round(n * 0.003, 3), f'C{n}') for n in range(int(sys.argv[2]))]
        print(name, *[reader(name) == wanted for reader in (avjob, ffprobe, third)])
    END

    """

  @Test(
    "chapters are read as they were written, by avjob and two other programs",
    arguments: [1, 255, 256, 999, 1000, 1001])
  func counts(count: Int) throws {
    let stage = Stage()
    let starts = (0..<count).map { "  \($0 * 3)ms: C\($0)" }.joined(separator: "\n")
    let limited = ["flac", "ogg", "opus"]
    let kinds = ["mp3", "aiff", "m4a"] + (count > 1000 ? [] : limited)
    try stage.make("sox -n -r 48000 -c 1 -b 16 t.wav synth 3.5 sine 300 gain -10")
    let head = "clip: t.wav\nchapters:\n\(starts)\n"
    try stage.write(
      "job.yaml", head + "output: [\(kinds.map { "a.\($0)" }.joined(separator: ", "))]\n")
    #expect(try stage.run("avjob run --quiet job.yaml").errors == "")
    let names = kinds.map { "a.\($0)" }
    let found = try stage.make(
      Self.readers
        + "/usr/bin/python3 read.py $AVJOB \(count) \(names.joined(separator: " "))")
    #expect(found.text == names.map { "\($0) True True True\n" }.joined())
    guard count > 1000 else { return }
    for (kind, name) in zip(limited, ["FLAC", "Ogg", "Opus"]) {
      try stage.write("job.yaml", head + "output: b.\(kind)\n")
      let refused = try stage.run("avjob check job.yaml")
      #expect(refused.status == 2)
      #expect(
        refused.errors.contains(
          "job.yaml:1003:3: error: 'b.\(kind)': \(name) holds 1000 chapters, and these are 1001: "
            + "leave some out, or write them beside it: 'chapters: podlove'"))
      try stage.write(
        "job.yaml", head + "output: { file: b.\(kind), chapters: podlove }\n")
      #expect(try stage.run("avjob check job.yaml").status == 0)
    }
  }

  @Test("more chapters of a file than a format holds are refused, too, and not cut off")
  func inherited() throws {
    let stage = Stage()
    let starts = (0..<10_000).map { "  \($0)ms: C\($0)" }.joined(separator: "\n")
    try stage.make("sox -n -r 8000 -c 1 -b 16 t.wav synth 10 sine 300 gain -10")
    try stage.write(
      "job.yaml", "clip: t.wav\nchapters:\n\(starts)\noutput: { file: a.m4a, alac: 16 bit }\n")
    #expect(try stage.run("avjob run --quiet job.yaml").errors == "")
    #expect(try stage.make("avjob probe a.m4a | grep -c '^  chapter'").text == "10000\n")
    let refused = try stage.run("avjob compress a.m4a -o b.opus")
    #expect(refused.status == 2)
    #expect(refused.errors.contains("Opus holds 1000 chapters, and these are 10000"))
    #expect(try stage.run("ls b.opus").status != 0)
  }

  @Test("chapters within a millisecond are refused where a format has whole ones")
  func milliseconds() throws {
    let stage = Stage()
    try stage.make("sox -n -r 48000 -c 1 -b 16 t.wav synth 1 sine 300 gain -10")
    let job = "clip: t.wav\nchapters: { 0s: A, 500ms: B, 500.3ms: C }\n"
    for name in ["a.mp3", "a.opus"] {
      let result = try stage.job(job + "output: \(name)\n")
      #expect(result.status == 2)
      #expect(
        result.errors.contains("the chapters 'B' and 'C' begin within a millisecond, which"))
    }
    #expect(try stage.job(job + "output: { file: a.m4a, alac: 16 bit }\n").status == 0)
    #expect(try stage.make("avjob probe a.m4a | grep -c '^  chapter'").text == "3\n")
    // Of those that come with a file, the last one stays.
    #expect(try stage.run("avjob compress a.m4a -o b.opus").status == 0)
    #expect(try stage.make("avjob probe b.opus | awk '/^  chapter/ {print $NF}'").text == "A\nC\n")
  }

  @Test("a group of a track that keeps chapters keeps them, whatever stands beside it")
  func kept() throws {
    let stage = Stage()
    try stage.make(
      """
      sox -n -r 48000 -c 1 -b 16 t.wav synth 2 sine 300 gain -10
      printf 'clip: t.wav\\nchapters: { 0s: A, 1s: B }\\noutput: s.flac\\n' > s.yaml
      avjob run --quiet s.yaml
      """)
    for more in ["", ", gain: -3 dB", ", name: all"] {
      #expect(
        try stage.job(
          """
          tracks: { voice: { concat: [s.flac, s.flac], chapters: keep\(more) }, bed: t.wav }
          output: a.flac

          """
        ).errors == "")
      #expect(
        try stage.make("avjob probe a.flac | awk '/^  chapter/ {print $NF}' | xargs").text
          == "A B A B\n")
    }
    // A clip with chapters of its own has these.
    #expect(
      try stage.job(
        """
        tracks:
          voice: { concat: [s.flac, { clip: s.flac, chapter: C }], chapters: keep }
        output: a.flac

        """
      ).errors == "")
    #expect(
      try stage.make("avjob probe a.flac | awk '/^  chapter/ {print $NF}' | xargs").text
        == "A B C\n")
  }
}
