import TestSupport
import Testing

/// `avjob run --watch`, whose ends are waited for and never timed.
@Suite struct WatchTests {
  /// `drop.py`: writes sounds into the folder `in`, slowly and in several ways.
  private static let writer = """
    import io, os, sys, time, wave, random
    first, last = int(sys.argv[1]), int(sys.argv[2])
    dice = random.Random(7)
    def sound(n):
        data = io.BytesIO()
        with wave.open(data, "wb") as w:
            w.setnchannels(1); w.setsampwidth(2); w.setframerate(8000)
            w.writeframes(b"".join(int.to_bytes(dice.randrange(65536), 2, "little") for _ in range(1600 + n)))
        return data.getvalue()
    os.makedirs("in", exist_ok=True); os.makedirs("tmp", exist_ok=True)
    held = []
    for n in range(first, last):
        data = sound(n)
        if n % 3 == 0:
            with open(f"tmp/{n}.wav", "wb") as f: f.write(data)
            os.rename(f"tmp/{n}.wav", f"in/{n}.wav")
        else:
            f = open(f"in/{n}.wav", "wb")
            f.write(data[:1000]); f.flush()
            if n % 10 == 1:
                held.append((f, data[1000:]))
                continue
            for at in range(1000, len(data), 900):
                f.write(data[at:at + 900]); f.flush(); time.sleep(0.02)
            f.close()
    time.sleep(2)
    for f, rest in held:
        f.write(rest); f.close()
    """

  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.write("drop.py", Self.writer)
    try stage.write(
      "job.yaml", "for_each: in/*.wav\noutput: { folder: out, flac: 16 bit }\n")
    return stage
  }

  private let helpers = """
    made() { find out -name '*.flac' 2>/dev/null | wc -l; }
    until_made() { until [ "$(made)" -ge "$1" ] || ! kill -0 $job 2>/dev/null; do sleep 0.05; done; }
    until_said() { until grep -q "$1" err || ! kill -0 $job 2>/dev/null; do sleep 0.05; done; }
    end() { kill -TERM $job; wait $job; echo "status $?"; }

    """

  @Test("Files of a slow writer are each made once, and whole; a restart finds what came meanwhile")
  func slowWriter() throws {
    let stage = try stage()
    let result = try stage.run(
      helpers + """
        mkdir in
        python3 drop.py 0 3
        timeout 300 "$AVJOB" run --watch --progress json job.yaml >events 2>err & job=$!
        python3 drop.py 3 40
        until_made 40
        end
        python3 drop.py 40 43
        timeout 300 "$AVJOB" run --watch --progress json job.yaml >later 2>>err & job=$!
        until_made 43
        end
        for f in in/*.wav; do n=$(basename $f .wav); flac -dsc out/$n.flac | cmp - $f; done
        echo "made $(made)"
        """)
    #expect(result.text == "status 143\nstatus 143\nmade 43\n", "\(result.errors)")
    let counts = try stage.make(
      """
      python3 - <<'END'
      import json
      for name in ("events", "later"):
          ends = [e for e in map(json.loads, open(name)) if e["event"] == "finished"]
          print(len(ends), len({e["name"] for e in ends}))
      END
      """)
    #expect(counts.text == "40 40\n3 3\n")
  }

  @Test("A mistake in a job file is printed once, and mended; a changed source is made again")
  func mistakes() throws {
    let stage = try stage()
    let result = try stage.run(
      helpers + """
        mkdir in
        timeout 300 "$AVJOB" run --watch job.yaml >text 2>err & job=$!
        until_said 'no file matches'
        python3 drop.py 0 1
        until_made 1
        cp job.yaml good.yaml
        echo 'clipp: a.wav' >>job.yaml
        until_said 'clipp'
        python3 drop.py 3 4
        cp good.yaml job.yaml
        until_made 2
        cp in/3.wav other.wav && mv other.wav in/0.wav
        until flac -dsc out/0.flac | cmp -s - in/0.wav; do sleep 0.05; done
        end
        grep -c "unknown key 'clipp'" err
        """)
    #expect(result.text == "status 143\n1\n", "\(result.errors)")
  }

  @Test("Outputs among a loop's own files are no new files of it")
  func loops() throws {
    let stage = try stage()
    try stage.write("job.yaml", "for_each: in/*\noutput: \"in/${input.stem}-x.wav\"\n")
    let result = try stage.run(
      helpers + """
        python3 drop.py 0 1
        timeout 300 "$AVJOB" run --watch job.yaml >text 2>err & job=$!
        until_said 'it is left out'
        end
        ls in
        """)
    #expect(result.text == "status 143\n0-x.wav\n0.wav\n", "\(result.errors)")
  }

  @Test(
    "A job that a full disk kept from starting is run when there is room",
    .enabled(if: namespace != nil, "this user may not mount a file system"))
  func fullDisk() throws {
    let stage = try stage()
    try stage.write(
      "watch.sh",
      helpers + """
        mkdir out && mount -t tmpfs -o size=64k none out && head -c 65536 /dev/zero >out/ballast
        python3 drop.py 0 1
        timeout 300 "$AVJOB" run --watch job.yaml >text 2>err & job=$!
        until_said 'free; make room'
        rm out/ballast
        until_made 1
        end
        flac -dsc out/0.flac | cmp - in/0.wav
        """)
    let result = try stage.run("export AVJOB; \(namespace ?? "") bash watch.sh")
    #expect(result.text == "status 143\n", "\(result.errors)")
  }

  @Test("A watch that is started again knows what its loop made, and another loop reads that")
  func restart() throws {
    let stage = try stage()
    try stage.write("job.yaml", "for_each: in/*\noutput: \"in/${input.stem}-x.wav\"\n")
    try stage.write("other.yaml", "for_each: in/*-x.wav\noutput: { folder: out, flac: 16 bit }\n")
    let result = try stage.run(
      helpers + """
        python3 drop.py 0 1
        timeout 300 "$AVJOB" run --watch job.yaml >text 2>err & job=$!
        until_said 'it is left out'
        end
        rm in/0.wav; : >err
        timeout 300 "$AVJOB" run --watch job.yaml >text 2>err & job=$!
        until_said 'which an earlier run of this loop made: it is left out'
        python3 drop.py 3 4
        until ls .avjob/receipts | grep -q '^3-x' || ! kill -0 $job 2>/dev/null; do sleep 0.05; done
        end
        timeout 300 "$AVJOB" run --watch other.yaml >text 2>>err & job=$!
        until_made 2
        end
        # A recording that took the place of an output is a source.
        cp in/3.wav new.wav; rm in/3.wav; mv new.wav in/0-x.wav
        timeout 300 "$AVJOB" run --watch job.yaml >text 2>>err & job=$!
        until [ -e in/0-x-x.wav ] || ! kill -0 $job 2>/dev/null; do sleep 0.05; done
        end
        ls in out
        """)
    #expect(
      result.text == String(repeating: "status 143\n", count: 4)
        + "in:\n0-x-x.wav\n0-x.wav\n3-x.wav\n\nout:\n0-x.flac\n3-x.flac\n", "\(result)")
  }

  @Test("A loop that finds an output up to date is the one that made it, also by an older receipt")
  func renewedLoop() throws {
    let stage = try stage()
    let result = try stage.run(
      """
      set -e
      python3 drop.py 0 1
      number() { sed -n 's/ *"loop" : "\\([0-9a-f]*\\)",/\\1/p' .avjob/receipts/*.json; }
      avjob run --quiet job.yaml
      made=$(stat -c %i.%Y out/0.flac); first=$(number); [ -n "$first" ]
      sed -i '/"loop"/d' .avjob/receipts/*.json; [ -z "$(number)" ]
      avjob run --quiet job.yaml
      [ "$(number)" = "$first" ]
      sed -i 's|in/\\*.wav|in/*|' job.yaml
      avjob run --quiet job.yaml
      [ -n "$(number)" ] && [ "$(number)" != "$first" ]
      [ "$(stat -c %i.%Y out/0.flac)" = "$made" ]
      """)
    #expect(result.status == 0, "\(result)")
  }

  @Test("Options that make no sense in rounds are refused by name")
  func refusals() throws {
    let result = try Command.avjob("run", "--watch", "--prune", "job.yaml")
    #expect(result.errors.contains("--watch and --prune exclude each other"))
  }
}
