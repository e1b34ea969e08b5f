/** A full block, and before it the seven that fill a part of one, from an eighth on. */
const EIGHTHS = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'] as const

/**
 * Draws a bar as long as the value's share of the largest, in eighths of a character; anything above 0 is
 * visible.
 * @param width of the largest, in characters
 */
export function bar(value: number, largest: number, width: number): string {
  if (value <= 0 || largest <= 0) return ''
  const eighths = Math.max(1, Math.round((Math.min(value, largest) / largest) * width * 8))
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[(eighths % 8) - 1] ?? '')
}
