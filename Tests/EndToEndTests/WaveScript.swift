import TestSupport

extension Stage {
  /// What a program in Python prints, in which `make(path, levels, mask)` writes a WAV of half a second
  /// with a sine of another pitch in each channel, and `wave(path)` reads channels, mask and peaks.
  func waves(_ body: String) throws -> String {
    try write("run.py", functions + body + "\n")
    return try make("python3 run.py").text
  }
}

private let functions = """
  import math, struct, sys
  def wave(path):
    data = open(path, 'rb').read()
    at = data.index(b'fmt ') + 8
    channels, bits = struct.unpack('<H', data[at + 2:at + 4])[0], struct.unpack('<H', data[at + 14:at + 16])[0]
    mask = struct.unpack('<I', data[at + 20:at + 24])[0] if data[at:at + 2] == b'\\xfe\\xff' else None
    start = data.index(b'data') + 8
    assert bits == 16
    numbers = struct.unpack('<%dh' % ((len(data) - start) // 2), data[start:])
    return channels, mask, [max(abs(x) for x in numbers[c::channels]) for c in range(channels)]
  def make(path, levels, mask=None):
    count = len(levels)
    frames = b''.join(struct.pack('<%dh' % count, *(int(32767 * level
      * math.sin(2 * math.pi * 220 * (c + 1) * n / 48000)) for c, level in enumerate(levels)))
      for n in range(24000))
    plain = struct.pack('<HIIHH', count, 48000, 96000 * count, 2 * count, 16)
    if mask is None: fmt = struct.pack('<H', 1) + plain
    else: fmt = (struct.pack('<H', 0xFFFE) + plain + struct.pack('<HHIH', 22, 16, mask, 1)
      + bytes.fromhex('000000001000800000aa00389b71'))
    open(path, 'wb').write(b'RIFF' + struct.pack('<I', 20 + len(fmt) + len(frames)) + b'WAVEfmt '
      + struct.pack('<I', len(fmt)) + fmt + b'data' + struct.pack('<I', len(frames)) + frames)

  """
