import type { ControlPlaneOptions } from './options.ts'

/** Refuses numbers that would do something else than they say. Throws an Error that names the option. */
export function checkOptions({ storage, eventTtlSeconds, limits }: ControlPlaneOptions): void {
  check('storage.historyWindow', storage?.historyWindow, COUNT)
  check('eventTtlSeconds', eventTtlSeconds, POSITIVE)
  check('limits.reads', limits?.reads, COUNT)
  check('limits.writes', limits?.writes, COUNT)
  check('limits.timeoutSeconds', limits?.timeoutSeconds, POSITIVE)
}

interface Kind {
  readonly text: string
  readonly has: (value: number) => boolean
}

const COUNT: Kind = {
  text: 'a whole number, 0 or more',
  has: (value) => Number.isSafeInteger(value) && value >= 0,
}
const POSITIVE: Kind = {
  text: 'a number above 0',
  has: (value) => Number.isFinite(value) && value > 0,
}

function check(name: string, value: number | undefined, { text, has }: Kind): void {
  if (value === undefined || has(value)) return
  throw new TypeError(`failed to make a control plane: ${name} must be ${text}, not ${String(value)}`)
}
