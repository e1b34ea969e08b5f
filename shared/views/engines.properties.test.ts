import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { events, historicSpec, spec } from './engines.fixtures.ts'
import { createEngine, type Engine, loadSpec, type ObjectEvent, type Outcome } from './index.ts'

const textOf = (value: unknown): string => JSON.stringify(value)

/** Sorts the problems of an outcome, as they have no order among each other. */
const comparable = ({ problems, ...outcome }: Outcome): object => ({
  ...outcome,
  problems: problems.map(textOf).sort(),
})

const engines = (text: string): [Engine, Engine] => [
  createEngine(loadSpec(text), { mode: 'incremental' }),
  createEngine(loadSpec(text), { mode: 'snapshot' }),
]

const viewsOf = (engine: Engine): string[] => engine.views().map(textOf).sort()

function expectSameOutcomes(text: string, changes: readonly ObjectEvent[]): void {
  const [incremental, snapshot] = engines(text)
  for (const change of changes) {
    expect(comparable(incremental.apply(change))).toEqual(comparable(snapshot.apply(change)))
  }
  expect(viewsOf(incremental)).toEqual(viewsOf(snapshot))
  expect(comparable(incremental.sync())).toEqual(comparable(snapshot.sync()))
}

const identity = ({ object }: ObjectEvent): string => {
  const { kind, metadata } = object as { kind: string; metadata: { namespace: string; name: string } }
  return `${kind} ${metadata.namespace}/${metadata.name}`
}

/** Returns the last event of each object that still exists, in another order than they came. */
function living(changes: readonly ObjectEvent[]): ObjectEvent[] {
  const last = new Map(changes.map((change) => [identity(change), change]))
  return [...last.values()].filter(({ type }) => type !== 'Deleted').reverse()
}

describe('the incremental and the snapshot engine', () => {
  it('give the same deltas and problems for any spec and any events', () => {
    fc.assert(fc.property(spec, events, expectSameOutcomes), { numRuns: 120 })
  })

  it('give the same with predicates and Patchers', () => {
    fc.assert(fc.property(historicSpec, events, expectSameOutcomes), { numRuns: 60 })
  })
})

/** What both engines do, which give the same. */
describe('an engine', () => {
  it('has views that follow from its events alone, and are those of a fresh engine that sees only what is left, in any order', () => {
    fc.assert(
      fc.property(spec, events, (text, changes) => {
        const engine = createEngine(loadSpec(text))
        const objects = new Map<string, string>()
        for (const event of changes.flatMap((change) => engine.apply(change).view)) {
          const { kind, metadata } = event.object
          const key = `${kind} ${metadata.namespace}/${metadata.name}`
          expect(objects.get(key)).toBe(event.old && textOf(event.old))
          if (event.type === 'Deleted') objects.delete(key)
          else objects.set(key, textOf(event.object))
        }
        expect([...objects.values()].sort()).toEqual(viewsOf(engine))
        const fresh = createEngine(loadSpec(text))
        for (const change of living(changes)) fresh.apply(change)
        expect(viewsOf(engine)).toEqual(viewsOf(fresh))
      }),
      { numRuns: 60 },
    )
  })

  it.each(['incremental', 'snapshot'] as const)('gives in one go what it gives one by one: %s', (mode) => {
    fc.assert(
      fc.property(spec, events, (text, changes) => {
        const [oneByOne, inOneGo] = [
          createEngine(loadSpec(text), { mode }),
          createEngine(loadSpec(text), { mode }),
        ]
        for (const change of changes) oneByOne.apply(change)
        inOneGo.apply(...changes)
        expect(viewsOf(inOneGo)).toEqual(viewsOf(oneByOne))
      }),
      { numRuns: 40 },
    )
  })
})
