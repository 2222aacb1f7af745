import Diagnosis
import Files
import Glibc
import MediaComposition
import MediaTime
import SystemPackage

/// The files that are to be proved, and what receipts, records and lists say of each. Reads no file
/// that is to be proved, and changes nothing. One thread at a time.
package struct FixityInventory {
  /// A file to be proved.
  struct Item {
    /// As it is opened, and shown.
    var path: FilePath
    /// None: no witness names it.
    var claims: [FixityClaim] = []
    /// Why it is not looked at; nil: it is.
    var refusal: String?
    /// Whether it is wrong that no witness names it.
    var mustBeNamed = false
    /// Whether the digest of its own sound proves it: what a bag's manifest does not name is no part of
    /// the bag, whatever it is.
    var mayProveItself = true
    /// The list that has to name it, whatever others do: a bag's manifest; nil: none has to.
    var manifest: FilePath?
  }

  /// What is wrong with a witness or a bag.
  package struct Fault: Sendable, Hashable {
    /// The file or folder.
    package var path: FilePath
    /// What is wrong, to stand after it.
    package var reason: String
  }

  private(set) var items: [Item] = []
  /// What is wrong with witnesses and bags.
  package private(set) var faults: [Fault] = []
  /// How many addresses of servers witnesses name: these are not proved.
  package private(set) var addressCount = 0
  /// The numbers of items, by where they lie.
  private var numbers: [FilePath: Int] = [:]
  private var witnesses: Set<FilePath> = []
  /// Files of folders that no witness has named so far.
  private var others: [Item] = []
  private var realFolders: [FilePath: FilePath] = [:]
  /// What the witnesses of a folder say, by where the files lie.
  private var sayings: [FilePath: Sayings] = [:]

  /// What witnesses say of files, by where these lie.
  private struct Sayings {
    let statements: [FilePath: [FixityWitness.Statement]]
    /// Where the files lie, in the order of bytes: those of a folder lie side by side.
    private let places: [FilePath]

    init(_ statements: [FilePath: [FixityWitness.Statement]]) {
      self.statements = statements
      places = statements.keys.map { (path: $0, bytes: $0.bytes) }
        .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map(\.path)
    }

    /// The files below a folder.
    func places(below folder: FilePath) -> ArraySlice<FilePath> {
      // What a folder's name is followed by may precede '/', as in `a-b` beside `a`.
      let prefix = folder.components.isEmpty ? folder.bytes : folder.bytes + [UInt8(ascii: "/")]
      let first = places.partitioningIndex { !$0.bytes.lexicographicallyPrecedes(prefix) }
      return places[first...].prefix { $0 != folder && $0.starts(with: folder) }
    }
  }

  /// Nothing to be proved yet.
  package init() {}

  /// How many files there are.
  package var count: Int { items.count }

  /// Adds what an argument stands for: all that the witnesses in a folder name, all that a witness
  /// names, or a file. What the witnesses above a folder say of the files in it counts as well, as what
  /// those beside a file and above it do.
  ///
  /// - Throws: The system's error for a path at which nothing can be looked at; a file that is missing
  ///   is to be proved.
  /// - Complexity: O(entries + lines of witnesses)
  package mutating func add(_ path: FilePath) throws(Errno) {
    let kind: FileStatus.Kind?
    do throws(Errno) {
      kind = try FileStatus(at: path).kind
    } catch {
      guard error == .noSuchFileOrDirectory else { throw error }
      kind = nil
    }
    guard kind != .folder else {
      let folder = path == "." ? "" : path
      try addFolder(folder)
      return noteSayings(above: folder)
    }
    if kind == .file, let witness = FixityWitness.kind(of: path, isNamedByUser: true) {
      read(path, as: witness)
    } else {
      addFile(path)
    }
  }

  /// Ends the adding: files of folders that no witness has named are items, too.
  package mutating func finish() {
    for other in others {
      let key = key(of: other.path)
      if let number = numbers[key] {
        // What a bag's manifest does not name is no part of the bag.
        if let manifest = other.manifest, !isNamed(number, by: manifest) { items[number] = other }
        continue
      }
      guard !witnesses.contains(key) else { continue }
      numbers[key] = items.count
      items.append(other)
    }
    others = []
    items.sort { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
    numbers = [:]
  }

  // MARK: Items

  /// Where a file lies, whatever links lead to its folder.
  private mutating func key(of path: FilePath) -> FilePath {
    guard let name = path.lastComponent, name.kind == .regular else {
      return path.normalized(in: .current)
    }
    return place(of: path.removingLastComponent()).appending(name)
  }

  /// Where a folder lies, behind all links.
  private mutating func place(of folder: FilePath) -> FilePath {
    if let known = realFolders[folder] { return known }
    let real = PathCalls.realPath(folder.isEmpty ? "." : folder) ?? folder.normalized(in: .current)
    realFolders[folder] = real
    return real
  }

  /// Whether a list, whatever its path is, names an item.
  private mutating func isNamed(_ number: Int, by list: FilePath) -> Bool {
    let list = key(of: list)
    for claim in items[number].claims where key(of: claim.witness) == list { return true }
    return false
  }

  private mutating func note(_ statement: FixityWitness.Statement) {
    let number = number(of: statement.path)
    // One that is noted twice changes nothing, and a table has a claim by each row's receipt.
    items[number].claims.append(statement.claim)
    items[number].refusal = items[number].refusal ?? statement.refusal
  }

  private mutating func number(of path: FilePath) -> Int {
    let key = key(of: path)
    if let number = numbers[key] { return number }
    numbers[key] = items.count
    items.append(Item(path: path.hasDots ? path.lexicallyNormalized() : path))
    return items.count - 1
  }

  private mutating func read(_ path: FilePath, as kind: FixityWitness.Kind) {
    guard witnesses.insert(key(of: path)).inserted else { return }
    let witness = FixityWitness.read(path, as: kind)
    for statement in witness.statements { note(statement) }
    addressCount += witness.addressCount
    faults += witness.faults.map { Fault(path: path, reason: $0) }
  }

  // MARK: Folders

  private mutating func addFolder(_ folder: FilePath) throws(Errno) {
    if Bag.isBag(folder) { return try addBag(folder) }
    for path in try files(in: folder, enteringBags: false) {
      if path.lastComponent == Bag.declaration {
        try addBag(path.removingLastComponent())
      } else if let kind = FixityWitness.kind(of: path, isNamedByUser: false) {
        read(path, as: kind)
      } else {
        others.append(Item(path: path))
      }
    }
  }

  /// The files and links below a folder, sorted in each, but for hidden ones; receipts are among them.
  /// A bag in it, if it is not to be entered, is its declaration alone. A folder in it that cannot be read
  /// is a fault.
  private mutating func files(
    in top: FilePath, enteringBags entersBags: Bool, withHidden: Bool = false
  ) throws(Errno) -> [FilePath] {
    var found: [FilePath] = []
    var waiting = [top]
    while let folder = waiting.popLast() {
      guard let entries = PathCalls.entries(of: folder) else {
        let error = Errno(rawValue: errno)
        guard folder != top else { throw error }
        faults.append(Fault(path: folder, reason: "cannot be read: \(error)"))
        continue
      }
      if !entersBags, entries.contains(where: { $0.name == Bag.declaration }) {
        found.append(folder.appending(Bag.declaration))
        continue
      }
      for entry in entries.sorted(by: { $0.name.string < $1.name.string }) {
        let path = folder.appending(entry.name)
        let isFolder =
          entry.type == Int(DT_DIR)
          || entry.type == Int(DT_UNKNOWN)
            && (try? FileStatus(at: path, followingLinks: false))?.kind == .folder
        let isState = entry.name.string == ".avjob"
        if entry.name.beginsWithDot, !withHidden, !isState { continue }
        if isFolder {
          waiting.append(isState && !withHidden ? path.appending("receipts") : path)
        } else {
          found.append(path)
        }
      }
      // A folder of job files need not have receipts.
      waiting.removeAll { $0.ends(with: ".avjob/receipts") && !$0.exists }
    }
    return found
  }

  // MARK: Bags

  private mutating func addBag(_ folder: FilePath) throws(Errno) {
    func fault(_ name: FilePath.Component, _ reason: String) {
      faults.append(Fault(path: folder.appending(name), reason: reason))
    }
    if let reason = Bag.declarationFault(of: folder) { fault(Bag.declaration, reason) }
    for name in [Bag.manifest, Bag.tagManifest] where folder.appending(name).exists {
      read(folder.appending(name), as: .list)
    }
    let manifest = folder.appending(Bag.manifest)
    let hasManifest = manifest.exists
    if !hasManifest {
      fault(Bag.manifest, "is not there, and avjob proves bags by SHA-256 alone")
    }
    let data = folder.appending(Bag.payload)
    var (bytes, count) = (Int64(0), 0)
    for path in try files(in: folder, enteringBags: true, withHidden: true) {
      let isPayload = path.starts(with: data)
      if isPayload {
        bytes += (try? FileStatus(at: path, followingLinks: false))?.size ?? 0
        count += 1
      } else if path.lastComponent.map(Bag.lists.contains) == true,
        path.removingLastComponent() == folder
      {
        continue
      }
      var item = Item(path: path, mustBeNamed: isPayload, mayProveItself: false)
      if isPayload, hasManifest { item.manifest = manifest }
      if (try? FileStatus(at: path, followingLinks: false))?.kind == .link, isPayload {
        item.refusal = "is a symbolic link, which is not followed"
      }
      others.append(item)
    }
    let fields = Bag.fields(of: folder.appending(Bag.info)) ?? []
    let oxum = Bag.oxum(bytes: bytes, files: count)
    for field in fields where field.isLabelled(BagLabels.oxum) && field.value != oxum {
      fault(Bag.info, "has \(field.label) \(field.value), and in data/ are \(oxum)")
    }
  }

  // MARK: Folders above

  /// Adds what the witnesses above a folder say of the files in it, and of no others.
  private mutating func noteSayings(above folder: FilePath) {
    let place = place(of: folder)
    for above in Self.foldersAbove(folder.isEmpty ? "." : folder) {
      let sayings = sayings(in: above)
      for key in sayings.places(below: place) {
        let name = FilePath(root: nil, key.components.dropFirst(place.components.count))
        for var statement in sayings.statements[key] ?? [] {
          // As the other files of the folder are shown.
          statement.path = folder.pushing(name)
          note(statement)
        }
      }
    }
  }

  /// Adds a file with what the witnesses in its folder and those above say of it.
  private mutating func addFile(_ path: FilePath) {
    let number = number(of: path)
    let key = key(of: path)
    items[number].mustBeNamed = true
    for folder in Self.foldersAbove(path) {
      for statement in sayings(in: folder).statements[key] ?? [] { note(statement) }
    }
  }

  /// The folder that a file or a folder is in and those above it, as far as a process may see them, each
  /// as it is shown.
  private static func foldersAbove(_ path: FilePath) -> [FilePath] {
    let current = FilePath.current
    let whole = path.normalized(in: current)
    var folders: [FilePath] = []
    var folder = whole.removingLastComponent()
    while folders.count < 100 {
      let isBelow = folder.starts(with: current) && !path.isAbsolute
      folders.append(isBelow ? folder.relative(to: current, in: current) : folder)
      if folder.components.isEmpty { break }
      folder.removeLastComponent()
    }
    return folders
  }

  /// What the witnesses in a folder, not below it, say.
  private mutating func sayings(in folder: FilePath) -> Sayings {
    if let known = sayings[folder] { return known }
    var found: [FilePath: [FixityWitness.Statement]] = [:]
    let receipts = folder.appending(".avjob").appending("receipts")
    for place in [folder, receipts] {
      for entry in PathCalls.entries(of: place) ?? [] {
        let path = place.appending(entry.name)
        guard let kind = FixityWitness.kind(of: path, isNamedByUser: false) else { continue }
        for statement in FixityWitness.read(path, as: kind).statements {
          found[key(of: statement.path), default: []].append(statement)
        }
      }
    }
    let all = Sayings(found)
    sayings[folder] = all
    return all
  }
}
