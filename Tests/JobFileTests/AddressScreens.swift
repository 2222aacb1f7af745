import Diagnosis
import TestSupport
import Testing

@testable import JobFile

/// What is reported of addresses in job files.
@Suite struct AddressScreens {
  @Test("An address in quotes, in a map, or before a bracket does not end at a comma")
  func commas() {
    let jobs = [
      #"concat: ["https://h.example/a.wav",b.wav]"#,
      "concat: ['https://h.example/a?b=1,c',b.wav]",
      "concat: [https://h.example/a.wav,{clip: b.wav}]",
      "concat: [https://h.example/a.wav,]",
      "concat: [https://h.example/a.wav,https://h.example/b.wav]",
      "concat: [{clip: https://h.example/a.wav,gain: 1 dB}]",
    ]
    for job in jobs {
      expect(Bench().screen(job + "\noutput: x.mp3"), "")
    }
    expect(
      Bench().screen("jobs: { a: {clip: https://h.example/a.wav,output: x.mp3} }"), "")
    // The comma behind a cell divides cells.
    var bench = Bench()
    bench.texts["t.csv"] = "url,title\nhttps://h.example/a?b=1,One\n"
    expect(
      bench.screen(
        #"""
        rows: t.csv
        concat: ["${url}", b.wav]
        output: "${n}.mp3"
        """#), "")
  }

  @Test("A list of files and addresses is cut by commas as any other")
  func commasInLoops() {
    expect(
      Bench().screen(
        #"""
        for_each: [a.wav, https://h.example/a.wav,b.wav]
        output: { folder: o, mp3: V2 }
        """#),
      #"""
      job.yaml:1:19: error: 'https://h.example/a.wav' ends at a comma
          1 | for_each: [a.wav, https://h.example/a.wav,b.wav]
            |                   ^~~~~~~~~~~~~~~~~~~~~~~
        help: inside [] a comma ends a text; quote the address, or write a space behind the comma
      """#)
  }

  @Test("A malformed address is reported with its own fault, wherever it stands")
  func malformed() {
    expect(
      Bench().screen(
        #"""
        jobs:
          a: { for_each: "ftp://h.example/a.wav", output: { folder: o, mp3: V2 } }
          b: { for_each: [a.wav, "https://ann:s@h.example:x/b.wav"], output: { folder: p, mp3: V2 } }
          c: { for_each: { input: ["https://h.example/%zz"], q: [a, b] }, output: "${q}.mp3" }
          d: { clip: "https://h.example/a.wav 1:75..2:00", output: d.mp3 }
          e: { clip: a.wav, chapters: "https:///a.txt", output: e.mp3 }
          f: { clip: a.wav, cut: "https://h.example/a b", output: f.mp3 }
        """#),
      #"""
      job.yaml:2:18: error: 'ftp://h.example/a.wav': 'ftp://' is not supported
          2 |   a: { for_each: "ftp://h.example/a.wav", output: { folder: o, mp3: V2 } }
            |                  ^~~~~~~~~~~~~~~~~~~~~~~
        help: write an address that begins with https:// or http://
      job.yaml:3:26: error: 'https://h.example:*******': the text behind ':' is no port
          3 |   b: { for_each: [a.wav, "https://*****@h.example:x/b.wav"], output: { folder: p, mp3: V2 } }
            |                          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
        help: write a number from 1 to 65535, or leave it out with its colon
      job.yaml:4:28: error: 'https://h.example/%zz': a '%' must be followed by two hexadecimal digits
          4 |   c: { for_each: { input: ["https://h.example/%zz"], q: [a, b] }, output: "${q}.mp3" }
            |                            ^~~~~~~~~~~~~~~~~~~~~~~
        help: write '%' itself as %25
      job.yaml:5:39: error: '1:75' needs two digits below 60 after each colon: write 2:15
          5 |   d: { clip: "https://h.example/a.wav 1:75..2:00", output: d.mp3 }
            |                                       ^~~~
      job.yaml:6:31: error: 'https:///a.txt': the address has no host
          6 |   e: { clip: a.wav, chapters: "https:///a.txt", output: e.mp3 }
            |                               ^~~~~~~~~~~~~~~~
        help: write https://SERVER/PATH
      job.yaml:7:26: error: 'https://h.example/a b': an address cannot contain a space
          7 |   f: { clip: a.wav, cut: "https://h.example/a b", output: f.mp3 }
            |                          ^~~~~~~~~~~~~~~~~~~~~~~
        help: write it as %20
      """#)
  }

  @Test("An address is refused where a file of this machine belongs")
  func local() {
    expect(
      Bench().screen(
        #"""
        include: https://h.example/lib.yaml
        jobs:
          a: { clip: a.wav, output: "https://h.example/a.mp3" }
          b: { clip: a.wav, output: { folder: "https://h.example/out", mp3: V2 } }
          c: { rows: "https://h.example/t.csv", clip: a.wav, output: "${n}.mp3" }
        """#),
      #"""
      job.yaml:1:10: error: 'https://h.example/lib.yaml' is an address, and a file of this machine \#
      belongs here
          1 | include: https://h.example/lib.yaml
            |          ^~~~~~~~~~~~~~~~~~~~~~~~~~
        help: media, covers, images and lists of times may be addresses; name a file
      job.yaml:3:29: error: 'https://h.example/a.mp3' is an address, and a file of this machine \#
      belongs here
          3 |   a: { clip: a.wav, output: "https://h.example/a.mp3" }
            |                             ^~~~~~~~~~~~~~~~~~~~~~~~~
        help: media, covers, images and lists of times may be addresses; name a file
      job.yaml:4:39: error: 'https://h.example/out' is an address, and a file of this machine \#
      belongs here
          4 |   b: { clip: a.wav, output: { folder: "https://h.example/out", mp3: V2 } }
            |                                       ^~~~~~~~~~~~~~~~~~~~~~~
        help: media, covers, images and lists of times may be addresses; name a file
      job.yaml:5:14: error: 'https://h.example/t.csv' is an address, and a file of this machine \#
      belongs here
          5 |   c: { rows: "https://h.example/t.csv", clip: a.wav, output: "${n}.mp3" }
            |              ^~~~~~~~~~~~~~~~~~~~~~~~~
        help: media, covers, images and lists of times may be addresses; name a file
      """#)
  }

  @Test("A path that is made of an address is refused without its secrets")
  func pathOfAddress() {
    let screen = Bench().screen(
      #"""
      for_each: ["https://ann:s@h.example/a.wav?k=1"]
      output: "out/${input}.mp3"
      """#)
    expect(
      screen,
      #"""
      job.yaml:2:9: error: 'out/https://h.example/a.wav?*****' is an address, and a file of this \#
      machine belongs here
          2 | output: "out/${input}.mp3"
            |         ^~~~~~~~~~~~~~~~~~
        help: media, covers, images and lists of times may be addresses; name a file
      """#)
  }

  @Test("A list that a server does not give is reported with the failure's own remedy and class")
  func lists() {
    var bench = Bench()
    func fail(_ url: String, _ remedy: Failure.Remedy, _ message: String) throws {
      bench.pages[url] = .failure(
        Failure(remedy, message, location: .remote(try MediaURL(url))))
    }
    do {
      try fail(
        "https://h.example/busy.txt?k=1", .tryAgain,
        "the server answered 503 (Service Unavailable); try again later")
      try fail(
        "https://h.example/none.cue", .mendJob,
        "the server answered 404 (Not Found); check the path of the address")
    } catch { Issue.record("\(error)") }
    let map = SourceMap()
    do throws(Diagnostics) {
      _ = try bench.load(
        #"""
        jobs:
          a: { clip: a.wav, chapters: "https://h.example/busy.txt?k=1", output: a.mp3 }
          b: { clip: a.wav, split: "https://h.example/none.cue", output: "b${part.n}.mp3" }
        """#, into: map)
      Issue.record("nothing was refused")
    } catch {
      #expect(error.errors.map(\.remedy) == [.tryAgain, .mendJob])
      expect(
        error.render(in: map),
        #"""
        job.yaml:2:31: error: 'https://h.example/busy.txt?…': the server answered 503 (Service \#
        Unavailable); try again later
            2 |   a: { clip: a.wav, chapters: "https://h.example/busy.txt?***", output: a.mp3 }
              |                               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
        job.yaml:3:28: error: 'https://h.example/none.cue': the server answered 404 (Not Found); \#
        check the path of the address
            3 |   b: { clip: a.wav, split: "https://h.example/none.cue", output: "b${part.n}.mp3" }
              |                            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
        """#)
    }
  }
}
