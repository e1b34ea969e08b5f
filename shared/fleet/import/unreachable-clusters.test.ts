import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withConditions } from '../index.ts'
import type { ServiceImport } from '../resources.ts'
import { type Outages, outageConditions, outageEvents, reportedOutages } from './unreachable-clusters.ts'

const KEPT = 'its endpoints stay as they were'
const GONE = 'its endpoints are left out'
const SINCE = '2026-01-01T00:00:00Z'

const outagesOf = (fates: Readonly<Record<string, string>>): Outages =>
  new Map(Object.entries(fates).map(([id, fate]) => [id, { since: SINCE, fate }]))

/** Makes an import that tells of these outages. */
function importWith(outages: Readonly<Record<string, string>>, version = '1'): ServiceImport {
  const wantedConditions = outageConditions(outagesOf(outages))
  const conditions =
    withConditions([], wantedConditions, { now: '2026-01-01T00:00:00Z', generation: 1 }) ?? []
  return { metadata: { name: 'web', resourceVersion: version }, status: { conditions } }
}

const eventsOf = (before: ServiceImport | undefined, outages: Readonly<Record<string, string>>): string[] =>
  outageEvents(before, importWith(outages, '2'), outagesOf(outages)).map(
    ({ type, reason, message }) => `${type} ${reason} ${message.split(':')[0]}`,
  )

describe('the outages that an import tells of', () => {
  const id = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/)

  it('are read back whatever clusters they are of, and what is said of these', () => {
    fc.assert(
      fc.property(fc.dictionary(id, fc.constantFrom(KEPT, GONE)), (outages) => {
        expect(Object.fromEntries(reportedOutages(importWith(outages)))).toEqual(
          Object.fromEntries(Object.keys(outages).map((id) => [id, SINCE])),
        )
      }),
    )
  })

  it('say the same in any order, so that nothing is written twice', () => {
    const outages = outagesOf({ 'us-1': KEPT, 'eu-1': GONE })
    const wantedConditions = outageConditions(outages)
    expect(wantedConditions).toEqual(outageConditions(new Map([...outages].toReversed())))
    expect(wantedConditions[0]?.message).toBe(
      `eu-1 cannot be read since ${SINCE}: ${GONE}; us-1 cannot be read since ${SINCE}: ${KEPT}`,
    )
    expect(outageConditions(new Map())).toEqual([])
  })

  it('are an Event when one begins and when it is over, and none while it lasts', () => {
    expect(eventsOf(undefined, {})).toEqual([])
    expect(eventsOf(importWith({}), { 'us-1': KEPT })).toEqual([
      'Warning ClusterUnreachable cluster us-1 cannot be read',
    ])
    expect(eventsOf(importWith({ 'us-1': KEPT }), { 'us-1': KEPT })).toEqual([])
    expect(eventsOf(importWith({ 'us-1': KEPT }), { 'us-1': GONE })).toEqual([])
    expect(eventsOf(importWith({ 'us-1': KEPT }), { 'us-1': KEPT, 'eu-1': KEPT })).toEqual([
      'Warning ClusterUnreachable cluster eu-1 cannot be read',
    ])
    expect(eventsOf(importWith({ 'us-1': KEPT, 'eu-1': KEPT }), { 'eu-1': KEPT })).toEqual([
      'Normal ClusterReachable cluster us-1 can be read again, or is no longer in the cluster set',
    ])
  })

  it('have room in a condition, however many there are', () => {
    const outages = Object.fromEntries(
      Array.from({ length: 2000 }, (_, n) => [`c-${n}-${'x'.repeat(50)}`, KEPT]),
    )
    const [wantedCondition] = outageConditions(outagesOf(outages))
    expect(wantedCondition?.message.length).toBeLessThan(32_768)
    expect(eventsOf(importWith(outages), outages)).toEqual([])
  })

  it('are of ids alone, whatever others write into a status', () => {
    const message = ['us-1', '<b>us-2', 'US', 'us-3 x'].map((id) => `${id} cannot be read since ${SINCE}: x`)
    const { status } = importWith({ 'us-1': KEPT })
    const conditions = (status?.conditions ?? []).map((condition) => ({
      ...condition,
      message: [...message, 'us-4 cannot be read since yesterday: x'].join('; '),
    }))
    expect([...reportedOutages({ status: { conditions } })]).toEqual([['us-1', SINCE]])
  })

  it('are none where a status says what nobody of us wrote', () => {
    for (const message of [undefined, 7, 'us-1 is fine'])
      expect([
        ...reportedOutages({
          status: { conditions: [{ type: 'sliceflow.dev/UnreachableClusters', message }] },
        } as never),
      ]).toEqual([])
  })
})
