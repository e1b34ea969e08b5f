import { describe, expect, it } from 'vitest'
import { TriggerTimeTracker } from '../index.ts'
import { aPod, aService } from '../plan.fixtures.ts'
import type { Pod } from '../types.ts'

const at = (seconds: number): string => `2026-03-01T12:00:${String(seconds).padStart(2, '0')}Z`
const reported = (seconds: number): string => at(seconds).replace('Z', '.000Z')
const service = aService({}, { creationTimestamp: at(0) })

function podAt(name: string, seconds: number): Pod {
  const pod = aPod(name)
  const condition = pod.status?.conditions?.[0]
  if (condition !== undefined) condition.lastTransitionTime = at(seconds)
  return pod
}

describe('the trigger time', () => {
  it('is the creation of a Service that is new, whatever its pods are', () => {
    expect(new TriggerTimeTracker().next(service, [podAt('a', 5)])).toBe(reported(0))
    const later = aService({}, { creationTimestamp: at(9) })
    expect(new TriggerTimeTracker().next(later, [podAt('a', 5)])).toBe(reported(9))
  })

  it('is the earliest transition since the last sync', () => {
    const tracker = new TriggerTimeTracker()
    tracker.next(service, [podAt('a', 1), podAt('b', 2)])
    expect(tracker.next(service, [podAt('a', 1), podAt('b', 8), podAt('c', 7)])).toBe(reported(7))
  })

  it('is none when nothing with a time changed', () => {
    const tracker = new TriggerTimeTracker()
    tracker.next(service, [podAt('a', 1), podAt('b', 2)])
    expect(tracker.next(service, [podAt('b', 2), podAt('a', 1)])).toBeUndefined()
    expect(tracker.next(service, [podAt('a', 1)])).toBeUndefined()
  })

  it('is the creation when a Service was made again', () => {
    const tracker = new TriggerTimeTracker()
    tracker.next(service, [])
    expect(tracker.next(aService({}, { creationTimestamp: at(9) }), [])).toBe(reported(9))
  })

  it('starts again for a Service that was forgotten', () => {
    const tracker = new TriggerTimeTracker()
    tracker.next(service, [])
    tracker.forget(service)
    expect(tracker.next(service, [podAt('a', 5)])).toBe(reported(0))
  })

  it('is of each Service for itself, by namespace and name', () => {
    const tracker = new TriggerTimeTracker()
    const named = (namespace: string, name: string) =>
      aService({}, { namespace, name, creationTimestamp: at(0) })
    for (const one of [named('shop', 'web'), named('depot', 'web'), named('shop', 'api')])
      expect(tracker.next(one, [podAt('a', 5)])).toBe(reported(0))
  })

  it('passes over a transition that lost its time, and takes the next one', () => {
    const tracker = new TriggerTimeTracker()
    tracker.next(service, [podAt('a', 1)])
    expect(tracker.next(service, [aPod('a')])).toBeUndefined()
    expect(tracker.next(service, [podAt('a', 1)])).toBe(reported(1))
  })
})
