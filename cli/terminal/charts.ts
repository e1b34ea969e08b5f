/** A full block, and before it the seven that fill a part of one, from an eighth on. */
const EIGHTHS = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'] as const
const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const

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

/**
 * Draws a character for each value, as high as its share of the largest. If there are more values than room,
 * it shows the largest of each stretch.
 * @param width in characters, at most
 */
export function sparkline(values: readonly number[], width: number): string {
  const shown = stretches(values, width)
  const largest = Math.max(...shown, 0)
  return shown.map((value) => LEVELS[largest <= 0 ? 0 : levelOf(value / largest)] ?? '').join('')
}

const levelOf = (share: number): number =>
  Math.min(LEVELS.length - 1, Math.max(0, Math.ceil(share * LEVELS.length) - 1))

function stretches(values: readonly number[], width: number): readonly number[] {
  if (values.length <= width) return values
  return Array.from({ length: width }, (_, index) =>
    Math.max(
      ...values.slice(
        Math.floor((index * values.length) / width),
        Math.floor(((index + 1) * values.length) / width),
      ),
    ),
  )
}
