import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ProcessingTime } from '../../kubernetes/index.ts'
import { type Change, createChangeQueue, keyText, RateLimiter } from '../index.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const KEY = { cluster: 'a', namespace: 'shop' }
const NAMES = ['cart', 'till'] as const
const service = fc.constantFrom(...NAMES)

// So few that some change again while they wait.
const pod = fc.constantFrom('p0', 'p1', 'p2', 'p3', 'p4')

type Step =
  | { kind: 'pod'; service: string; pod: string; deferrable: boolean }
  /** Anything of the Service may have changed. */
  | { kind: 'whole' | 'written'; service: string }
  | { kind: 'pass'; ms: number }
  /** The queue does not take what it gets next. */
  | { kind: 'refuse' }

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('pod' as const), service, pod, deferrable: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('whole' as const), service }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('written' as const), service }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(300) }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'refuse' as const }) },
  ),
  { maxLength: 60 },
)
const endpoints = fc.record({ cart: fc.nat(1000), till: fc.nat(1000) })
const windows = fc.constantFrom('auto' as const, 0, 0.05, 0.2, 2)

/** A change that was added and not handed out yet; without a Pod it is of the whole Service. */
interface Added {
  readonly pod: string | undefined
  readonly deferrable: boolean
  readonly since: number
}

const LONG_AGO = Number.NEGATIVE_INFINITY

/** Model of what is handed out of one key, judged by what was added. */
class KeyModel {
  waiting: Added[] = []
  wasRefused = false
  readonly #time: Required<ProcessingTime>
  readonly #isPatient: boolean
  #handedAt = LONG_AGO
  /** Time at which patient changes were last handed out that nothing else had covered. */
  #patientAt = LONG_AGO

  constructor(time: ProcessingTime) {
    this.#time = { deferMs: 0, ...time }
    this.#isPatient = time.deferMs !== undefined
  }

  add(changed: { pod: string; deferrable: boolean } | undefined): void {
    const isAgain = this.waiting.some((each) => each.deferrable && each.pod === changed?.pod)
    const deferrable = this.#isPatient && changed?.deferrable === true && !isAgain
    this.waiting.push({ pod: changed?.pod, deferrable, since: Date.now() })
  }

  handedOut({ pods }: Change): void {
    const isCovered = (each: Added): boolean =>
      pods === undefined || (each.pod !== undefined && pods.includes(each.pod))
    const handed = this.waiting.filter(isCovered)
    const urgent = handed.filter((each) => !each.deferrable)
    const isNamedByUrgent = (each: Added): boolean =>
      urgent.some((other) => other.pod === undefined || other.pod === each.pod)
    const ripe = handed.filter((each) => each.deferrable && !isNamedByUrgent(each))
    this.waiting = this.waiting.filter((each) => !isCovered(each))

    for (const named of pods ?? []) expect(handed.map((each) => each.pod)).toContain(named)
    expect(this.waiting.filter((each) => !each.deferrable || ripe.length > 0)).toEqual([])
    if (!this.wasRefused) this.#expectRested(ripe.length > 0)
    for (const each of handed) this.#expectInTime(each, handed)
    this.#handedAt = Date.now()
    if (ripe.length > 0) this.#patientAt = Date.now()
  }

  #expectRested(isDeferrable: boolean): void {
    expect(Date.now()).toBeGreaterThanOrEqual(Math.floor(this.#handedAt + this.#time.minMs))
    if (isDeferrable)
      expect(Date.now()).toBeGreaterThanOrEqual(Math.floor(this.#patientAt + this.#time.deferMs))
  }

  /**
   * Expects a change in time; timers are whole milliseconds. What is deferred comes with what was deferred
   * before it.
   */
  #expectInTime({ since, deferrable }: Added, handed: readonly Added[]): void {
    const { maxMs, deferMs } = this.#time
    const due = Math.max(this.#handedAt + maxMs, deferrable ? since + deferMs + maxMs : LONG_AGO)
    expect(Date.now()).toBeLessThanOrEqual(Math.max(since, due + 2))
    const quietAt = Math.max(this.#handedAt + maxMs, this.#patientAt + deferMs)
    const goesAlong = deferrable && handed.some((other) => other.deferrable && other.since < since)
    if (since > quietAt + 2 && !goesAlong) expect(Date.now()).toBe(since)
  }
}

const till = (pod: string, deferrable: boolean): Step => ({ kind: 'pod', service: 'till', pod, deferrable })

/** Histories that were once reported wrongly. */
const COUNTER_EXAMPLES: [Step[], { cart: number; till: number }, 'auto'][] = [
  // What was deferred just before the key was quiet waits for its time, and what follows goes along.
  [
    [
      till('p0', true),
      { kind: 'pass', ms: 284 },
      till('p0', true),
      { kind: 'pass', ms: 219 },
      till('p2', true),
    ],
    { cart: 0, till: 133 },
    'auto',
  ],
  // What is put back is due with what rested meanwhile, not after it.
  [
    [
      till('p0', true),
      till('p0', false),
      till('p4', true),
      { kind: 'pass', ms: 283 },
      { kind: 'refuse' },
      { kind: 'pass', ms: 217 },
    ],
    { cart: 0, till: 101 },
    'auto',
  ],
]

it('hand out every change: the first of a quiet key at once, none too soon, none later than it may wait', () => {
  fc.assert(
    fc.property(steps, endpoints, windows, (history, sizes, window) => {
      const endpointCount = ({ service: name }: Pick<Change, 'service'>): number =>
        sizes[name as keyof typeof sizes]
      const limiter = new RateLimiter({ window, endpointCount, apiCallsPerSecond: 1_000 })
      const queue = createChangeQueue({ processingTime: (key) => limiter.when(key), onReady: take })
      const models = new Map<string, KeyModel>(
        NAMES.map((name) => [name, new KeyModel(limiter.when({ ...KEY, service: name }))]),
      )
      const modelOf = (name: string): KeyModel => models.get(name) as KeyModel
      let isRefusing = false

      function take(): void {
        const taken = queue.get(10)
        if (isRefusing && taken.length > 0) {
          isRefusing = false
          for (const { item } of taken) modelOf(item.service).wasRefused = true
          queue.putBack(taken)
          return
        }
        for (const { item } of taken) modelOf(item.service).handedOut(item)
      }

      function add(service: string, changed?: { pod: string; deferrable: boolean }): void {
        modelOf(service).add(changed)
        const mark = changed?.deferrable && { deferrable: true as const }
        const cause = changed && { pods: [changed.pod], ...mark }
        queue.add({ ...KEY, service, ...cause })
      }

      function play(step: Step): void {
        if (step.kind === 'pass') vi.advanceTimersByTime(step.ms)
        else if (step.kind === 'refuse') isRefusing = true
        else if (step.kind === 'written') queue.done(keyText({ ...KEY, service: step.service }))
        else add(step.service, step.kind === 'pod' ? step : undefined)
      }

      for (const step of history) {
        play(step)
        take()
        const keys = new Set([...queue.waiting()].map(({ item }) => item.service))
        expect(queue.length).toBe(keys.size)
      }
      isRefusing = false
      vi.advanceTimersByTime(10_000)
      take()
      expect([...models.values()].flatMap(({ waiting }) => waiting)).toEqual([])
      expect(queue.length).toBe(0)
      vi.advanceTimersByTime(10_000)
      expect(vi.getTimerCount()).toBe(0)
    }),
    { numRuns: 500, examples: COUNTER_EXAMPLES },
  )
})
