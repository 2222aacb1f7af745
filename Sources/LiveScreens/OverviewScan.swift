import Diagnosis
import Glibc
import Playback
import Synchronization
import Threads

/// The peaks of an entry in columns, as far as they are known.
struct Overview: Equatable {
  /// How many columns there will be; 0 before that is known.
  var columns = 0
  /// In decibels of full scale, from the first column on.
  var peaks: [Float] = []

  /// The peak of a part of the entry, from 0 to 1; nil before it is known. O(columns in it).
  func peak(from start: Double, to end: Double) -> Float? {
    guard columns > 0 else { return nil }
    let first = max(0, min(columns - 1, Int(start * Double(columns))))
    let last = max(first + 1, min(columns, Int((end * Double(columns)).rounded(.up))))
    return last <= peaks.count ? peaks[first..<last].max() : nil
  }
}

/// Finds the overviews of entries, one at a time, on a thread that yields to all others.
///
/// One thread uses it.
final class OverviewScan {
  /// Shared with the thread of one scan.
  private final class Progress: Sendable {
    let overview = Mutex(Overview())
    let cancellation = CancellationFlag()
  }

  private struct Scan {
    // Weak: a picture does not keep an item that has left the queue.
    weak var item: PlayerItem?
    let progress: Progress
    let thread: Thread?
    var isWhole: Bool {
      progress.overview.withLock { $0.columns > 0 && $0.peaks.count == $0.columns }
    }
  }

  /// The last ones; whole but for the last.
  private var scans: [Scan] = []

  /// Columns of an overview: more than most terminals have.
  private static let columns = 1000
  /// Overviews that are kept, some kilobytes each.
  private static let mostScans = 100

  deinit { scans.last?.progress.cancellation.cancel() }

  /// What is known of an item; begins to look at it if `mayBegin`, in place of another one.
  ///
  /// - Returns: The overview; nil for an item with media of servers, of which nothing is fetched for a
  ///   picture.
  func overview(of item: PlayerItem, mayBegin: Bool) -> Overview? {
    guard !item.isRemote else { return nil }
    if let known = scans.first(where: { $0.item === item }) {
      return known.progress.overview.withLock { $0 }
    }
    guard mayBegin else { return Overview() }
    begin(item)
    return Overview()
  }

  private func begin(_ item: PlayerItem) {
    if let last = scans.last, !last.isWhole {
      last.progress.cancellation.cancel()
      scans.removeLast()
    }
    scans.removeAll { $0.item == nil }
    if scans.count == Self.mostScans { scans.removeFirst() }
    let progress = Progress()
    // Without a thread to spare there is no picture. Weak, as `Scan.item`.
    let thread = try? Thread.spawn(name: "preview-overview", urgency: .idle) { [weak item] in
      // A medium that cannot be read is reported when it is played.
      try? item?.findPeaks(columns: Self.columns, cancellation: progress.cancellation) {
        count, peak in
        let decibels = peak > 0 ? 20 * log10(peak) : -.infinity
        progress.overview.withLock { overview in
          overview.columns = count
          overview.peaks.append(decibels)
        }
      }
    }
    scans.append(Scan(item: item, progress: progress, thread: thread))
  }

  /// Ends the scan that is under way, and waits for its thread for a moment.
  func end() {
    guard let last = scans.last else { return }
    last.progress.cancellation.cancel()
    last.thread?.join(until: .now + .milliseconds(200))
  }
}
