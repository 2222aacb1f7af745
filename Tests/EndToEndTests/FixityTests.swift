import TestSupport
import Testing

@Suite("Fixity: verify and --checksum")
struct FixityTests {
  /// A folder with a job that makes FLACs and records of three WAVs, made with digests.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make("for i in a b c; do sox -R -r 8000 -n -c 1 $i.wav synth 0.5 pinknoise; done")
    try stage.write(
      "job.yaml",
      """
      for_each: '*.wav'
      output: ['out/${input.stem}.flac', { file: 'out/${input.stem}.json', json: sidecar }]
      """)
    try stage.make("avjob run -q --checksum job.yaml")
    return stage
  }

  /// Changes one byte of a file, and keeps its time.
  private func rot(_ name: String, _ stage: Stage, at offset: Int = 3000) throws {
    try stage.make(
      """
      cp -p '\(name)' .time
      byte=$(od -An -tu1 -j\(offset) -N1 '\(name)')
      printf "\\\\x$(printf %02x $((byte ^ 1)))" | dd of='\(name)' bs=1 seek=\(offset) conv=notrunc status=none
      touch -r .time '\(name)'; rm .time
      """)
  }

  private func digest(_ name: String, _ stage: Stage) throws -> Substring {
    try stage.make("sha256sum '\(name)'").text.prefix(64)
  }

  @Test("outputs, sources and records are proved by receipts, and the others are listed")
  func receipts() throws {
    let stage = try stage()
    let before = try stage.listing()
    let fine = try stage.run("avjob verify .")
    #expect(fine.status == 0, "\(fine.errors)")
    #expect(
      fine.text == """
        ok         a.wav
        ok         b.wav
        ok         c.wav
        unknown    job.yaml
        ok         out/a.flac
        ok         out/a.json
        ok         out/b.flac
        ok         out/b.json
        ok         out/c.flac
        ok         out/c.json
        10 files: 9 ok, 1 unknown

        """)
    #expect(try stage.listing() == before)
    #expect(try stage.run("avjob verify -q .").text == "")
    #expect(try stage.run("avjob verify out/b.flac a.wav").text.hasSuffix("2 files: 2 ok\n"))
    #expect(try stage.run("cd out; avjob verify b.flac").status == 0)
    #expect(try stage.run("avjob verify out/b.json").text.hasSuffix("2 files: 2 ok\n"))
    #expect(try stage.run("avjob verify .avjob/receipts/a.flac-*.json").status == 0)

    let was = try digest("out/b.flac", stage)
    try rot("out/b.flac", stage)
    try stage.make("rm out/c.flac")
    let wrong = try stage.run("avjob verify -q . --json")
    #expect(wrong.status == 1)
    try JSONSchema.validate(wrong.text, as: "verify")
    let text = try stage.run("avjob verify -q .").text
    #expect(text.hasPrefix("changed    out/b.flac\n  is   \(try digest("out/b.flac", stage))\n"))
    #expect(text.contains("\n  was  \(was)\n") && text.hasSuffix("missing    out/c.flac\n"))
    #expect(try stage.run("avjob verify job.yaml").status == 1, "nothing proves it")
  }

  @Test("files of a folder are proved by what lies above it, as those that are named alone")
  func above() throws {
    let stage = try stage()
    try stage.make(
      """
      mkdir out/sub; printf x > out/sub/x; printf y > y; ln -s out link
      sha256sum y out/sub/x > SHA256SUMS; rm y out/*.json
      """)
    let fine = """
      ok         out/a.flac
      ok         out/b.flac
      ok         out/c.flac
      ok         out/sub/x
      """
    let all = try stage.run("avjob verify out")
    // Neither sources nor `y` are in the folder, and the records are gone.
    #expect(all.status == 1 && all.text.contains("missing    out/a.json\n"), "\(all.text)")
    let found = all.text.split(separator: "\n").filter { $0.hasPrefix("ok") }
    #expect(found.joined(separator: "\n") == fine)
    #expect(all.text.hasSuffix("7 files: 4 ok, 3 missing\n"), "\(all.text)")
    #expect(try stage.run("cd out; avjob verify .").text == all.text.replacing("out/", with: ""))
    #expect(try stage.run("avjob verify link").text == all.text.replacing("out/", with: "link/"))
    #expect(try stage.run("avjob verify out/sub").text == "ok         out/sub/x\n1 file: 1 ok\n")
    // The digest of a FLAC's sound is still right.
    try stage.make("metaflac --set-tag=TITLE=Other out/b.flac")
    try rot("out/sub/x", stage, at: 0)
    for name in ["out/b.flac", "out/sub/x"] {
      let alone = try stage.run("avjob verify -q \(name)")
      #expect(alone.status == 1 && alone.text.hasPrefix("changed    \(name)\n"), "\(alone.text)")
      #expect(try stage.run("avjob verify -q out").text.contains(alone.text))
    }
  }

  @Test("of what lies above a folder, that of folders whose names begin as its own is left out")
  func neighbours() throws {
    let stage = Stage()
    try stage.make(
      """
      mkdir -p 'd/a/x' 'd/a-b' 'd/a b' d/a0
      for file in d/a/1 d/a/x/2 d/a-b/3 'd/a b/4' d/a0/5 d/6; do printf "$RANDOM" > "$file"; done
      find d -type f -print0 | xargs -0 sha256sum > SHA256SUMS
      """)
    let found = try stage.run("avjob verify d/a")
    #expect(found.text == "ok         d/a/1\nok         d/a/x/2\n2 files: 2 ok\n")
    #expect(try stage.run("avjob verify d/a d/a0").text.hasSuffix("3 files: 3 ok\n"))
  }

  @Test("receipts without digests prove nothing, and say how to have some")
  func withoutDigests() throws {
    let stage = Stage()
    try stage.make("sox -R -r 8000 -n -c 1 a.wav synth 0.5 pinknoise")
    #expect(try stage.job("clip: a.wav\noutput: b.wav\n").status == 0)
    let result = try stage.run("avjob verify b.wav")
    #expect(result.status == 1 && result.text.contains("'avjob run --checksum' keeps digests"))
    try stage.make("echo >> b.wav")
    #expect(try stage.run("avjob verify b.wav").text.hasPrefix("changed    b.wav\n  is   "))
    try stage.make("mkdir empty; touch empty/x")
    let empty = try stage.run("avjob verify empty")
    #expect(empty.status == 1 && empty.errors.contains("nothing here has a digest"))
    #expect(try stage.run("avjob verify gone").status == 1)
    let none = try stage.run("avjob verify --json empty")
    try JSONSchema.validate(none.text, as: "verify")
    #expect(none.text.contains("\"message\": \"nothing here has a digest to prove by\""))
    #expect(try stage.run("avjob verify").status == 2)
  }

  @Test("lists of sha256sum are read, with names of all kinds, and lead nowhere else")
  func lists() throws {
    let stage = Stage()
    try stage.make(
      """
      mkdir -p d/sub; cd d
      for name in 'a b' '100%' $'two\\nlines' 'back\\slash' sub/x; do printf "$RANDOM" > "$name"; done
      find . -type f -printf '%P\\0' | xargs -0 sha256sum > ../sums; mv ../sums SHA256SUMS
      sha256sum --tag 'a b' > tagged.sha256
      """)
    #expect(try stage.run("avjob verify d").text.hasSuffix("5 files: 5 ok\n"))
    try stage.make("printf x >> d/sub/x")
    #expect(try stage.run("avjob verify -q d").status == 1)
    try stage.make(
      """
      mkdir e; echo secret > secret; ln -s ../secret e/link
      sum=$(sha256sum < secret | cut -c-64)
      printf '%s  %s\\n' $sum ../secret $sum link $sum /etc/passwd >> e/list.sha256
      """)
    let refused = try stage.run("avjob verify e")
    #expect(refused.status == 1)
    #expect(refused.text.contains(": leads out of the folder of its list"))
    #expect(refused.text.contains(": is reached through a symbolic link"))
    #expect(refused.text.hasSuffix("3 files: 3 refused\n"))
    #expect(try stage.run("avjob verify --root d e/list.sha256").status != 0)
    #expect(try stage.run("avjob verify -q --root e e/list.sha256").status == 1)
    let outside = try stage.run("avjob verify --root d .")
    #expect(outside.status == 1)
    #expect(
      outside.errors.contains("'.': lies outside 'd', and --root keeps to that folder"),
      "\(outside.errors)")
  }

  @Test("--checksum replaces no master whose source has decayed, and says how to go on")
  func decay() throws {
    let stage = try stage()
    let was = try digest("b.wav", stage)
    let master = try digest("out/b.flac", stage)
    try rot("b.wav", stage)
    let now = try digest("b.wav", stage)
    // Not even where the job has changed.
    try stage.make("sed -i 's/for_each/metadata: { title: New }\\nfor_each/' job.yaml")
    let result = try stage.run("avjob run -q --checksum job.yaml")
    #expect(result.status == 1)
    #expect(result.errors.contains(now) && result.errors.contains(was), "\(result.errors)")
    #expect(result.errors.contains("'touch' it or run with --force"), "\(result.errors)")
    #expect(try digest("out/b.flac", stage) == master)
    #expect(
      try stage.run("ffprobe -v error -show_entries format_tags out/a.flac").text.contains("New"))
    let forced = try stage.run("avjob run -q --checksum --force job.yaml; avjob verify -q .")
    #expect(forced.status == 0, "\(forced.errors)")
    #expect(try digest("out/b.flac", stage) != master)
    try rot("c.wav", stage)
    let touched = try stage.run("touch c.wav; avjob run -q --checksum job.yaml")
    #expect(touched.status == 0, "\(touched.errors)")
  }

  @Test("--checksum replaces no master whose texts have decayed, but those of edited ones")
  func decayedTexts() throws {
    let stage = Stage()
    try stage.make("sox -R -r 8000 -n -c 1 a.wav synth 3 pinknoise")
    try stage.write("t.vtt", "WEBVTT\n\n00:00.000 --> 00:00.900\nHello there\n")
    try stage.write("ch.txt", "0:00 Intro\n0:01 Main\n")
    try stage.write("cuts.txt", "2.0\t2.5\tx\n")
    try stage.write("rows.csv", "title\nTune\nSong\n")
    try stage.write(
      "job.yaml",
      """
      rows: rows.csv
      clip: a.wav
      transcript: t.vtt
      chapters: ch.txt
      cut: cuts.txt
      metadata: { title: '${title}' }
      output: [{ file: '${n}.flac', transcript: vtt }]
      """)
    try stage.make("avjob run -q --checksum job.yaml")
    #expect(try stage.run("avjob verify -q .").status == 0)
    let masters = try stage.make("sha256sum *.flac 1.vtt").text
    for (name, offset) in [("t.vtt", 33), ("ch.txt", 6), ("cuts.txt", 6), ("rows.csv", 7)] {
      let was = try digest(name, stage)
      try rot(name, stage, at: offset)
      let now = try digest(name, stage)
      let result = try stage.run("avjob run -q --checksum job.yaml")
      #expect(result.status == 1, "\(name)")
      #expect(result.errors.contains("'\(name)': has other bytes"), "\(result.errors)")
      #expect(result.errors.contains(now) && result.errors.contains(was), "\(result.errors)")
      #expect(try stage.make("sha256sum *.flac 1.vtt").text == masters)
      let proved = try stage.run("avjob verify -q .")
      #expect(proved.status == 1)
      #expect(proved.text.hasPrefix("changed    \(name)\n"), "\(proved.text)")
      try rot(name, stage, at: offset)
    }
    // What says the same makes nothing again, and is what is proved from then on.
    let same = try stage.run(
      "echo >> ch.txt; touch cuts.txt; avjob run --checksum job.yaml; avjob verify -q .")
    #expect(same.status == 0, "\(same.text) \(same.errors)")
    #expect(try stage.make("sha256sum *.flac 1.vtt").text == masters)
    let edited = try stage.run(
      "sed -i s/Tune/Tone/ rows.csv; avjob run -q --checksum job.yaml; avjob verify -q .")
    #expect(edited.status == 0, "\(edited.text) \(edited.errors)")
    #expect(try stage.run("metaflac --show-tag=title 1.flac").text.hasSuffix("=Tone\n"))
  }

  @Test("an edited table is proved by receipts that know it, whatever those of deleted rows have")
  func editedTexts() throws {
    let stage = Stage()
    try stage.make("sox -R -r 8000 -n -c 1 a.wav synth 0.2 pinknoise")
    try stage.write("rows.csv", "title\nOne\nTwo\nThree\n")
    try stage.write(
      "job.yaml",
      "rows: rows.csv\nclip: a.wav\nmetadata: { title: '${title}' }\noutput: '${n}.flac'\n")
    try stage.make("avjob run -q --checksum job.yaml; sed -i /Three/d rows.csv")
    let edited = try stage.run("avjob verify .")
    #expect(edited.status == 0, "\(edited.text)")
    #expect(edited.text.contains("unknown    rows.csv: was edited since"), "\(edited.text)")
    #expect(try stage.run("avjob verify rows.csv").status == 1, "nothing proves it")
    let plain = try stage.run("avjob run -q job.yaml; avjob verify -q .")
    #expect(plain.status == 0, "\(plain.text) \(plain.errors)")
    // The third output and its receipt are still there.
    let renewed = try stage.run("avjob run -q --checksum job.yaml; avjob verify .")
    #expect(renewed.status == 0 && renewed.text.contains("ok         rows.csv\n"))
    try rot("rows.csv", stage, at: 7)
    let rotten = try stage.run("avjob verify -q .")
    #expect(rotten.status == 1 && rotten.text.hasPrefix("changed    rows.csv\n"))
  }
}
