import Diagnosis
import SystemPackage
import Testing

@Suite("Addresses of media")
struct MediaURLTests {
  @Test(
    "are taken apart as RFC 3986 has it",
    arguments: [
      ("https://example.org", "https|-|example.org|-|/|-"),
      ("HTTPS://Example.ORG/A.flac", "https|-|example.org|-|/A.flac|-"),
      ("http://h:8080/a/b.wav?x=1&y=a?b", "http|-|h|8080|/a/b.wav|x=1&y=a?b"),
      ("https://h:443/a", "https|-|h|-|/a|-"), ("http://h:443/a", "http|-|h|443|/a|-"),
      ("https://u:p%40w@h/a", "https|u:p%40w|h|-|/a|-"),
      ("https://[2001:db8::1]:81/a", "https|-|[2001:db8::1]|81|/a|-"),
      ("https://h?q", "https|-|h|-|/|q"), ("https://h/?", "https|-|h|-|/|"),
      ("https://h/ü%20b", "https|-|h|-|/%C3%BC%20b|-"),
      ("https://h/a[1]|b@c:d", "https|-|h|-|/a[1]|b@c:d|-"),
      ("https://[::FFFF:127.0.0.1]/", "https|-|[::ffff:127.0.0.1]|-|/|-"),
      ("https://h/a?\u{301}x=s", "https|-|h|-|/a|%CC%81x=s"),
      ("https://h/\u{301}a", "https|-|h|-|/%CC%81a|-"),
      ("https://h?\u{301}", "https|-|h|-|/|%CC%81"),
    ])
  func parts(text: String, expected: String) throws {
    let url = try MediaURL(text)
    let parts = [
      url.scheme.rawValue, url.userinfo ?? "-", url.host, url.port.map(String.init) ?? "-",
      url.path, url.query ?? "-",
    ]
    #expect(parts.joined(separator: "|") == expected)
    #expect(try MediaURL(url.absoluteText) == url)
  }

  @Test(
    "are refused with what is wrong about them",
    arguments: [
      ("a.flac", MediaURLError.noAddress), ("https:/h/a", .noAddress), ("://h", .noAddress),
      ("file:///etc/passwd", .otherScheme("file")), ("FTP://h/a", .otherScheme("ftp")),
      ("https://", .noHost), ("https:///a", .noHost), ("https://:80/", .noHost),
      ("https://ä.org/", .host), ("https://a b/", .host), ("https://a..b/", .host),
      ("https://a%2eb/", .host), ("https://[::1/", .host), ("https://[::1]x/", .host),
      ("https://[1::2::3]/", .host), ("https://[12345::]/", .host), ("https://[::1.2.3]/", .host),
      ("https://[1:2:3:4:5:6:7]/", .host), ("https://[:]/", .host), ("https://[]/", .host),
      ("https://[::1%25eth0]/", .host), ("https://e\u{301}.org/", .host),
      ("https://h\u{212A}.org/", .host), ("https://.h/", .host),
      ("https://h\\@evil/", .userinfo), ("https://u@v@h/", .userinfo),
      ("https://h:0/", .port), ("https://h:65536/", .port),
      ("https://h:/", .port), ("https://h:8x/", .port), ("https://h:+80/", .port),
      ("https://h/%", .escape), ("https://h/%g1", .escape), ("https://h/%0", .escape),
      ("https://ann:se/cret@h/", .userinfo), ("https://ann:se#cret@h/", .userinfo),
      ("https://h/a%00.flac", .escape), ("https://u%@h/", .userinfo),
      ("https://h/a b", .byte(0x20)), ("https://h/\r\nX: y", .byte(0x0D)),
      ("https://h/?a\nb", .byte(0x0A)), ("https://h/\u{7F}", .byte(0x7F)),
      ("https://h/a\\b", .byte(0x5C)), ("https://h/a#b", .fragment),
      ("https://h/" + String(repeating: "a", count: 8000), .tooLong),
      ("https://h/" + String(repeating: "é", count: 1332), .tooLong),
      ("https://h#\u{301}", .fragment), ("https://u@\u{301}v@h/", .userinfo),
    ])
  func refused(text: String, error: MediaURLError) {
    #expect(throws: error) { try MediaURL(text) }
    #expect(!error.fault.isEmpty && !error.remedy.isEmpty && !error.fault.contains("passwd"))
  }

  @Test(
    "are told from paths by their scheme",
    arguments: [
      ("https://h", "https"), ("S3://b/k", "s3"), ("a+b-c.d://", "a+b-c.d"), ("C:/a", nil),
      ("a/b://c", nil), ("1a://", nil), ("", nil), ("https:", nil), ("take 1: a://b", nil),
    ])
  func scheme(text: String, expected: String?) {
    #expect(MediaURL.scheme(of: text) == expected)
  }

