import MediaComposition

extension ChannelMatrix {
  /// The matrix from the channels that `selection` leaves of `source` to `target`; nil where there
  /// is no such channel.
  init?(from source: ChannelLayout, selecting selection: ChannelSelection, to target: ChannelLayout)
  {
    switch selection {
    case .layout(let layout):
      self = ChannelMatrix(from: layout, to: target).after(ChannelMatrix(from: source, to: layout))
    case .channel(let index):
      guard source.channels.indices.contains(index) else { return nil }
      let picked = source.channels.indices.map { $0 == index ? Float(1) : 0 }
      self = ChannelMatrix(from: .mono, to: target).after(ChannelMatrix(weights: [picked]))
    }
  }

  /// The product: `first`, then this matrix.
  func after(_ first: ChannelMatrix) -> ChannelMatrix {
    ChannelMatrix(
      weights: weights.map { row in
        (first.weights.first ?? []).indices.map { source in
          zip(row, first.weights).reduce(0) { $0 + $1.0 * $1.1[source] }
        }
      })
  }

  /// Whether each channel is at most one of the source's, unchanged.
  var isPermutation: Bool {
    weights.allSatisfy { row in
      row.allSatisfy { $0 == 0 || $0 == 1 } && row.reduce(0, +) <= 1
    }
  }

  /// Whether every channel stays as it is.
  package var isIdentity: Bool {
    weights.count == weights.first?.count
      && weights.enumerated().allSatisfy { target, row in
        row.enumerated().allSatisfy { $0.element == ($0.offset == target ? 1 : 0) }
      }
  }
}
