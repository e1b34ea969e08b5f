const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y

/** Parses a duration as Go writes it, such as `1m30s`, into milliseconds. Returns undefined if it is none. */
export function parseDuration(text: string): number | undefined {
  let total = 0
  let position = 0
  while (position < text.length) {
    PART.lastIndex = position
    const [part, number, unit] = PART.exec(text) ?? []
    if (part === undefined) return undefined
    total += Number(number) * (UNITS[unit ?? ''] ?? 0)
    position += part.length
  }
  return position === 0 ? undefined : total
}
