/** One thing that may happen next. */
export interface Choice<S> {
  /** Returns its text for traces; most are never asked for. */
  label(): string
  take(): S | Promise<S>
}

/** Something whose every step is a choice among few, and whose states can be compared. */
export interface Model<S> {
  readonly start: S
  /** Returns the choices in a fixed order. The first of them always leads to an end. None: it has ended. */
  choices(state: S): readonly Choice<S>[]
  /** Returns a key that is equal for states from which the same things can happen. */
  key(state: S): string
  /** Returns the problems of a state. `isEnd` is true if nothing more happens by itself. */
  check(state: S, isEnd: boolean): Promise<readonly string[]> | readonly string[]
}

interface Explored {
  readonly states: number
  readonly steps: number
  readonly ends: number
}

/** A state that must never be reached, and the shortest way to it. */
export class ViolationError extends Error {
  override readonly name = 'ViolationError'
  readonly violations: readonly string[]
  readonly trace: readonly string[]

  constructor(violations: readonly string[], trace: readonly string[]) {
    const steps = trace.map((label, index) => `  ${index + 1}. ${label}`)
    super([...violations, 'after:', ...steps].join('\n'))
    this.violations = violations
    this.trace = trace
  }
}

/** The space is larger than it may be. */
class TooManyStatesError extends Error {
  override readonly name = 'TooManyStatesError'
}

interface Visit<S> {
  /** Until it is gone into. Together they would fill the memory. */
  state: S | undefined
  /** The visit and the choice by which it was reached first. */
  readonly from?: { readonly visit: number; readonly choice: number }
  /** The visits that its choices lead to. */
  readonly next: number[]
}

/**
 * Goes through every state that can be reached, breadth first. A state that was reached before, by whatever
 * other interleaving, is not gone into again. From every state an end must be within reach.
 * @throws ViolationError with a shortest trace
 * @throws TooManyStatesError
 */
export async function exploreAll<S>(model: Model<S>, maxStates: number): Promise<Explored> {
  const visits: Visit<S>[] = [{ state: model.start, next: [] }]
  const known = new Map([[model.key(model.start), 0]])
  let steps = 0
  let ends = 0

  /** Returns the visit of a state: a new one if it was not reached before. */
  function visitOf(state: S, from: Visit<S>['from']): number {
    const key = model.key(state)
    const before = known.get(key)
    if (before !== undefined) return before
    const visit = visits.push({ state, from, next: [] }) - 1
    known.set(key, visit)
    return visit
  }

  for (let visit = 0; visit < visits.length; visit++) {
    const opened = visits[visit] as Visit<S>
    const state = opened.state as S
    opened.state = undefined
    const choices = model.choices(state)
    const checked = model.check(state, choices.length === 0)
    const violations = checked instanceof Promise ? await checked : checked
    if (violations.length > 0) throw new ViolationError(violations, await traceTo(model, visits, visit))
    if (visits.length > maxStates)
      throw new TooManyStatesError(`more than ${maxStates} states: bound the scenario or raise the limit`)
    for (const [choice, { take }] of choices.entries()) {
      const taken = take()
      opened.next.push(visitOf(taken instanceof Promise ? await taken : taken, { visit, choice }))
    }
    steps += choices.length
    if (choices.length === 0) ends++
  }
  const endless = findEndless(visits)
  if (endless !== undefined)
    throw new ViolationError(['nothing ends from here on'], await traceTo(model, visits, endless))
  return { states: visits.length, steps, ends }
}

/** Finds the first visit from which no end can be reached, whatever is chosen. */
function findEndless<S>(visits: readonly Visit<S>[]): number | undefined {
  const before: number[][] = visits.map(() => [])
  for (const [visit, { next }] of visits.entries()) for (const child of next) before[child]?.push(visit)
  const ending = new Set<number>()
  const found = visits.flatMap(({ next }, visit) => (next.length === 0 ? [visit] : []))
  for (let visit = found.pop(); visit !== undefined; visit = found.pop()) {
    if (ending.has(visit)) continue
    ending.add(visit)
    found.push(...(before[visit] ?? []))
  }
  const endless = visits.findIndex((_, visit) => !ending.has(visit))
  return endless === -1 ? undefined : endless
}

/** Repeats the way to a visit, and returns its steps. */
async function traceTo<S>(model: Model<S>, visits: readonly Visit<S>[], end: number): Promise<string[]> {
  const way: number[] = []
  for (let from = visits[end]?.from; from !== undefined; from = visits[from.visit]?.from)
    way.push(from.choice)
  const labels: string[] = []
  let state = model.start
  for (const index of way.reverse()) {
    const { label, take } = model.choices(state)[index] as Choice<S>
    labels.push(label())
    state = await take()
  }
  return labels
}

/**
 * Goes one way: each number picks a choice, round and round where it is larger than there are; when there are
 * no more numbers, the first choice is taken each time.
 * @throws ViolationError
 */
export async function walk<S>(model: Model<S>, picks: readonly number[]): Promise<void> {
  const trace: string[] = []
  let state = model.start
  for (let step = 0; ; step++) {
    const choices = model.choices(state)
    const violations = await model.check(state, choices.length === 0)
    if (violations.length > 0) throw new ViolationError(violations, trace)
    const choice = choices[(picks[step] ?? 0) % choices.length]
    if (choice === undefined) return
    trace.push(choice.label())
    state = await choice.take()
  }
}
