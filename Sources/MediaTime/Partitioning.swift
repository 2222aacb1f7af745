extension RandomAccessCollection where Index == Int {
  /// The first element for which `isInSecond` holds, where it holds for all after it. O(log n).
  package func partitioningIndex(where isInSecond: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if isInSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
