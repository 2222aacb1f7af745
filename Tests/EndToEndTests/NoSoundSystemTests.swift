import TestSupport
import Testing

@Suite("A machine without a sound system")
struct NoSoundSystemTests {
  @Test("makes files, and says what a preview and a recording need")
  func withoutALSA() throws {
    let stage = Stage()
    let result = try stage.run(
      """
      touch libasound.so.2
      export LD_LIBRARY_PATH=$PWD
      sox -n -r 8000 a.wav synth 0.5 sine 300
      avjob compress --quiet a.wav -o a.flac
      flac --test --silent a.flac; echo $?
      avjob preview --list-devices; echo $?
      avjob preview --device hw:0 a.flac >screen; echo $?
      avjob record --device hw:0 b.wav; echo $?
      """)
    #expect(result.text == "0\n1\n1\n1\n")
    #expect(
      result.errors.replacing("libasound2t64", with: "libasound2") == """
        error: sound devices need ALSA, which is not there; install libasound2
        error: the sound device 'hw:0' needs ALSA, which is not there; install libasound2
          help: 'avjob preview --list-devices' lists the devices; --device selects one
        error: the sound device 'hw:0' needs ALSA, which is not there; install libasound2
          help: 'avjob record --list-devices' lists the devices; --device selects one

        """)
  }
}
