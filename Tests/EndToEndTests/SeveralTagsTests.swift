import TestSupport
import Testing

/// Tags that stand several times, or where they are not expected.
@Suite("Tags that stand several times") struct SeveralTagsTests {
  private func probe(_ name: String, in stage: Stage) throws -> [String] {
    let result = try stage.run("avjob probe \(name)")
    #expect(result.status == 0, "\(result.errors)")
    return result.text.split(separator: "\n").map {
      $0.split(separator: " ").joined(separator: " ")
    }
  }

  @Test("all texts of a WAV's INFO lists are read, in order")
  func information() throws {
    let stage = Stage()
    try stage.write(
      "make.py",
      """
      import struct
      for name, order in ('RIFF', '<'), ('RIFX', '>'):
          def chunk(kind, body):
              size = struct.pack(order + 'I', len(body))
              return kind + size + body + bytes(len(body) % 2)
          form = struct.pack(order + 'HHIIHH', 1, 1, 8000, 16000, 2, 16)
          info = [chunk(b'IART', b'Ann'), chunk(b'IART', b'Bob\\0'), chunk(b'IXYZ', b'own')]
          body = b'WAVE' + chunk(b'fmt ', form) + chunk(b'LIST', b'INFO' + b''.join(info))
          body += chunk(b'data', bytes(16000))
          body += chunk(b'LIST', b'INFO' + chunk(b'INAM', b'Song') + chunk(b'IART', b'Cid'))
          size = struct.pack(order + 'I', len(body))
          open(name + '.wav', 'wb').write(name.encode() + size + body)
      """)
    try stage.make("/usr/bin/python3 make.py")
    for name in ["RIFF.wav", "RIFX.wav"] {
      let lines = try probe(name, in: stage)
      for line in ["artist Ann; Bob; Cid", "title Song", "IXYZ own"] {
        #expect(lines.contains(line), "\(name): \(lines)")
      }
    }
  }

  @Test("of tags at several levels of a Matroska file none is read twice")
  func levels() throws {
    let stage = Stage()
    try stage.write(
      "tags.xml",
      """
      <?xml version="1.0"?>
      <Tags>
      <Tag><Targets><TargetTypeValue>50</TargetTypeValue></Targets>
      <Simple><Name>ARTIST</Name><String>Ann</String></Simple>
      <Simple><Name>ARTIST</Name><String>Bob</String></Simple></Tag>
      <Tag><Targets><TargetTypeValue>30</TargetTypeValue></Targets>
      <Simple><Name>TITLE</Name><String>Song</String></Simple></Tag>
      </Tags>
      """)
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i sine=duration=1 -c:a flac x.mka
      mkvpropedit -q x.mka --tags global:tags.xml
      """)
    let lines = try probe("x.mka", in: stage)
    #expect(lines.contains("album_artist Ann; Bob") && lines.contains("title Song"), "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("artist ") || $0.hasPrefix("ARTIST ") }, "\(lines)")
  }

  @Test("a Matroska tag in several languages is read once in each, without it in the default")
  func languages() throws {
    let stage = Stage()
    func simple(_ name: String, _ value: String, _ language: String?, isDefault: Bool = true)
      -> String
    {
      "<Simple><Name>\(name)</Name><String>\(value)</String>"
        + (language.map { "<TagLanguage>\($0)</TagLanguage>" } ?? "")
        + (isDefault ? "" : "<DefaultLanguage>0</DefaultLanguage>") + "</Simple>"
    }
    let tags =
      simple("TITLE", "Track", nil) + simple("TITLE", "Titel", "ger")
      + simple("ARTIST", "Ann", "eng")
      + simple("SUBTITLE", "Sub", "eng", isDefault: false) + simple("SUBTITLE", "Unter", "ger")
      + simple("LYRICS", "La la", "fre")
    try stage.write(
      "tags.xml",
      """
      <?xml version="1.0"?><Tags><Tag><Targets><TargetTypeValue>30</TargetTypeValue></Targets>
      \(tags)</Tag></Tags>
      """)
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i sine=duration=1 -c:a flac x.mka
      mkvpropedit -q x.mka --tags global:tags.xml
      """)
    let expected = [
      "LYRICS-fre La la", "SUBTITLE-eng Sub", "TITLE-ger Titel", "artist Ann", "subtitle Unter",
      "title Track",
    ]
    let names = ["artist", "title", "subtitle", "lyrics"]
    let found = try probe("x.mka", in: stage).filter { line in
      names.contains { line.lowercased().hasPrefix($0) }
    }
    #expect(found.sorted() == expected)
    let texts = try stage.make(
      """
      avjob clip -q x.mka -o x.mp3
      /usr/bin/python3 -c "
      import mutagen.id3
      tags = mutagen.id3.ID3('x.mp3')
      print(tags['TIT2'], tags['TPE1'], tags['TIT3'], tags['TXXX:TITLE-ger'], len(tags.getall('USLT')),
        tags.getall('USLT')[0].lang)"
      """)
    #expect(texts.text == "Track Ann Unter Titel 1 fre\n")
  }

  @Test(
    "tags behind a bare stream are read, with all values",
    arguments: ["aac", "ac3", "eac3", "dts", "mp2", "flac"])
  func trailing(_ kind: String) throws {
    let stage = Stage()
    try stage.write(
      "make.py",
      """
      import struct
      def item(name, value):
          return struct.pack('<II', len(value), 0) + name + b'\\0' + value
      items = item(b'Artist', b'Ann\\0Bob')
      def edge(flags):
          return b'APETAGEX' + struct.pack('<IIII', 2000, len(items) + 32, 1, flags) + bytes(8)
      ape = edge(0xA0000000) + items + edge(0x80000000)
      v1 = b'TAG' + b'Song'.ljust(30, b'\\0') + bytes(60) + b'1999' + bytes(30) + b'\\xff'
      open('tags', 'wb').write(ape + v1)
      """)
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i sine=duration=2:sample_rate=48000 -ac 2 -strict -2 \
        \(kind == "dts" ? "-c:a dca" : "") s.\(kind)
      /usr/bin/python3 make.py && cat s.\(kind) tags > x.\(kind)
      """)
    let lines = try probe("x.\(kind)", in: stage)
    for line in ["artist Ann; Bob", "title Song", "date 1999"] {
      #expect(lines.contains(line), "\(kind): \(lines)")
    }
    let strict = try stage.run(
      """
      avjob clip -q --strict x.\(kind) -o x.wav && avjob clip -q s.\(kind) -o s.wav
      for f in x s; do sox $f.wav -t raw $f.raw; done
      cmp x.raw s.raw
      """)
    #expect(strict.status == 0 && strict.errors == "", "\(kind): \(strict)")
  }
}
