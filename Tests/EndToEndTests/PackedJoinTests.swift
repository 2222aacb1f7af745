import TestSupport
import Testing

/// Joins of AAC that go into M4A in blocks: the file is whole or the old one.
@Suite("Joins in blocks are whole or absent")
struct PackedJoinTests {
  /// A folder with `part.m4a` of 20 minutes, an old `out.m4b`, and `join.yaml`, which joins so many parts.
  private func stage(_ count: Int, to name: String = "out.m4b") throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i 'anoisesrc=d=60:c=pink:r=22050:a=0.2' -c:a aac -b:a 64k -aac_pns 0 m.aac
      for _ in {1..20}; do cat m.aac; done | ffmpeg -v error -f aac -i - -c copy part.m4a
      rm m.aac
      """)
    try stage.make(
      """
      (echo concat:; for _ in $(seq \(count)); do echo '  - part.m4a'; done
        echo 'output: { file: \(name), aac: copy }') > join.yaml
      """)
    return stage
  }

  @Test("SIGKILL leaves the old file, and the next run sweeps what was left")
  func kill() throws {
    let stage = try stage(400)
    let result = try stage.run(
      """
      echo old > out.m4b
      set -m
      timeout --foreground $((2 * AVJOB_PATIENCE)) "$AVJOB" run --quiet join.yaml &
      until [ -n "$(find . -maxdepth 1 -name '.out.m4b.avjob-*.tmp' -size +4M)" ] || ! kill -0 $!; do
        sleep 0.02
      done
      kill -KILL $(pgrep -P $!)
      wait $!
      echo $? $(cat out.m4b) $(ls -A | grep -c '^[.]out')
      sed -i '4,$ { /part/d }' join.yaml
      avjob run -q join.yaml
      ls -A -I .avjob
      ffmpeg -v error -i out.m4b -f null -
      for f in out.m4b part.m4a; do ffprobe -v error -show_entries format=duration -of csv=p=0 $f; done
      """)
    let lines = result.text.split(separator: "\n")
    #expect(lines.first?.hasPrefix("137 old ") == true && lines.first != "137 old 0", "\(result)")
    #expect(lines.dropFirst().prefix(3) == ["join.yaml", "out.m4b", "part.m4a"], "\(result)")
    let seconds = lines.suffix(2).compactMap { Double($0) }
    #expect(seconds.count == 2 && abs(seconds[0] - 2 * seconds[1]) < 0.2, "\(result)")
  }

  @Test(
    "a disk that is full within the packets or before the tables leaves the old file, and is named",
    .enabled(if: namespace != nil, "this user may not mount a file system"))
  func fullDisk() throws {
    let stage = try stage(2, to: "full/o.m4b")
    try stage.make(
      "mkdir full; avjob run -q join.yaml; stat -c %s full/o.m4b > size; rm full/*")
    let result = try stage.run(
      """
      export AVJOB
      for less in 10000000 150000 40000; do
        export room=$((($(cat size) - less) / 4096 * 4))
        \(namespace ?? "") bash -c '
          mount -t tmpfs -o size=${room}k none full && echo old > full/o.m4b &&
          timeout 300 "$AVJOB" run -q join.yaml; echo $?; ls -A full; cat full/*'
      done
      """)
    #expect(
      result.text == String(repeating: "1\no.m4b\nold\n", count: 3), "\(result)")
    let count = result.errors.split(separator: "\n").count {
      $0.contains("error: 'full/o.m4b': cannot write the file: No space left on device")
        || $0.contains("and its disk holds")
    }
    #expect(count == 3, "\(result.errors)")
  }
}
