import TestSupport
import Testing

/// Whether this user may mount over /proc, in a name space of its own.
private let canHideProc =
  (try? Tool.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/proc"]))?.status == 0

@Suite("Arguments without /proc")
struct ArgumentsTests {
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make("sox -R -r 8000 -n -c 1 a.wav synth 1 pinknoise")
    try stage.write("job.yaml", "clip: a.wav\noutput: a.flac\n")
    return stage
  }

  @Test(
    "are read all the same: commands work, and mistakes are mistakes",
    .enabled(if: canHideProc, "this user may not mount"))
  func noProc() throws {
    let stage = try stage()
    let result = try stage.run(
      """
      hidden() { unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' _ "$AVJOB" "$@"; }
      hidden run -q job.yaml; echo $? $(head -c 4 a.flac)
      hidden check job.yaml; echo $?
      hidden chek job.yaml; echo $?
      hidden check no.yaml; echo $?
      """)
    #expect(result.text == "0 fLaC\n1 job is fine\n0\n2\n2\n")
    #expect(result.errors.contains("there is no command 'chek'"), "\(result.errors)")
  }

  @Test(
    "--root names what it needs, and jobs of their own processes run",
    .enabled(if: canHideProc, "this user may not mount"))
  func noProcWithProcesses() throws {
    let stage = try stage()
    let result = try stage.run(
      """
      hidden() { unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' _ "$AVJOB" "$@"; }
      hidden check --root . job.yaml; echo $?
      hidden run -q --isolate job.yaml; echo $? $(head -c 4 a.flac)
      """)
    #expect(result.text == "2\n0 fLaC\n")
    #expect(result.errors.contains("--root needs /proc, which is not mounted here: mount it"))
  }

  @Test("without any, not even a name, are an error and no call for help")
  func none() throws {
    let result = try stage().run(
      """
      /usr/bin/python3 -c '
      import ctypes, os
      none = (ctypes.c_char_p * 1)(None)
      ctypes.CDLL(None).execve(os.environb[b"AVJOB"], none, none)'
      echo $?
      """)
    #expect(result.text == "1\n")
    #expect(result.errors.hasPrefix("error: the words of the command line cannot be read"))
  }
}
