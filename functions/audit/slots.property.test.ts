import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ServiceKey } from '../../shared/changes/index.ts'
import { createAuditSlots, SLOT_SECONDS } from './slots.ts'

const DAY = 86_400
const name = fc.stringMatching(/^[a-z]([-a-z0-9]{0,20}[a-z0-9])?$/)
const keys: fc.Arbitrary<ServiceKey> = fc.record({ cluster: name, namespace: name, service: name })
const intervals = fc.integer({ min: SLOT_SECONDS, max: 7 * DAY })
const times = fc.integer({ min: 0, max: 4_000_000_000_000 })

/**
 * Lists the slots in which a key is sent, of as many in a row as an interval has, by their distance from the
 * first.
 */
function turnsOf(key: ServiceKey, auditInterval: number, from: number): number[] {
  const slots = createAuditSlots(auditInterval)
  const row = Array.from({ length: slots.count }, (_, index) => index)
  return row.filter((index) => {
    const slot = slots.at(from + index * SLOT_SECONDS * 1000)
    return slots.partOf(key.cluster, slot) === slots.placeOf(key).part
  })
}

describe('the slots of an audit', () => {
  it('have each key once an interval, whenever that begins, no later than an interval after its last turn', () => {
    fc.assert(
      fc.property(keys, intervals, times, (key, interval, from) => {
        const { count } = createAuditSlots(interval)
        const later = from + count * SLOT_SECONDS * 1000
        expect(count * SLOT_SECONDS).toBeLessThanOrEqual(interval)
        const turns = turnsOf(key, interval, from)
        expect(turns).toHaveLength(1)
        expect(turnsOf(key, interval, later)).toEqual(turns)
      }),
    )
  })

  it('are the same for every time within one of them', () => {
    fc.assert(
      fc.property(intervals, times, fc.nat(SLOT_SECONDS * 1000 - 1), (interval, time, later) => {
        const slots = createAuditSlots(interval)
        const begin = time - (time % (SLOT_SECONDS * 1000))
        expect(slots.at(begin + later)).toBe(slots.at(begin))
      }),
    )
  })

  it('delay each key by less than a slot, in whole seconds', () => {
    fc.assert(
      fc.property(keys, intervals, (key, interval) => {
        const { delaySeconds } = createAuditSlots(interval).placeOf(key)
        expect(Number.isInteger(delaySeconds)).toBe(true)
        expect(delaySeconds).toBeGreaterThanOrEqual(0)
        expect(delaySeconds).toBeLessThan(SLOT_SECONDS)
      }),
    )
  })

  it('spread the keys of a cluster evenly over its parts, and over the minutes of each', () => {
    const slots = createAuditSlots(DAY)
    const minutes = new Map<string, number>()
    for (let index = 0; index < 40_000; index++) {
      const { part, delaySeconds } = slots.placeOf({
        cluster: 'eu-1',
        namespace: 'shop',
        service: `s-${index}`,
      })
      const minute = `${part} ${Math.floor(delaySeconds / 60)}`
      minutes.set(minute, (minutes.get(minute) ?? 0) + 1)
    }
    expect(minutes.size).toBe(40)
    // 1,000 each: six standard deviations to either side.
    for (const count of minutes.values()) expect(Math.abs(count - 1000)).toBeLessThan(190)
  })

  it('spread clusters evenly, each with its four turns six hours apart', () => {
    const slots = createAuditSlots(DAY)
    const turns = Array.from({ length: slots.count }, () => 0)
    for (let index = 0; index < 3_600; index++) {
      const own = turns
        .map((_, slot) => slot)
        .filter((slot) => slots.partOf(`c-${index}`, slot) !== undefined)
      expect(own.map((slot) => slot % 36)).toEqual(Array(4).fill(own[0]))
      for (const slot of own) turns[slot] = (turns[slot] ?? 0) + 1
    }
    // 100 each: six standard deviations to either side.
    for (const count of turns) expect(Math.abs(count - 100)).toBeLessThan(60)
  })
})
