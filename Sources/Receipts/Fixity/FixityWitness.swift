import Diagnosis
import Files
import JSON
import LibAV
import MediaComposition
import SystemPackage

/// What a file is to be, and which file says so.
package struct FixityClaim: Sendable, Hashable {
  /// SHA-256; nil: the witness has none.
  package var digest: [UInt8]?
  /// Bytes; nil: the witness does not say.
  package var size: Int64?
  /// When it was modified, in nanoseconds since 1970, of a text that a receipt names: who edits a text
  /// changes its size or this time, and older receipts are then right to have another digest. Nil: the
  /// claim holds whatever the time is.
  package var textTime: Int64?
  /// The receipt, record or list that says so.
  package var witness: FilePath

  /// The digest in hexadecimal digits.
  package var digestText: String? { digest?.hexadecimal }
}

/// A file that says what other files are to be: a receipt, a record, or a list of digests.
struct FixityWitness {
  /// What it says of a file.
  struct Statement {
    var path: FilePath
    var claim: FixityClaim
    /// Why the file is not looked at; nil: it is.
    var refusal: String?
  }

  enum Kind {
    case receipt, record, list
  }

  var statements: [Statement] = []
  /// How many addresses of servers it names.
  var addressCount = 0
  /// What is wrong with it.
  var faults: [String] = []

  /// What kind a file is; nil where it is none. Of a list only the name counts where it is not
  /// `isNamedByUser`.
  static func kind(of path: FilePath, isNamedByUser: Bool) -> Kind? {
    guard let name = path.lastComponent else { return nil }
    if DigestList.isName(name) { return .list }
    if name.extension == "json" {
      let isReceipt = path.removingLastComponent().ends(with: ".avjob/receipts")
      if isReceipt, Ledger.isName(ofReceipt: name) { return .receipt }
      return WrittenKind.isRecord(beginningOf: path) ? .record : nil
    }
    guard isNamedByUser else { return nil }
    return DigestList.isBegun(by: PathCalls.beginning(of: path)) ? .list : nil
  }

  /// Reads a witness of a kind. A file of a record's beginning that is none says nothing.
  static func read(_ path: FilePath, as kind: Kind) -> FixityWitness {
    switch kind {
    case .receipt: receipt(path)
    case .record: record(path)
    case .list: list(path)
    }
  }

  // MARK: Receipts

  /// What a receipt says: its paths count from the folder that `.avjob` is in.
  private static func receipt(_ path: FilePath) -> FixityWitness {
    var witness = FixityWitness()
    guard let receipt = Receipt.read(path) else {
      witness.faults.append("cannot be read as a receipt: it is damaged, or of another avjob")
      return witness
    }
    let folder = path.removingLastComponent().removingLastComponent().removingLastComponent()
    let texts = receipt.texts ?? []
    let files = (receipt.files + receipt.sources).map { (file: $0, textTime: Int64?.none) }
    for (file, textTime) in files + texts.map({ ($0, $0.modified) }) {
      guard let relative = file.path.file else {
        witness.addressCount += 1
        continue
      }
      let claim = FixityClaim(
        digest: file.sha256.flatMap { [UInt8](hexadecimal: $0) }, size: file.size,
        textTime: textTime, witness: path)
      witness.statements.append(Statement(path: folder.pushing(relative), claim: claim))
    }
    return witness
  }

  // MARK: Records

  /// Bytes of a record that is read; one of a thousand outputs has a few million.
  private static let largestRecord = 64_000_000

  /// What a record says (docs/json.md): its paths count from its own folder.
  private static func record(_ path: FilePath) -> FixityWitness {
    var witness = FixityWitness()
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try PathCalls.contents(of: path, limit: largestRecord)
    } catch {
      witness.faults.append("cannot be read: \(error)")
      return witness
    }
    guard let document = try? JSONValue(reading: bytes) else {
      witness.faults.append("cannot be read as a record: it is damaged")
      return witness
    }
    // Reports and plans begin in the same way, and are no records.
    guard document["versions"]?["avjob"] != nil,
      let sources = document["sources"]?.elements, let outputs = document["outputs"]?.elements
    else { return witness }
    let beside = ["chapter_files", "transcript_files", "silence_files"]
    let files =
      outputs
      + outputs.flatMap { output in
        beside.flatMap { output[$0]?.elements ?? [] }
      }
    for file in files + sources {
      guard let relative = file.filePath else {
        if file["url"] != nil { witness.addressCount += 1 }
        continue
      }
      let claim = FixityClaim(
        digest: file["sha256"]?.text.flatMap { [UInt8](hexadecimal: $0) },
        size: file["bytes"]?.integer, witness: path)
      witness.statements.append(
        Statement(path: path.removingLastComponent().pushing(relative), claim: claim))
    }
    return witness
  }

  // MARK: Lists

  /// What a list says of files below its own folder. Others are refused: a list may come from a
  /// stranger.
  private static func list(_ path: FilePath) -> FixityWitness {
    var witness = FixityWitness()
    let folder = path.removingLastComponent()
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try PathCalls.contents(of: path, limit: DigestList.largestSize)
    } catch {
      witness.faults.append("cannot be read: \(error)")
      return witness
    }
    let isOfBag = Bag.isBag(folder) && path.lastComponent.map(Bag.lists.contains) == true
    let list = DigestList(bytes, form: isOfBag ? .bag : .sums)
    var links = LinkSearch(below: folder)
    for line in list.lines {
      var name = line.name
      // Older bags encode no '%'.
      if let literal = line.literal, folder.pushing(name).isMissing,
        !folder.pushing(literal).isMissing
      {
        name = literal
      }
      let claim = FixityClaim(digest: line.digest, size: nil, witness: path)
      witness.statements.append(
        Statement(path: folder.pushing(name), claim: claim, refusal: links.refusal(of: name)))
    }
    witness.faults += list.faults.prefix(20).map { "line \($0) is no digest and name" }
    if list.faults.count > 20 {
      witness.faults.append("\(list.faults.count - 20) more lines are no digest and name")
    }
    return witness
  }
}

/// Finds names that lead out of a folder, or through a link.
struct LinkSearch {
  private let root: FilePath
  /// Folders that were reached, from the root, through no link.
  private var plain: Set<FilePath> = []

  init(below root: FilePath) { self.root = root }

  /// Why a name is not followed; nil where it is.
  mutating func refusal(of name: FilePath) -> String? {
    guard !name.isAbsolute, !name.components.contains(where: { $0.kind == .parentDirectory }),
      name.lastComponent?.kind == .regular
    else { return "leads out of the folder of its list" }
    var reached = FilePath()
    for component in name.components where component.kind == .regular {
      reached.append(component)
      if plain.contains(reached) { continue }
      let status = try? FileStatus(at: root.pushing(reached), followingLinks: false)
      if status?.kind == .link {
        return "is reached through a symbolic link, which is not followed"
      }
      if status?.kind == .folder { plain.insert(reached) }
    }
    return nil
  }
}

extension JSONValue {
  /// The path of an object that `JSONValue.file` has made.
  fileprivate var filePath: FilePath? {
    if let digits = self["path_hex"]?.text, let bytes = [UInt8](hexadecimal: digits),
      !bytes.contains(0)
    {
      return FilePath(bytes: bytes)
    }
    return self["path"]?.text.map { FilePath($0) }
  }
}
