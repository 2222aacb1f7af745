/// Elements of which the least is taken first: a binary heap.
package struct Heap<Element: Comparable> {
  /// The least one; nil where there is none.
  package var least: Element? { elements.first }
  var isEmpty: Bool { elements.isEmpty }
  /// Each is no greater than those at 2i + 1 and 2i + 2.
  private var elements: [Element] = []

  /// An empty heap.
  package init() {}

  /// Adds an element. O(log n).
  package mutating func insert(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0, elements[index] < elements[(index - 1) / 2] {
      elements.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Takes the least element. O(log n).
  package mutating func takeLeast() -> Element? {
    guard let last = elements.popLast() else { return nil }
    guard let least = elements.first else { return last }
    elements[0] = last
    var index = 0
    while let child = lesserChild(of: index), elements[child] < elements[index] {
      elements.swapAt(index, child)
      index = child
    }
    return least
  }

  private func lesserChild(of index: Int) -> Int? {
    let (left, right) = (2 * index + 1, 2 * index + 2)
    guard left < elements.count else { return nil }
    return right < elements.count && elements[right] < elements[left] ? right : left
  }
}
