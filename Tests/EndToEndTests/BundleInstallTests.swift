import TestSupport
import Testing

/// The script in the bundle that puts it below a prefix.
@Suite("Installing the bundle") struct BundleInstallTests {
  /// Makes `bundle`, whose command is the text `command`, with its `install`.
  private func stage(command: String) throws -> Stage {
    let stage = Stage()
    try stage.make(
      """
      mkdir -p bundle/{bin,lib/avjob,share/avjob}
      touch bundle/lib/avjob/libx.so.1 bundle/share/avjob/x.json
      cat > bundle/bin/avjob <<'END'
      \(command)
      END
      root=$(realpath "$FIXTURES/..") made=$PWD mirror=
      for part in setup stage machine bundle; do source "$root/scripts/$part.bash"; done
      write_installer > bundle/install
      chmod 755 bundle/install bundle/bin/avjob
      """)
    return stage
  }

  @Test("It puts the bundle below the prefix, and takes away what it has put")
  func everything() throws {
    let stage = try stage(command: "#!/bin/sh\necho 1.2.3")
    let installed = try stage.make(
      """
      mkdir usr
      touch usr/mine
      POSIXLY_CORRECT=1 bundle/install --prefix "$PWD/usr"
      usr/bin/avjob
      """)
    #expect(installed.text == "Installed \(stage.path("usr"))/bin/avjob.\n1.2.3\n")
    #expect(
      try stage.make("cd usr && find . -type f -printf '%P\\n' | LC_ALL=C sort").text == """
        bin/avjob
        lib/avjob/libx.so.1
        mine
        share/avjob/installed
        share/avjob/x.json

        """)
    // It is taken away also where the command does not run any more.
    try stage.make("echo false > bundle/bin/avjob; bundle/install --prefix usr --uninstall")
    #expect(try stage.make("find usr -type f").text == "usr/mine\n")
  }

  @Test(
    "Where the command does not run, the loader's words are reported, and nothing is put anywhere")
  func unusable() throws {
    let problem = "avjob: error while loading shared libraries: libstdc++.so.6: no such file"
    let stage = try stage(command: "#!/bin/sh\necho '\(problem)' >&2\nexit 127")
    let result = try stage.run("bundle/install --prefix \"$PWD/usr\"")
    #expect(result.status == 1)
    let library = try Tool.succeed("getconf", "GNU_LIBC_VERSION").text
    #expect(
      result.errors == """
        avjob does not run here: \(problem)
        It needs glibc 2.34 or newer (here: \(library.dropLast())), and libstdc++.so.6.

        """)
    #expect(try stage.make("ls").text == "bundle\n")
  }

  @Test(
    "On a system with musl and without bash it is refused by name, and nothing is put anywhere",
    .enabled(if: namespace != nil))
  func musl() throws {
    let stage = try stage(command: "#!/lib64/ld-linux-x86-64.so.2")
    let result = try stage.run(
      """
      mkdir -p bin dev lib tmp
      touch dev/null
      cp "$(command -v busybox)" bin/busybox
      for name in sh ls readlink dirname; do ln -s busybox "bin/$name"; done
      touch "lib/ld-musl-$(uname -m).so.1"
      \(namespace ?? "") chroot . /bin/sh /bundle/install --prefix /usr
      """)
    #expect(result.status == 1)
    #expect(
      result.errors == """
        avjob needs glibc 2.34 or newer, and this system has musl:
        run avjob in a container of Debian.

        """)
    #expect(try stage.make("ls").text == "bin\nbundle\ndev\nlib\ntmp\n")
  }
}
