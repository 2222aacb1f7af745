import Glibc
import TestSupport
import Testing

/// HE-AAC that keeps its codec: copied where all of it is the output, and else encoded, or said to be
/// lost.
@Suite("HE-AAC that keeps its codec")
struct HighEfficiencyCopyTests {
  private let stage = Stage()

  /// A file that is no library stands before all others of its name.
  private let withoutLibrary = "LD_LIBRARY_PATH=$PWD/none"

  private func prepare() throws {
    try stage.make(
      "cp $FIXTURES/he-aac.m4a $FIXTURES/he-aac-v2.m4a .; mkdir none; : >none/libfdk-aac.so.2")
  }

  /// The bytes of all packets.
  private func packets(_ name: String) throws -> [UInt8] {
    try Array(
      stage.make("ffmpeg -v error -ignore_editlist 1 -i \(name) -map 0:a -c copy -f data -").output)
  }

  @Test(
    "all of a file is copied, packet by packet, with its length and its place",
    arguments: [("he-aac.m4a", "HE-AAC", 4322), ("he-aac-v2.m4a", "HE-AAC v2", 220_500)])
  func whole(_ name: String, _ profile: String, _ frames: Int) throws {
    try prepare()
    try stage.make("avjob clip -q \(name) -o copy.m4a --aac copy")
    try stage.write("same.yaml", "clip: \(name)\noutput: { file: same.m4a, codec: same }\n")
    let source = try stage.make("avjob probe \(name)").text
    for command in ["check", "plan", "run"] {
      let result = try stage.make("\(withoutLibrary) avjob \(command) same.yaml")
      #expect(!result.errors.contains("note"), "\(result.errors)")
    }
    for copy in ["copy.m4a", "same.m4a"] {
      // Of an encoder's last packets, none that would begin behind the sound.
      let (copied, there) = (try packets(copy), try packets(name))
      #expect(there.starts(with: copied) && copied.count > there.count * 97 / 100)
      let probe = try stage.make("avjob probe \(copy)").text
      #expect(probe.contains("sound     aac (\(profile)), 44.1 kHz stereo"), "\(probe)")
      for words in ["(\(frames) samples)", "samples before"] {
        let line = source.split(separator: "\n").first { $0.contains(words) }
        #expect(probe.split(separator: "\n").contains { $0 == line }, "\(words): \(probe)")
      }
      try stage.make(
        "avjob clip -q \(copy) -o b.wav --force; avjob clip -q \(name) -o a.wav --force")
      #expect(try stage.run("cmp a.wav b.wav").status == 0)
    }
  }

  @Test(
    "ffmpeg plays of a copy what it plays of its source, from the first frame on",
    arguments: [("he-aac.m4a", 4322), ("he-aac-v2.m4a", 220_500)])
  func inFFmpeg(_ name: String, _ frames: Int) throws {
    try prepare()
    try stage.make("avjob clip -q \(name) -o copy.m4a --aac copy")
    func played(_ name: String) throws -> [UInt8] {
      try Array(stage.make("ffmpeg -v error -i \(name) -f s16le -").output)
    }
    // It counts what an edit list leaves out twice, but for a track that counts frames of the core.
    let (copied, there) = (try played("copy.m4a"), try played(name))
    #expect(copied.count >= frames * 4 && there.starts(with: copied))
    let rate = "ffprobe -v error -show_entries stream=time_base -of csv=p=0 copy.m4a"
    #expect(try stage.make(rate).text == "1/22050\n")
  }

  @Test("a copy whose sound ends between two frames of the core ends there")
  func oddLength() throws {
    try stage.make(
      """
      cp $FIXTURES/he-aac.m4a odd.m4a
      python3 - <<'END'
      import struct
      # The movie counts finer than its track, and its list ends after 4321 of its frames.
      bytes = bytearray(open('odd.m4a', 'rb').read())
      struct.pack_into('>I', bytes, bytes.index(b'mvhd') + 16, 44100)
      struct.pack_into('>II', bytes, bytes.index(b'elst') + 12, 4321, 2048)
      open('odd.m4a', 'wb').write(bytes)
      END
      avjob clip -q odd.m4a -o copy.m4a --aac copy
      for n in odd copy; do avjob clip -q $n.m4a -o $n.wav --wav '32 bit float'; done
      cmp odd.wav copy.wav
      """)
    for name in ["odd.m4a", "copy.m4a"] {
      let probe = try stage.make("avjob probe \(name)").text
      #expect(probe.contains("(4321 samples)"), "\(name): \(probe)")
    }
  }

