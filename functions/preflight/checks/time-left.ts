import { counted } from '../../explain/index.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Writes a time in its largest unit, such as `3 days`. */
export function timeLeft(ms: number): string {
  const [size, noun] = (
    [
      [DAY, 'day'],
      [HOUR, 'hour'],
      [MINUTE, 'minute'],
    ] as const
  ).find(([unit]) => ms >= unit) ?? [1_000, 'second']
  return counted(Math.max(0, Math.floor(ms / size)), noun)
}
