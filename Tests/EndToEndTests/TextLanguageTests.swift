import TestSupport
import Testing

/// Comments and lyrics of ID3 in several languages, as mutagen sees them.
@Suite("Languages of texts")
struct TextLanguageTests {
  private let stage = Stage()

  private func write(_ name: String, language: String? = nil) throws {
    let said = language.map { "tags.add(id3.TLAN(encoding=3, text='\($0)'))" } ?? ""
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i sine=d=2 -b:a 128k \(name)
      /usr/bin/python3 - <<'END'
      import mutagen.id3 as id3
      tags = id3.ID3()
      \(said)
      for lang, desc, text in [
          ('deu', '', 'Grüße'), ('eng', '', 'Regards'), ('XXX', '', 'Regards'),
          ('fra', 'Source', 'bande'), ('eng', 'Source', 'tape'), ('eng', 'iTunNORM', '0000')]:
        tags.add(id3.COMM(encoding=3, lang=lang, desc=desc, text=text))
      for lang, desc, text in [('ita', '', 'La'), ('deu', 'Live', 'Lalü'), ('eng', 'Live', 'La')]:
        tags.add(id3.USLT(encoding=3, lang=lang, desc=desc, text=text))
      tags.save('\(name)')
      END
      """)
  }

  /// Identifier, language, description and text of each.
  private func texts(of name: String) throws -> String {
    try stage.make(
      """
      /usr/bin/python3 - <<'END'
      import mutagen
      tags = mutagen.File('\(name)').tags
      lines = []
      for frame in tags.getall('COMM') + tags.getall('USLT'):
        text = frame.text if isinstance(frame.text, str) else '|'.join(frame.text)
        lines.append(' '.join([frame.FrameID, frame.lang, repr(frame.desc), text]))
      print('\\n'.join(sorted(lines)))
      END
      """
    ).text
  }

  @Test(
    "copies and other outputs with ID3 keep the language and the description of each text",
    arguments: [nil, "eng", "deu"])
  func kept(_ language: String?) throws {
    try write("s.mp3", language: language)
    try stage.make(
      """
      cp s.mp3 t.mp3
      /usr/bin/python3 - <<'END'
      from mutagen.id3 import ID3
      tags = ID3('t.mp3')
      tags.delall('COMM:iTunNORM:eng')
      tags.save('t.mp3')
      END
      cat > job.yaml <<'END'
      jobs:
        same: { clip: s.mp3, output: { file: same.mp3, mp3: copy } }
        cut: { clip: s.mp3, from: 0.5s, gain: -3 dB, output: [cut.mp3, cut.aiff] }
        old: { clip: s.mp3, output: { file: old.mp3, mp3: copy, id3: 2.3 } }
      END
      avjob run --quiet job.yaml
      """)
    let source = try texts(of: "t.mp3")
    #expect(source.hasPrefix("COMM XXX '' Regards\nCOMM deu '' Grüße\n"), "\(source)")
    for name in ["same.mp3", "cut.mp3", "cut.aiff", "old.mp3"] {
      #expect(try texts(of: name) == source, "\(name)")
    }
  }

  @Test("a text that a job gives is in the output's language, and removed ones are gone")
  func given() throws {
    try write("s.mp3")
    let result = try stage.job(
      """
      clip: s.mp3
      metadata: { language: nld, comment: Groeten, "comment-deu": "", "lyrics:Live": "" }
      output: a.mp3
      """)
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      try texts(of: "a.mp3") == """
        COMM eng 'Source' tape
        COMM fra 'Source' bande
        COMM nld '' Groeten
        USLT ita '' La

        """)
  }
}