  @Test("a part of a file is not copied, and says so before anything is written")
  func part() throws {
    try prepare()
    let refused = try stage.run("avjob clip he-aac-v2.m4a --from 1s -o cut.m4a --aac copy")
    #expect(refused.status != 0)
    #expect(
      refused.errors.contains(
        "'--aac copy' finds nothing to copy: its packets cannot be cut exactly, since it is HE-AAC, of "
          + "which a whole file alone is copied;"),
      "\(refused.errors)")
    #expect(try stage.run("ls cut.m4a").status != 0)
  }

  @Test(
    "without libfdk-aac, what becomes AAC-LC is said by check, plan and run, with the remedy",
    arguments: [
      "clip: he-aac-v2.m4a 1s..3s", "concat: [he-aac-v2.m4a, he-aac-v2.m4a]",
      "clip: he-aac-v2.m4a\ngain: -3 dB",
    ])
  func loss(_ sound: String) throws {
    try prepare()
    try stage.write("same.yaml", "\(sound)\noutput: { file: out.m4a, codec: same }\n")
    for command in ["check", "plan", "run"] {
      let said = try stage.make("\(withoutLibrary) avjob \(command) same.yaml").errors
      #expect(
        said.contains(
          "note: 'out.m4a' becomes AAC 32 kbps, 44.1 kHz stereo, which sounds worse at its bit rate: "
            + "'he-aac-v2.m4a' is HE-AAC v2 32 kbps, 44.1 kHz stereo, and FFmpeg encodes AAC-LC alone"
        ), "\(command): \(said)")
      #expect(said.contains("fdk-aac") && said.contains("or write twice the bit rate"), "\(said)")
      #expect(said.split(separator: "\n").count { $0.contains("note:") } == 1, "\(said)")
    }
  }

  @Test("CAF, which holds AAC-LC alone, gets no packets of HE-AAC")
  func coreAudio() throws {
    try prepare()
    let refused = try stage.run("avjob clip he-aac.m4a -o copy.caf --aac copy")
    #expect(refused.status != 0 && refused.errors.contains("'--aac copy'"), "\(refused.errors)")
    try stage.write("same.yaml", "clip: he-aac.m4a\noutput: { file: out.caf, codec: same }\n")
    let said = try stage.make("avjob run same.yaml").errors
    #expect(
      said.contains("write 'out.m4a', since CAF holds AAC-LC alone, or write twice"), "\(said)")
    #expect(try stage.make("avjob probe out.caf").text.contains("sound     aac, 44.1 kHz stereo"))
  }

  @Test("another output that changes the mix lets no HE-AAC become AAC-LC without a note")
  func besidesOthers() throws {
    try prepare()
    try stage.write(
      "same.yaml",
      """
      clip: he-aac-v2.m4a
      output: [{ file: out.m4a, codec: same }, { file: wide.wav, channels: 5.1 }]

      """)
    let said = try stage.make("\(withoutLibrary) avjob check same.yaml").errors
    #expect(said.contains("note: 'out.m4a' becomes AAC"), "\(said)")
  }

  @Test(
    "with libfdk-aac, what is not copied is HE-AAC at the same bit rate",
    .enabled(if: dlopen("libfdk-aac.so.2", RTLD_NOW | RTLD_LOCAL) != nil, "it is not installed"))
  func encoded() throws {
    try prepare()
    for (sound, format, seconds) in [
      ("clip: he-aac-v2.m4a 1s..3s", "HE-AAC v2 32 kbps", 2),
      ("concat: [he-aac-v2.m4a, he-aac-v2.m4a]", "HE-AAC v2 32 kbps", 10),
    ] {
      try stage.write("same.yaml", "\(sound)\noutput: { file: out.m4a, codec: same }\n")
      let plan = try stage.make("avjob plan same.yaml")
      #expect(plan.text.contains("out.m4a  \(format) by libfdk-aac"), "\(plan.text)")
      #expect(!plan.errors.contains("note"), "\(plan.errors)")
      try stage.make("avjob run -q --force same.yaml")
      let probe = try stage.make("avjob probe out.m4a").text
      #expect(probe.contains("aac (HE-AAC v2)"), "\(probe)")
      #expect(probe.contains("(\(seconds * 44_100) samples)"), "\(probe)")
    }
  }

  @Test(
    "of sources in HE-AAC and in AAC-LC, the one with more bits decides, and the others are named")
  func mixed() throws {
    try prepare()
    try stage.make("ffmpeg -v error -f lavfi -i sine=d=2 -ac 2 -c:a aac -b:a 128k lc.m4a")
    try stage.write(
      "same.yaml", "concat: [lc.m4a, he-aac-v2.m4a]\noutput: { file: out.m4a, codec: same }\n")
    let said = try stage.make("\(withoutLibrary) avjob plan same.yaml").errors
    #expect(
      said.contains(
        "and not all of its sources are: 'he-aac-v2.m4a' is HE-AAC v2 32 kbps, 44.1 kHz stereo"),
      "\(said)")
    #expect(!said.contains("sounds worse"), "\(said)")
  }
}