  @Test("show neither credentials nor what a store signs")
  func secrets() throws {
    let url = try MediaURL("https://anna:hush@h:8443/a%20b.flac?X-Signature=secret")
    #expect("\(url)" == "https://h:8443/a%20b.flac?…")
    #expect(url.credentials?.user == "anna" && url.credentials?.password == "hush")
    #expect(url.lastComponent == "a b.flac")
    #expect(url.withoutCredentials.absoluteText == "https://h:8443/a%20b.flac?X-Signature=secret")
    let kept = MediaLocation.remote(url).redacted
    #expect("\(kept)" == "https://h:8443/a%20b.flac?…" && kept.redacted == kept)
    #expect(
      kept.url.map { !$0.absoluteText.contains("hush") && $0.query?.contains("s") == false } == true
    )
    for wrong in ["https://ann:se/cret@h/a?x", "https://ann:se#cret@h/a?x"] {
      #expect(MediaURL.shown(wrong) == "https://h/a?…")
    }
    #expect(MediaURL.shown("https://ann:se") == "https://ann:…")
    #expect(MediaURL.shown("https://[::1]:80/a?b") == "https://[::1]:80/a?…")
    let long = try MediaURL("https://u:p@h/" + String(repeating: "é", count: 1330) + "?s")
    #expect(long.absoluteText.utf8.count > 7990)
    let redacted = MediaLocation.remote(long).redacted
    #expect(redacted.url?.query?.isEmpty == true)
    // What is kept can be read again.
    #expect(try redacted.url.map { try MediaURL($0.absoluteText) } == redacted.url)
    let accent = try MediaURL("https://h/a?\u{301}x=secret")
    #expect("\(accent)" == "https://h/a?…" && accent.lastComponent == "a")
    #expect(MediaURL.shown("https://ann:hush@\u{301}h/a?\u{301}x b") == "https://\u{301}h/a?…")
    let failure = Failure(.mendInput, "does not exist", location: .remote(url))
    #expect("\(failure)" == "https://h:8443/a%20b.flac?…: does not exist")
  }

  @Test(
    "are masked in lines that are quoted, and columns stay what they are",
    arguments: [
      ("clip: http://ann:hush@h/a.wav?t=1 2s..", "clip: http://********@h/a.wav?*** 2s.."),
      ("avjob clip 'https://h/a?x=1' -o b", "avjob clip 'https://h/a?***' -o b"),
      ("{ file: \"http://h/a?x='1'\", gain: 2 }", "{ file: \"http://h/a?*****\", gain: 2 }"),
      ("a='https://h/a?x' b=https://c@h:8/?y?z", "a='https://h/a?*' b=https://*@h:8/?***"),
      ("ftp://ann@", "ftp://***@"), ("http://a:b@c@h/@d", "http://*****@h/@d"),
      ("http://h?é#f", "http://h?***"), ("what? '://' x@y", "what? '://' x@y"),
      ("error: 'http://h/a?…': no", "error: 'http://h/a?…': no"),
      ("called 'a http://h/a?…'", "called 'a http://h/a?…'"),
      ("http://h/a?…: is empty", "http://h/a?…: is empty"), ("http://h/a?…b", "http://h/a?**"),
      ("://a@b", "://*@b"), ("http:///annhush@h/a", "http:///*******@h/a"), ("", ""),
      ("'http://ann:se/cr?et@h/a'", "'http://************@h/a'"),
      ("http://\u{301}ann:hush@h/a", "http://*********@h/a"),
      ("http://h/a?\u{301}x=s", "http://h/a?****"), ("a+://ann:hush@h", "a+://********@h"),
      ("http://h:80/a@b", "http://h:80/a@b"), ("http://[::a]/x@y", "http://[::a]/x@y"),
      (
        #"avjob clip 'https://ann:it'\''s@h/x.wav' -o b"#,
        "avjob clip 'https://***********@h/x.wav' -o b"
      ),
      ("clip: 'https://ann:it''s@h/x.wav' 2s", "clip: 'https://*********@h/x.wav' 2s"),
      ("'https://h/x?sig=a''b' 'c'", "'https://h/x?********' 'c'"),
      (#"avjob probe 'https://h/x?a'\''b'"#, "avjob probe 'https://h/x?******'"),
      ("clip: https://ann:se cret@h/x.mp3?t=1", "clip: https://***********@h/x.mp3?***"),
      (#"clip: https://ann:se"cret@h/x.mp3"#, "clip: https://***********@h/x.mp3"),
      ("https://h:80 a b@c", "https://********@c"), ("https://h 80 a b@c", "https://h 80 a b@c"),
      ("https://ann:se\nmail: x@y", "https://ann:**\nmail: x@y"),
      ("${base}/x.wav?sig=hush", "${base}/x.wav?********"),
      ("https://h/a b.wav?sig=hush&x=1", "https://h/a b.wav?************"),
      ("http:///ann:hush@h/a", "http:///********@h/a"), ("https:/ann:hush@h", "https:/********@h"),
      ("https://h/a.wavsig=hushhush", "https://h/a.wavsig=********"),
      ("'https://ann:hush#h/a'", "'https://ann:********'"),
      ("b.wav&token=hush", "b.wav&token=****"),
      ("--allow-host http://127.0.0.1:8765: a URL", "--allow-host http://127.0.0.1:8765: a URL"),
      ("https://h:8443; write it", "https://h:8443; write it"),
      ("https://h:80:81", "https://h:*****"),
      ("take?.wav and ep??-*", "take?.wav and ep??-*"), ("afade=t=in:d=3", "afade=t=in:d=3"),
      ("https://h:${port}/a", "https://h:${port}/a"), ("out/speed=2.flac", "out/speed=2.flac"),
      ("0:05@end, a: b@c", "0:05@end, a: b@c"),
      (
        "curl -H \"Authorization: Bearer hush\" https://h/a",
        "curl -H \"Authorization: Bearer ****\" https://h/a"
      ),
      ("-H 'authorization: hush' a", "-H 'authorization: ****' a"),
      ("Authorization:Basic hush: x", "Authorization:Basic ***** x"),
      ("a: bearer hushhushhushhush", "a: bearer ****************"),
      ("a: bearer hush", "a: bearer hush"),
      ("ring Bearer March-of-the-Trolls.wav", "ring Bearer March-of-the-Trolls.wav"),
      ("a: token ring", "a: token ring"),
      ("https://h/x.wav%3Fsig%3Dhush b", "https://h/x.wav%3F********** b"),
      ("x.wav%253fa=hush", "x.wav%253f******"), ("x.wavsig%3Dhush", "x.wavsig%3D****"),
      ("what%3F.wav", "what%3F.wav"), ("x%3D1.wav", "x%3D1.wav"),
    ])
  func masking(line: String, expected: String) {
    #expect(MediaURL.masked(line) == expected)
    #expect(MediaURL.masked(expected) == expected)
  }

  @Test(
    "are masked in a quoted line behind blanks, and in the line after theirs",
    arguments: [
      ("clip: https://h/a.wav?sig=hu sh", "", "clip: https://h/a.wav?****** **"),
      ("clip: https://h/a.wav?t=1 2s..3s", "", "clip: https://h/a.wav?*** 2s..3s"),
      ("{ file: https://h/a?x=1 gain: 2 }", "", "{ file: https://h/a?*** gain: 2 }"),
      ("a: https://ann hush@h/x", "", "a: https://********@h/x"),
      ("  password: hush", "", "  password: ****"), ("token: \"hush\"", "", "token: *****\""),
      ("  hush@h/x.wav", "  clip: https://ann:", "  ************"),
      ("  gain: 2", "  clip: https://h/a?sig=hush", "  gain: 2"),
      ("  - clip: b.wav", "  clip: https://h/a?sig=", "  - clip: b.wav"),
      ("concat: [a.wav, b.wav 1s..]", "clip:", "concat: [a.wav, b.wav 1s..]"),
    ])
  func lines(line: String, before: String, expected: String) {
    #expect(MediaURL.maskedLine(line, after: before) == expected)
  }

  @Test(
    "are left out of names, with what their length would say",
    arguments: [
      ("cut https://ann:hush@h/a?k=1 of it", "cut https://h/a?… of it"),
      ("https://ann:hush@h/a?k=1", "https://h/a?…"), ("a https://h/b?…", "a https://h/b?…"),
      ("a https://ann:hush@h/ b https://h/?x", "a https://h/ b https://h/?…"), ("a", "a"),
      ("a 'https://ann:se cret@h/'", "a 'https://h/'"),
    ])
  func naming(text: String, expected: String) {
    #expect(MediaURL.named(text) == expected)
    #expect(MediaURL.named(expected) == expected)
  }

  @Test("are masked in a line of very many in time that is linear")
  func manyAddresses() {
    let line = String(repeating: "a://b:c ", count: 200_000)
    #expect(MediaURL.masked(line) == line.replacing(":c", with: ":*"))
    let masked = MediaURL.masked(line + "d@e")
    #expect(masked.hasPrefix("a://***") && masked.hasSuffix("**@e"))
  }

  @Test(
    "give names without folders",
    arguments: [
      ("https://h/a/b.flac", "b.flac", "b"), ("https://h/a/", nil, nil), ("https://h", nil, nil),
      ("https://h/%2e%2e%2fb.wav?x", ".._b.wav", ".._b"),
    ] as [(String, String?, String?)])
  func names(text: String, name: String?, stem: String?) throws {
    let location = MediaLocation.remote(try MediaURL(text))
    #expect(location.lastName == name && location.stem == stem)
  }

  @Test("sort behind files, and files by their bytes")
  func order() throws {
    let a = try MediaLocation.remote(MediaURL("http://a/")),
      b = try MediaLocation.remote(MediaURL("https://a/"))
    #expect([b, .file("b"), a, .file("a")].sorted() == [.file("a"), .file("b"), a, b])
  }
}
