import TestSupport
import Testing

/// Chapters of files that other programs made.
@Suite struct ForeignChapterTests {
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make("sox -n -r 8000 -c 1 -b 16 t.wav synth 6 sine 300 gain -10")
    return stage
  }

  /// Puts a list of Nero's in place of that of `s.m4a`: of the same size, a title takes what is over.
  private static let replaceList = """
    cat > list.py <<'END'
    import struct, sys
    data = open('s.m4a', 'rb').read()
    at = data.index(b'chpl') - 4
    size = struct.unpack('>I', data[at:at + 4])[0]
    entries = [(float(word.split('=')[0]), word.split('=')[1].encode()) for word in sys.argv[2:]]
    body = bytes([len(entries)]) + b''.join(
        struct.pack('>QB', round(start * 1e7), len(title)) + title for start, title in entries)
    atom = struct.pack('>I4sII', 16 + len(body), b'chpl', 0x01000000, 0) + body
    rest = size - len(atom)
    assert rest == 0 or rest >= 8, rest
    if rest: atom += struct.pack('>I4s', rest, b'free') + bytes(rest - 8)
    open(sys.argv[1], 'wb').write(data[:at] + atom + data[at + size:])
    END

    """

  private func lists() throws -> Stage {
    let stage = try stage()
    try stage.write(
      "s.yaml",
      "clip: t.wav\nchapters: { 0s: \"Eins, zwei, drei, vier, fünf, sechs\", 2s: Zwei, 5s: Drei }\n"
        + "output: { file: s.m4a, alac: 16 bit }\n")
    try stage.make("avjob run --quiet s.yaml\n" + Self.replaceList)
    return stage
  }

  @Test(
    "of two lists of chapters that differ, that of the chapter track counts, and a warning says so",
    arguments: [
      ("0=A 1=B 2=C 3=D", 4), ("0=A 2=Zwei", 2), ("0=A", 1), ("0=Eins 2=Zwei 5=Anders", 3),
      ("0=Eins 3=Zwei 5=Drei", 3),
    ])
  func listsDiffer(entries: String, count: Int) throws {
    let stage = try lists()
    try stage.make("/usr/bin/python3 list.py a.m4a \(entries)")
    #expect(
      try stage.chapters(of: "a.m4a") == [
        "0 Eins, zwei, drei, vier, fünf, sechs", "2 Zwei", "5 Drei",
      ])
    let told = try stage.run("avjob compress a.m4a -o a.flac")
    #expect(
      told.errors.contains(
        "'a.m4a': has two lists of chapters that differ: the 3 of its chapter track count, as in "
          + "QuickTime, and not the \(count) of Nero's list"))
    #expect(try stage.chapters(of: "a.flac").count == 3)
  }

  @Test("lists that agree but for rounding are no reason to say anything")
  func listsAgree() throws {
    let stage = try lists()
    #expect(try stage.run("avjob probe s.m4a").errors == "")
    try stage.make(
      """
      /usr/bin/python3 list.py a.m4a '0=Eins, zwei, drei, vier, fünf, sechs' 2.02=Zwei 4.98=Drei
      """)
    #expect(try stage.run("avjob probe a.m4a").errors == "")
  }

  @Test("Nero's list counts where there is no chapter track")
  func neroAlone() throws {
    let stage = try stage()
    try stage.make(
      """
      printf 'clip: t.wav\\nchapters: { 0s: A, 2s: B }\\noutput: { file: s.m4a, alac: 16 bit }\\n' > s.yaml
      avjob run --quiet s.yaml
      # A reference of another kind is none to chapters.
      sed 's/chap/hint/' s.m4a > a.m4a
      """)
    #expect(try stage.chapters(of: "a.m4a") == ["0 A", "2 B"])
  }

  private static func atom(_ start: String, _ names: [(String, String)], _ more: String = "")
    -> String
  {
    let displays = names.map { name, language in
      "<ChapterDisplay><ChapterString>\(name)</ChapterString>"
        + "<ChapterLanguage>\(language)</ChapterLanguage></ChapterDisplay>"
    }
    return "<ChapterAtom><ChapterTimeStart>00:00:0\(start)</ChapterTimeStart>"
      + displays.joined() + more + "</ChapterAtom>"
  }

  private static let hidden = "<ChapterFlagHidden>1</ChapterFlagHidden>"
  private static let disabled = "<ChapterFlagEnabled>0</ChapterFlagEnabled>"

  private static func edition(_ flags: String, _ atoms: String...) -> String {
    "<EditionEntry>\(flags)\(atoms.joined())</EditionEntry>"
  }

  private func matroska(_ editions: String..., options: String = "") throws -> Stage {
    let stage = try stage()
    try stage.write("c.xml", "<?xml version=\"1.0\"?><Chapters>\(editions.joined())</Chapters>")
    try stage.make("mkvmerge -q \(options) -o a.mka --chapters c.xml t.wav")
    return stage
  }

  @Test(
    "of Matroska's editions the default one counts, without what is hidden, with what is nested")
  func editions() throws {
    let nested =
      Self.atom("1.000", [("Sub 1.1", "eng")], Self.atom("1.500", [("Sub 1.1.1", "eng")]))
      + Self.atom("1.700", [("Sub hidden", "eng")], Self.hidden)
    let stage = try matroska(
      Self.edition("", Self.atom("0.000", [("Other", "eng")]), Self.atom("5.000", [("O2", "eng")])),
      Self.edition(
        "<EditionFlagDefault>1</EditionFlagDefault>",
        Self.atom("0.000", [("Part 1", "eng"), ("Teil 1", "ger")], nested),
        Self.atom("2.000", [("Hidden", "eng")], Self.hidden + Self.atom("2.500", [("In", "eng")])),
        Self.atom(
          "3.000", [("Disabled", "eng")], Self.disabled + Self.atom("3.500", [("In", "eng")])),
        Self.atom("4.000", [("Teil 4", "ger"), ("Part 4", "eng")])))
    #expect(
      try stage.chapters(of: "a.mka") == [
        "0 Part 1", "1 Sub 1.1", "1.5 Sub 1.1.1", "2.5 In", "4 Teil 4",
      ])
    #expect(try stage.run("avjob probe a.mka").errors == "")
    // All others are in the file.
    #expect(
      try stage.make("mkvextract a.mka chapters | grep -c '<ChapterString>'").text == "13\n")
  }

  @Test("without a default edition the first visible one counts; hidden ones have no chapters")
  func hiddenEditions() throws {
    let flag = "<EditionFlagHidden>1</EditionFlagHidden>"
    let stage = try matroska(
      Self.edition(
        flag + "<EditionFlagDefault>1</EditionFlagDefault>", Self.atom("0.000", [("A", "eng")])),
      Self.edition("", Self.atom("0.000", [("B", "eng")]), Self.atom("2.000", [("C", "eng")])),
      Self.edition("", Self.atom("0.000", [("D", "eng")])))
    #expect(try stage.chapters(of: "a.mka") == ["0 B", "2 C"])
    let none = try matroska(Self.edition(flag, Self.atom("0.000", [("A", "eng")])))
    #expect(try none.chapters(of: "a.mka") == [])
  }

  @Test("ordered chapters, and those of other files, are named in a warning")
  func ordered() throws {
    let end = "<ChapterTimeEnd>00:00:01.000</ChapterTimeEnd>"
    let other =
      end + "<ChapterSegmentUID format=\"hex\">0123456789abcdef0123456789abcdef</ChapterSegmentUID>"
    let stage = try matroska(
      Self.edition(
        "<EditionFlagOrdered>1</EditionFlagOrdered>", Self.atom("0.000", [("A", "eng")], end),
        Self.atom("0.000", [("B", "eng")], other)))
    #expect(try stage.chapters(of: "a.mka") == ["0 A"])
    let told = try stage.run("avjob compress a.mka -o a.flac").errors
    #expect(
      told.contains(
        "'a.mka': its chapters are ordered: players play their ranges, in their order; here it is read "
          + "from its start to its end"))
    #expect(told.contains("'a.mka': names chapters of other files: they are left out"))
  }

  @Test("chapters behind the sound are found by the table of places")
  func behindTheSound() throws {
    let stage = try matroska(Self.edition("", Self.atom("0.000", [("A", "eng")])))
    try stage.write(
      "d.xml",
      "<?xml version=\"1.0\"?><Chapters>"
        + Self.edition(
          "",
          Self.atom("0.000", [(String(repeating: "long ", count: 2000) + "end", "eng")]),
          Self.atom("1.000", [("B", "eng")], Self.atom("2.000", [("C", "eng")])))
        + "</Chapters>")
    try stage.make("mkvpropedit -q a.mka --chapters d.xml")
    let found = try stage.chapters(of: "a.mka")
    #expect(found.map { $0.suffix(4) } == [" end", "1 B", "2 C"])
  }
}
