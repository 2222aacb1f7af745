import TestSupport
import Testing

@Suite("What a build is made of")
struct BuildFactsTests {
  private let stage = Stage()

  @Test("versions are printed as JSON, in either order of the words")
  func versions() throws {
    let result = try stage.run("avjob --version --json")
    #expect(result.status == 0 && result.errors == "")
    try JSONSchema.validate(result.text, as: "version")
    #expect(result.text.contains("\"parts\": []"))
    #expect(try stage.run("avjob --json --version").text == result.text)
  }

  @Test("licences are those that the linked libraries say they have")
  func licenses() throws {
    let result = try stage.run("avjob --licenses")
    #expect(result.status == 0 && result.errors == "")
    let ffmpeg = try Tool.succeed("ffmpeg", "-version").text.split(separator: " ")[2]
    let lines = result.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0] == "avjob 0.1.0: Apache License 2.0")
    #expect(lines[1] == "ffmpeg \(ffmpeg): GPL version 2 or later")
    #expect(
      lines.dropFirst(3).joined(separator: "\n") == """
        Swift's runtime and libraries, swift-system, swift-argument-parser:
          Apache License 2.0 with Runtime Library Exception

        Where FFmpeg is under the GPL, a copy of avjob that is linked with it is under
        the GPL, version 3 or later.

        """)
  }

  @Test("a bundle's parts are printed, with where their licences and sources are")
  func bundle() throws {
    try stage.make(
      """
      mkdir -p usr/bin usr/share/doc/avjob
      cp "$AVJOB" usr/bin/avjob
      printf 'libebur128-1\\t1.2.6-1\\tlibebur128\\ncurl\\t8.14.1-2\\tcurl\\n' > usr/share/doc/avjob/parts.tsv
      """)
    let result = try stage.run("./usr/bin/avjob --licenses")
    #expect(
      result.text.hasSuffix(
        """

        This bundle has these parts of Debian, whose licences are in
        \(stage.path("usr"))/share/doc/avjob/licences:

        libebur128-1 1.2.6-1 (libebur128)
        curl 8.14.1-2 (curl)

        In parentheses is the package with the sources: 'apt-get source
        PACKAGE=VERSION' fetches them, and https://snapshot.debian.org keeps every
        version.

        """))
    let json = try stage.run("./usr/bin/avjob --version --json").text
    try JSONSchema.validate(json, as: "version")
    #expect(json.contains("\"name\": \"libebur128-1\""))
  }

  @Test("beside other words these options are refused")
  func elsewhere() throws {
    for words in ["run --licenses a.yaml", "--licenses run a.yaml", "--json"] {
      #expect(try stage.run("avjob \(words)").status == 2, "\(words)")
    }
  }
}
