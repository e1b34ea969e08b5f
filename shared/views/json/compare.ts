/**
 * Moves a UTF-16 unit to its place in UTF-8's order. UTF-16 puts the halves of surrogate pairs before U+E000
 * to U+FFFF, UTF-8 after them.
 */
function inByteOrder(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800
  return unit >= 0xd800 ? unit + 0x2000 : unit
}

/** Compares texts by their UTF-8 bytes, as Go does. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) return inByteOrder(left) - inByteOrder(right)
  }
  return a.length - b.length
}
