import TestSupport
import Testing

/// Systems that have the command, the libraries that it is linked with, and nothing else.
@Suite("Bare systems", .enabled(if: namespace == "unshare -m")) struct BareSystemTests {
  /// Runs avjob as a user without a name or a home, in a root that cannot be written to and has no
  /// /proc, /dev, /etc, locales, certificates, sound system, or libraries that are loaded by name.
  private func run(_ arguments: String, in stage: Stage) throws -> ToolResult {
    try stage.run(
      """
      libraries=root/lib/$(uname -m)-linux-gnu
      mkdir -p "$libraries" root/lib64 root/all
      touch root/avjob
      cp "$FIXTURES/feelings.ogg" root
      ldd "$AVJOB" | sed -nE 's,^\\s*(.* => )?(/[^ ]+) .*,\\2,p' | while read -r path; do
        folder=$libraries
        [[ $path != */ld-linux* ]] || folder=root/lib64
        ln -sf "/all$(realpath "$path")" "$folder/${path##*/}"
      done
      unshare -m bash -c '
        set -e
        mount --bind root root
        mount --bind / root/all
        mount --bind "$AVJOB" root/avjob
        mount -o remount,bind,ro root
        exec env -i "$(command -v chroot)" --userspec=65534:65534 --groups= root /avjob "$@"' \
        _ \(arguments)
      """)
  }

  @Test("The version is printed, with those of the libraries that are there")
  func version() throws {
    let stage = Stage()
    let version = try run("--version", in: stage)
    #expect(version.text == (try stage.make("avjob --version").text))
    #expect(version.errors == "" && version.status == 0)
    let tools = try run("--version --json", in: stage)
    #expect(tools.text.contains("\"lame\": ") && !tools.text.contains("\"filters\": "))
    #expect(tools.errors == "" && tools.status == 0)
  }

  @Test("A file is probed")
  func probe() throws {
    let stage = Stage()
    let probe = try run("probe feelings.ogg", in: stage)
    #expect(probe.text == (try stage.make("cd root && avjob probe feelings.ogg").text))
    #expect(probe.errors == "" && probe.status == 0)
  }

  @Test(
    "What is not there is reported, with what to do",
    arguments: [
      ("preview feelings.ogg", "needs ALSA, which is not there; install "),
      ("probe https://127.0.0.1/a.ogg", "no folder for media of servers is set; set AVJOB_CACHE"),
      ("clip feelings.ogg --to 1s -o /a.mp3", "cannot write into the folder /"),
    ])
  func missing(_ arguments: String, _ message: String) throws {
    let result = try run(arguments, in: Stage())
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(result.status != 0)
  }
}
