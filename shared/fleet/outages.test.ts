import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withConditions } from './index.ts'
import { outageEvents, outageVerdicts, toldOutages } from './outages.ts'
import type { ServiceImport } from './resources.ts'

const KEPT = 'its endpoints stay as they were'
const GONE = 'its endpoints are left out'

/** Makes an import that tells of these outages. */
function importWith(outages: Readonly<Record<string, string>>, version = '1'): ServiceImport {
  const verdicts = outageVerdicts(new Map(Object.entries(outages)))
  const conditions = withConditions([], verdicts, { now: '2026-01-01T00:00:00Z', generation: 1 }) ?? []
  return { metadata: { name: 'web', resourceVersion: version }, status: { conditions } }
}

const eventsOf = (before: ServiceImport | undefined, outages: Readonly<Record<string, string>>): string[] =>
  outageEvents(before, importWith(outages, '2'), new Map(Object.entries(outages))).map(
    ({ type, reason, message }) => `${type} ${reason} ${message.split(':')[0]}`,
  )

describe('the outages that an import tells of', () => {
  const id = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/)

  it('are read back whatever clusters they are of, and what is said of these', () => {
    fc.assert(
      fc.property(fc.dictionary(id, fc.constantFrom(KEPT, GONE)), (outages) => {
        expect([...toldOutages(importWith(outages))].sort()).toEqual(Object.keys(outages).sort())
      }),
    )
  })

  it('say the same in any order, so that nothing is written twice', () => {
    const entries = [
      ['us-1', KEPT],
      ['eu-1', GONE],
    ] as const
    const verdicts = outageVerdicts(new Map(entries))
    expect(verdicts).toEqual(outageVerdicts(new Map(entries.toReversed())))
    expect(verdicts[0]?.message).toBe(`eu-1 cannot be reached: ${GONE}; us-1 cannot be reached: ${KEPT}`)
    expect(outageVerdicts(new Map())).toEqual([])
  })

  it('are an Event when one begins and when it is over, and none while it lasts', () => {
    expect(eventsOf(undefined, {})).toEqual([])
    expect(eventsOf(importWith({}), { 'us-1': KEPT })).toEqual([
      'Warning ClusterUnreachable cluster us-1 cannot be reached',
    ])
    expect(eventsOf(importWith({ 'us-1': KEPT }), { 'us-1': KEPT })).toEqual([])
    expect(eventsOf(importWith({ 'us-1': KEPT }), { 'us-1': GONE })).toEqual([])
    expect(eventsOf(importWith({ 'us-1': KEPT }), { 'us-1': KEPT, 'eu-1': KEPT })).toEqual([
      'Warning ClusterUnreachable cluster eu-1 cannot be reached',
    ])
    expect(eventsOf(importWith({ 'us-1': KEPT, 'eu-1': KEPT }), { 'eu-1': KEPT })).toEqual([
      'Normal ClusterReachable cluster us-1 can be reached again, or is no longer in the cluster set',
    ])
  })

  it('have room in a condition, however many there are', () => {
    const outages = Object.fromEntries(
      Array.from({ length: 2000 }, (_, n) => [`c-${n}-${'x'.repeat(50)}`, KEPT]),
    )
    const [verdict] = outageVerdicts(new Map(Object.entries(outages)))
    expect(verdict?.message.length).toBeLessThan(32_768)
    expect(eventsOf(importWith(outages), outages)).toEqual([])
  })

  it('are of ids alone, whatever others write into a status', () => {
    const message = 'us-1 cannot be reached: x; <b>us-2 cannot be reached: x; US cannot be reached: x'
    const { status } = importWith({ 'us-1': KEPT })
    const conditions = (status?.conditions ?? []).map((condition) => ({ ...condition, message }))
    expect([...toldOutages({ status: { conditions } })]).toEqual(['us-1'])
  })

  it('are none where a status says what nobody of us wrote', () => {
    for (const message of [undefined, 7, 'us-1 is fine'])
      expect([
        ...toldOutages({
          status: { conditions: [{ type: 'sliceflow.dev/UnreachableClusters', message }] },
        } as never),
      ]).toEqual([])
  })
})
