import { describe, expect, it } from 'vitest'
import { mergeMessages } from './message.ts'

describe('mergeMessages', () => {
  const key = { cluster: 'prod', namespace: 'shop', service: 'cart' }

  it('keeps the pods and slices of both hints, and the older of what was seen', () => {
    const one = { ...key, hint: { pods: ['a', 'b'], slices: ['x'] }, nodesVersion: '3' }
    const other = {
      ...key,
      hint: { pods: ['b', 'c'], slices: ['y'] },
      nodesVersion: '4',
    }
    const merged = {
      ...key,
      hint: { pods: ['a', 'b', 'c'], slices: ['x', 'y'] },
      nodesVersion: '4',
    }
    expect(mergeMessages(one, other)).toEqual(merged)
    expect(mergeMessages(other, one)).toEqual({
      ...merged,
      hint: { pods: ['b', 'c', 'a'], slices: ['y', 'x'] },
    })
  })

  it('keeps the newest versions, and none that one of them does not know', () => {
    const hint = (slices: readonly string[], sliceVersions?: readonly string[]) => ({
      pods: ['a'],
      slices,
      ...(sliceVersions && { sliceVersions }),
    })
    const one = { ...key, hint: hint(['x', 'y'], ['3', '10']), serviceVersion: '9' }
    const other = { ...key, hint: hint(['y', 'z'], ['9', '4']), serviceVersion: '10' }
    const { hint: merged, serviceVersion } = mergeMessages(one, other)
    expect(merged).toMatchObject({ slices: ['x', 'y', 'z'], sliceVersions: ['3', '10', '4'] })
    expect(serviceVersion).toBe('10')
    const { serviceVersion: _, ...older } = { ...other, hint: hint(['y']) }
    expect(mergeMessages(one, older).hint).not.toHaveProperty('sliceVersions')
    expect(mergeMessages(older, one)).not.toHaveProperty('serviceVersion')
  })

  it('reads the Pods, as what one message says of them may be older than the other', () => {
    const hint = { pods: ['a'], slices: ['x'] }
    const facts = { at: 1, selector: 'app=web', pods: [null] }
    const informed = { ...key, hint: { ...hint, facts, nodes: ['n1'] }, podsVersion: '9' }
    expect(mergeMessages(informed, { ...informed, podsVersion: '10' })).toEqual({
      ...key,
      hint,
      podsVersion: '10',
    })
    expect(mergeMessages(informed, { ...key, hint })).toEqual({ ...key, hint })
  })

  it('reads slices and Pods of a Service of which both say what may be read at once', () => {
    const selected = { pods: ['a'], facts: { at: 1, pods: [null] } }
    const ahead = { slicesVersion: '9', podsVersion: '9', selector: 'app=web' }
    const one = { ...key, readAhead: { ...ahead, slices: ['x'], sliceVersions: ['8'], selected } }
    const other = { ...one, readAhead: { ...one.readAhead, podsVersion: '8' } }
    for (const merged of [mergeMessages(one, other), mergeMessages(other, one)])
      expect(merged.readAhead).toEqual(ahead)
  })

  it('looks at the whole Service where one of them does, or where too much is named', () => {
    const hint = { pods: ['a'], slices: ['x'] }
    const many = { ...hint, pods: Array.from({ length: 64 }, (_, index) => `p${index}`) }
    const counted = (selected: number) => ({ ...key, hint: { ...hint, selected } })
    expect(mergeMessages(counted(3), counted(2)).hint).toEqual({ ...hint, selected: 3 })
    for (const [one, other] of [
      [counted(3), { ...key, hint }],
      [{ ...key, hint }, counted(3)],
    ] as const)
      expect(mergeMessages(one, other).hint).toStrictEqual(hint)
    expect(mergeMessages({ ...key, hint }, key)).toEqual(key)
    expect(mergeMessages(key, { ...key, hint })).toEqual(key)
    expect(mergeMessages({ ...key, hint }, { ...key, hint: many })).toEqual(key)
  })

  it('names as much as a message may, and the whole Service beyond that', () => {
    const named = (kind: string, from: number, to: number): string[] =>
      Array.from({ length: to - from }, (_, index) => `${kind}${from + index}`)
    const merged = (pods: number, slices: number) => {
      const part = (half: (count: number) => [number, number]) => ({
        ...key,
        hint: { pods: named('p', ...half(pods)), slices: named('s', ...half(slices)) },
      })
      return mergeMessages(
        part((count) => [0, count / 2]),
        part((count) => [count / 2, count]),
      ).hint
    }
    expect(merged(64, 12)).toMatchObject({ pods: { length: 64 }, slices: { length: 12 } })
    expect([merged(66, 12), merged(64, 14)]).toEqual([undefined, undefined])
  })

  it('has what was written read back unless the relay verifies for both', () => {
    const verified = { ...key, relayVerifies: true as const }
    expect(mergeMessages(verified, verified)).toStrictEqual({ ...verified })
    for (const merged of [mergeMessages(verified, key), mergeMessages(key, verified)])
      expect(merged).not.toHaveProperty('relayVerifies')
  })

  it('knows of nodes only what both know', () => {
    const known = { ...key, nodesVersion: '3' }
    for (const merged of [mergeMessages(known, key), mergeMessages(key, known)])
      expect(merged).not.toHaveProperty('nodesVersion')
  })

  it('is an audit’s only where both are', () => {
    const audit = { ...key, audit: true as const }
    expect(mergeMessages(audit, audit)).toEqual(audit)
    expect(mergeMessages(audit, key)).toEqual(key)
    expect(mergeMessages(key, audit)).toEqual(key)
  })

  it('trusts nothing that the relay knows where one is an audit’s', () => {
    const hint = { pods: ['a'], slices: ['x'] }
    expect(mergeMessages({ ...key, hint, nodesVersion: '3' }, { ...key, audit: true })).toEqual(key)
  })
})
