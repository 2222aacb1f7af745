import SystemPackage
import TestSupport
import Testing

@testable import LibAV

@Suite("SHA-256")
struct SHA256Tests {
  private func randomBytes(_ count: Int, _ dice: inout Dice) -> [UInt8] {
    dice.bytes(count)
  }

  @Test("the digest of a file is the one that sha256sum prints, at any length")
  func files() throws {
    let folder = TestFolder()
    var dice = Dice(1)
    // Around the 64 bytes of a block of the standard, and the blocks in which files are read.
    let counts = [0, 1, 55, 56, 63, 64, 65, 1000, 1 << 18, 1 << 18 + 1, 600_000]
    var names: [String] = []
    for count in counts {
      names.append(folder.path("\(count)"))
      try writeFile(folder.path("\(count)"), randomBytes(count, &dice))
    }
    let printed = try Tool.run(["sha256sum"] + names).text.split(separator: "\n")
      .map { String($0.prefix(64)) }
    let digests = try names.map { name in
      try #require(try SHA256.digest(of: FileBytes(FilePath(name)))).hexadecimal
    }
    #expect(digests == printed)
    #expect(digests.first?.hasPrefix("e3b0c44298fc1c14") == true)
  }

  @Test("bytes that come in pieces have the digest of the whole")
  func pieces() throws {
    var dice = Dice(2)
    for _ in 0..<50 {
      let bytes = randomBytes(Int(dice.number(0..<300)), &dice)
      var hash = try SHA256()
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int(dice.number(0..<70)))
        piece.withUnsafeBytes { hash.update($0) }
        rest = rest.dropFirst(piece.count)
      }
      let whole = try bytes.withUnsafeBytes { try SHA256.digest($0) }
      #expect(hash.finish() == whole)
    }
  }

  @Test("a file that is not there is the system's error, and a cancelled digest is none")
  func failures() throws {
    #expect(throws: Errno.noSuchFileOrDirectory) {
      try SHA256.digest(of: FileBytes("/nowhere/at all"))
    }
    #expect(try SHA256.digest(of: FileBytes("/dev/zero"), unless: { true }) == nil)
  }
}
