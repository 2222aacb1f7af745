import Glibc
import TestSupport
import Testing

/// `scripts/install`, where `scripts/test` has built the generator of manual pages.
@Suite("Installing", .enabled(if: getenv("AVJOB_MANUAL") != nil)) struct InstallTests {
  /// The calls below install the command under test.
  private static let prelude = """
    export AVJOB_BINARY=$AVJOB
    install="$FIXTURES/../scripts/install"

    """

  private static let commands = [
    "attach", "cache", "cache-clear", "cache-list", "cache-path", "cache-prune", "cache-verify",
    "check", "clip", "compress", "concat", "init", "manifest", "plan", "preview", "probe", "record",
    "report", "report-merge", "run", "schema", "verify",
  ]

  @Test(
    "It puts the command, completions, manual and schemas below the prefix, and takes them away")
  func everything() throws {
    let stage = Stage()
    let installed = try stage.make(
      Self.prelude + """
        mkdir -p usr/share/man
        echo mine > usr/share/man/mine
        "$install" --prefix "$PWD/usr"
        usr/bin/avjob --version
        """)
    #expect(
      installed.errors == """
        Installed \(stage.path("usr"))/bin/avjob, its completions and its manual.
        It is not on your PATH yet: export PATH="\(stage.path("usr"))/bin:$PATH"

        """)
    let schemas = [
      "avjob", "cache", "check", "common", "event", "plan", "probe", "record", "report",
      "verify", "version",
    ]
    let files =
      ["bin/avjob", "share/avjob/installed", "share/bash-completion/completions/avjob"]
      + ["share/fish/vendor_completions.d/avjob.fish", "share/zsh/site-functions/_avjob"]
      + schemas.map { "share/avjob/\($0).schema.json" }
      + ["share/man/mine", "share/man/man1/avjob.1"]
      + Self.commands.map { "share/man/man1/avjob-\($0).1" }
    let found = try stage.make("cd usr && find . -type f -printf '%P\\n'").text
    #expect(found.split(separator: "\n").map(String.init).sorted() == files.sorted())

    let removed = try stage.make(Self.prelude + "\"$install\" --prefix \"$PWD/usr\" --uninstall")
    #expect(removed.errors == "Removed avjob from \(stage.path("usr")).\n")
    #expect(
      try stage.make("find usr | sort").text
        == "usr\nusr/share\nusr/share/man\nusr/share/man/mine\n")
  }

  @Test("What an earlier installation had besides goes, and other files in its folders stay")
  func again() throws {
    let stage = Stage()
    try stage.make(
      Self.prelude + """
        "$install" --prefix "$PWD/usr" 2> /dev/null
        echo share/avjob/old.json >> usr/share/avjob/installed
        touch usr/share/avjob/old.json usr/share/avjob/mine.json
        "$install" --prefix "$PWD/usr" 2> /dev/null
        test ! -e usr/share/avjob/old.json
        "$install" --prefix "$PWD/usr" --uninstall 2> /dev/null
        """)
    #expect(try stage.make("find usr -type f").text == "usr/share/avjob/mine.json\n")
  }

  @Test("Where nothing is installed, or the list leads elsewhere, nothing is removed")
  func refusals() throws {
    let stage = Stage()
    let absent = try stage.run(Self.prelude + "\"$install\" --prefix \"$PWD/usr\" --uninstall")
    #expect(absent.status == 1)
    #expect(
      absent.errors == """
        Nothing is installed in \(stage.path("usr")): there is no \
        \(stage.path("usr"))/share/avjob/installed.

        """)
    let strange = try stage.run(
      Self.prelude + """
        mkdir -p usr/share/avjob
        touch precious usr/mine
        printf '%s\\n' mine share/../../precious > usr/share/avjob/installed
        "$install" --prefix "$PWD/usr" --uninstall
        """)
    #expect(strange.status == 1)
    #expect(
      strange.errors == """
        \(stage.path("usr"))/share/avjob/installed names 'share/../../precious', which is not below \
        \(stage.path("usr"))

        """)
    #expect(try stage.make("ls precious usr/mine").text == "precious\nusr/mine\n")
  }

  @Test("The manual page of the command has examples")
  func examples() throws {
    let stage = Stage()
    let page = try stage.make(
      Self.prelude + """
        "$install" --prefix "$PWD/usr" 2> /dev/null
        mandoc -T ascii -O width=80 usr/share/man/man1/avjob.1 | col -bx
        """)
    #expect(page.text.contains("\nEXAMPLES\n"))
    #expect(page.text.contains("avjob run teaser.yaml"))
  }

  @Test("Each command has a manual page without faults, with each of its options")
  func manual() throws {
    let stage = Stage()
    let result = try stage.make(
      Self.prelude + """
        "$install" --prefix "$PWD/usr" 2> /dev/null
        cd usr/share/man/man1
        [[ $(mandoc -T ascii avjob.1 | col -bx) == *'avjob run teaser.yaml'* ]] || echo no examples
        # Where a sentence begins in the source does not show.
        mandoc -T lint -W warning *.1 | grep -v ': new sentence, new line' || true
        for page in *.1; do
          words=${page%.1}
          words=${words#avjob}
          words=${words//-/ }
          text=$(mandoc -T utf8 -O width=400 "$page" | col -bx)
          for option in $(COLUMNS=400 avjob help $words | grep -oE '^  (-[a-z], )?--[a-z0-9-]+' \
            | grep -oE -- '--.*'); do
            grep -qE -- "^ +(-[a-z], )?$option( |\\$)" <<< "$text" || echo "$page has no $option"
          done
        done
        """)
    #expect(result.text.isEmpty && result.errors.isEmpty, "\(result.text)")
    let page = try stage.make(
      "mandoc -T ascii -O width=80 usr/share/man/man1/avjob-cache-prune.1 | col -bx")
    let lines = page.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(
      lines.dropFirst().dropLast(2).joined(separator: "\n") == """

        NAME
             avjob-cache-prune - Remove what was not used for longest, down to a size.

        SYNOPSIS
             avjob cache prune [--keep size] [--version] [--help]

        DESCRIPTION
             --keep size
                     Keep this much, such as '2 GB'; default: AVJOB_CACHE_SIZE.

             --version
                     Show the version.

             -h, --help
                     Show help information.

        EXIT STATUS
             0       All is done.

             1       A job failed, or a file cannot be used.

             2       A job file or the arguments are wrong.

             75      A later try may succeed.

             129, 130, 143
                     After SIGHUP, SIGINT and SIGTERM.

        SEE ALSO
             avjob-cache(1)

        """)
  }
}
