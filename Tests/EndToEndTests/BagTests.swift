import TestSupport
import Testing

/// Whether the Library of Congress's validator is here: PyPI's `bagit`, which scripts/test installs.
private let hasValidator = (try? Tool.run(["sh", "-c", "command -v bagit.py"]).status) == 0

@Suite("Bags of a run's outputs")
struct BagTests {
  private static let job = """
    bag:
      folder: bags/masters
      info: { Source-Organization: Archive X, External-Identifier: ["1", "2"] }
    jobs:
      all:
        for_each: '*.wav'
        output:
          - { folder: out, flac: 16 bit }
          - { folder: out, json: sidecar }
    """

  private func stage(_ names: String = "a 'b c' 'ü'") throws -> Stage {
    let stage = Stage()
    try stage.make(
      "for i in \(names); do sox -R -r 8000 -n -c 1 \"$i.wav\" synth 0.3 pinknoise; done")
    try stage.write("job.yaml", Self.job)
    return stage
  }

  @Test("a bag has outputs, records and facts, and stays while they are the same")
  func layout() throws {
    let stage = try stage()
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains("note: the bag 'bags/masters' has 3 files"), "\(result.errors)")
    #expect(
      try stage.make("cd bags; find . -type f | LC_ALL=C sort").text == """
        ./masters/bag-info.txt
        ./masters/bagit.txt
        ./masters/data/a.flac
        ./masters/data/b c.flac
        ./masters/data/ü.flac
        ./masters/manifest-sha256.txt
        ./masters/records/a.json
        ./masters/records/b c.json
        ./masters/records/ü.json
        ./masters/tagmanifest-sha256.txt

        """)
    try stage.make(
      """
      cd bags/masters
      sha256sum --quiet -c manifest-sha256.txt; sha256sum --quiet -c tagmanifest-sha256.txt
      cmp data/a.flac ../../out/a.flac; cmp records/a.json ../../out/a.json
      size=$(cat data/* | wc -c)
      grep -qx "Payload-Oxum: $size.3" bag-info.txt
      grep -qx 'Source-Organization: Archive X' bag-info.txt
      test $(grep -c '^External-Identifier: [12]$' bag-info.txt) = 2
      grep -qE '^Bagging-Date: [0-9]{4}-[0-9]{2}-[0-9]{2}$' bag-info.txt
      grep -qE '^Bag-Software-Agent: avjob [0-9.]+$' bag-info.txt
      """)
    let before = try stage.make("stat -c '%n %i %Y' bags/masters bags/masters/*").text
    for options in ["", "--force", "--checksum"] {
      let again = try stage.run("avjob run -q \(options) job.yaml")
      #expect(again.status == 0 && again.errors == "", "\(options): \(again.errors)")
    }
    #expect(try stage.make("stat -c '%n %i %Y' bags/masters bags/masters/*").text == before)
    #expect(try stage.run("avjob verify bags").status == 0)
  }

  @Test("a bag is valid for bagit.py", .enabled(if: hasValidator, "bagit.py is not installed"))
  func validator() throws {
    let stage = try stage()
    try stage.make("avjob run -q job.yaml; bagit.py --validate bags/masters")
    try stage.make("printf x >> bags/masters/data/a.flac")
    #expect(try stage.run("bagit.py --validate bags/masters").status != 0)
    #expect(try stage.run("avjob verify -q bags").status == 1)
    // A bag that bagit.py has made.
    try stage.make("mkdir other; cp out/*.flac other; bagit.py --sha256 other")
    #expect(try stage.run("avjob verify -q other").status == 0)
  }

  @Test("a bag that is another one is refused, and so is what is no bag")
  func refused() throws {
    let stage = try stage()
    try stage.make("avjob run -q job.yaml")
    let before = try stage.make("find bags -type f | sort | xargs -d '\\n' sha256sum").text
    try stage.make("sox -R -r 8000 -n -c 1 a.wav synth 0.4 pinknoise")
    let other = try stage.run("avjob run -q job.yaml")
    #expect(other.status == 2)
    #expect(other.errors.contains("exists, and has another 'data/a.flac'"), "\(other.errors)")
    #expect(other.errors.contains("a bag is never replaced"))
    #expect(
      try stage.make("find bags -type f | sort | xargs -d '\\n' sha256sum").text == before)
    try stage.make("rm b*.wav")
    #expect(try stage.run("avjob run -q job.yaml").errors.contains("'data/b c.flac', which is no"))
    try stage.make("rm -r bags; mkdir -p bags/masters; touch bags/masters/x")
    let folder = try stage.run("avjob run -q job.yaml")
    #expect(folder.status == 2 && folder.errors.contains("exists, and is no bag"))
    for command in ["check", "plan"] {
      let told = try stage.run("avjob \(command) job.yaml")
      #expect(told.status == 2 && told.errors.contains("exists, and is no bag"), "\(told.errors)")
    }
    let counted = try stage.run(
      """
      avjob check --json job.yaml 2>/dev/null |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["jobs"] > 0)'
      """)
    #expect(counted.text == "True\n")
    let within = try stage.run(
      "rm -r bags; sed -i 's/folder: out/folder: bags\\/masters/' job.yaml; avjob run -q job.yaml")
    #expect(within.status == 2 && within.errors.contains("which holds copies"))
  }

  @Test("a bag with a damaged copy or other facts than the job's is refused")
  func differing() throws {
    let stage = try stage("a")
    try stage.make("avjob run -q job.yaml")
    let copy = "bags/masters/data/a.flac"
    try stage.make("printf XY | dd of=\(copy) bs=1 seek=200 conv=notrunc status=none")
    let damaged = "exists, and its 'data/a.flac' has other bytes than its manifest says"
    let other = try stage.run("avjob run -q job.yaml")
    #expect(other.status == 2 && other.errors.contains(damaged), "\(other.errors)")
    // Size and time are the file's.
    let decayed = try stage.run("touch -r out/a.flac \(copy); avjob run -q --checksum job.yaml")
    #expect(decayed.status == 2 && decayed.errors.contains(damaged), "\(decayed.errors)")
    let restored = try stage.run("cp out/a.flac \(copy); avjob run -q job.yaml")
    #expect(restored.status == 0, "the same bytes at another time: \(restored.errors)")

    for (edit, label) in [
      ("s/Archive X/Archive Y/", "Source-Organization"),
      (#"s/"1", "2"/"2", "1"/"#, "External-Identifier"),
      (#"s/, External[^]]*]//"#, "External-Identifier"),
      ("s/X,/X, Contact-Name: A,/", "Contact-Name"),
    ] {
      try stage.make("sed '\(edit)' job.yaml > other.yaml")
      for command in ["check", "run -q"] {
        let result = try stage.run("avjob \(command) other.yaml")
        #expect(result.status == 2, "\(edit), \(command)")
        #expect(
          result.errors.contains("its 'bag-info.txt' has another '\(label)' than the job"),
          "\(edit), \(command): \(result.errors)")
      }
    }
    let order = #"s/{ \(Source[^,]*\), \(External[^]]*]\)/{ \2, \1/"#
    let turned = try stage.run("sed '\(order)' job.yaml > other.yaml; avjob run -q other.yaml")
    #expect(turned.status == 0, "\(turned.errors)")
  }

  @Test("jobs that fail or are left out make no bag")
  func incomplete() throws {
    let stage = try stage()
    try stage.make("head -c 3000 /dev/urandom > z.wav")
    let result = try stage.run("avjob run --keep-going job.yaml")
    #expect(result.status == 1)
    #expect(result.errors.contains("is not made: some of its jobs are not done"))
    #expect(try stage.run("ls -A bags").status != 0)
    try stage.make("rm z.wav")
    #expect(try stage.run("avjob run --only all job.yaml; ls bags").status != 0)
    let option = try stage.run(
      "sed -i 1,3d job.yaml; avjob run -q --bag b2 job.yaml")
    #expect(option.status == 0, "\(option.errors)")
    #expect(try stage.run("avjob verify -q b2").status == 0)
  }

  @Test("a bag that is killed while it is made leaves none, and the next run makes it")
  func killed() throws {
    let stage = try stage()
    try stage.make("avjob run -q job.yaml; rm -r bags")
    for _ in 0..<4 {
      let left = try stage.run(
        """
        timeout -s KILL 0.$((RANDOM % 10 + 2)) "$AVJOB" run -q job.yaml
        test ! -e bags/masters || avjob verify -q bags/masters
        """)
      #expect(left.status == 0, "\(left.text)")
    }
    try stage.make(
      """
      mkdir -p bags/.masters.avjob-x-1.tmp/data
      touch -d '3 days ago' bags/.masters.avjob-x-1.tmp
      """)
    let result = try stage.run("avjob run -q job.yaml; ls -A bags; avjob verify -q bags")
    #expect(result.status == 0 && result.text == "masters\n", "\(result.text) \(result.errors)")
  }

  @Test("names with percent signs and line ends are encoded, and proved")
  func names() throws {
    let stage = try stage("'100%' '%0A' $'two\\nlines'")
    try stage.make("avjob run -q job.yaml")
    let manifest = try stage.make("cut -c67- bags/masters/manifest-sha256.txt").text
    #expect(manifest == "data/%250A.flac\ndata/100%25.flac\ndata/two%0Alines.flac\n")
    #expect(try stage.run("avjob verify -q bags").status == 0)
  }

  @Test("one byte in a bag of a thousand files is found, and files that do not belong there")
  func rottedByte() throws {
    let stage = Stage()
    try stage.make(
      """
      mkdir -p bag/data; cd bag
      for i in $(seq 1000); do echo "file $i" > data/$i.txt; done
      find data -type f | xargs sha256sum > manifest-sha256.txt
      printf 'BagIt-Version: 1.0\\nTag-File-Character-Encoding: UTF-8\\n' > bagit.txt
      echo "Payload-Oxum: $(cat data/* | wc -c).1000" > bag-info.txt
      """)
    let fine = try stage.run("avjob verify bag")
    #expect(fine.status == 0, "\(fine.text.suffix(200))")
    #expect(fine.text.hasSuffix("1002 files: 1000 ok, 2 unknown\n"), "\(fine.text.suffix(200))")
    try stage.make("printf F | dd of=bag/data/617.txt bs=1 conv=notrunc status=none")
    let rotted = try stage.run("avjob verify -q bag")
    #expect(rotted.status == 1 && rotted.text.hasPrefix("changed    bag/data/617.txt\n"))
    #expect(rotted.text.split(separator: "\n").count == 4)
    #expect(try stage.run("avjob verify -q bag/data").text == rotted.text, "by its manifest")
    try stage.make(
      """
      printf f | dd of=bag/data/617.txt bs=1 conv=notrunc status=none
      touch bag/data/new; rm bag/data/1.txt; ln -s 2.txt bag/data/l
      """)
    let other = try stage.run("avjob verify -q bag")
    #expect(other.status == 1)
    #expect(other.text.contains("wrong      bag/bag-info.txt: has Payload-Oxum"))
    #expect(other.text.contains("missing    bag/data/1.txt\n"))
    #expect(other.text.contains("unknown    bag/data/new\n"))
    #expect(other.text.contains("refused    bag/data/l: is a symbolic link"))
    let listed = try stage.run("sha256sum bag/data/new > SHA256SUMS; avjob verify -q bag")
    #expect(listed.text == other.text, "its manifest does not name it")
  }

  @Test(
    "a bag's fields are found in any case and on folded lines",
    arguments: [
      ("payload-oxum: 5.1", "ok"), ("PAYLOAD-OXUM: 6.1", "has PAYLOAD-OXUM 6.1, and"),
      ("Payload-Oxum:\n  5.1", "ok"), ("Payload-Oxum:\n\t 6.1", "has Payload-Oxum 6.1, and"),
      ("Source: a\n  payload-oxum: 6.1", "ok"),
    ])
  func fields(text: String, found: String) throws {
    let stage = Stage()
    try stage.write("bag-info.txt", text + "\n")
    try stage.make(
      """
      mkdir -p bag/data; mv bag-info.txt bag; cd bag
      echo text > data/a
      sha256sum data/a > manifest-sha256.txt
      printf 'BagIt-Version: 1.0\\nTag-File-Character-Encoding: UTF-8\\n' > bagit.txt
      """)
    let result = try stage.run("avjob verify bag")
    #expect(result.status == (found == "ok" ? 0 : 1), "\(result)")
    #expect(result.text.contains(found), "\(result)")
  }
}
