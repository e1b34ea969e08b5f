import { describe, expect, it } from 'vitest'
import type { HintFacts } from '../changes/index.ts'
import { mergeMessages } from './merge-messages.ts'
import type { KeyMessage } from './message.ts'

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

  describe('has what was seen of the Pods', () => {
    const facts = (...uids: string[]): HintFacts => ({
      at: 1,
      selector: 'app=web',
      pods: uids.map((uid) => ({ endpoint: [uid, '10.0.0.1', 'n1', 1, 0, '', '', ''], ports: [] })),
    })
    const informed = (podsVersion: string, pods: readonly string[], of: HintFacts): KeyMessage => ({
      ...key,
      hint: { pods, slices: ['x'], facts: of },
      podsVersion,
      serviceVersion: '5',
    })
    const one = informed('9', ['a', 'b'], { ...facts('a9', 'b9'), addsEndpoints: true })
    const other = informed('10', ['b', 'c'], { ...facts('b10', 'c10'), at: 2 })

    it('most lately of each of them, all as new as the older message says', () => {
      const merged = { at: 1, selector: 'app=web', addsEndpoints: true, podsVersion: '9' }
      const { hint, podsVersion } = mergeMessages(one, other)
      expect([hint?.facts, podsVersion]).toEqual([{ ...merged, ...facts('a9', 'b10', 'c10') }, '10'])
      const { hint: reversed } = mergeMessages(other, one)
      expect(reversed?.facts).toEqual({ ...merged, ...facts('b10', 'c10', 'a9') })
      const third = mergeMessages(mergeMessages(one, other), informed('11', ['a'], facts('a11')))
      expect(third.hint?.facts).toEqual({ ...merged, ...facts('a11', 'b10', 'c10') })
    })

    it.each<readonly [string, KeyMessage]>([
      [
        'one says nothing',
        { ...key, hint: { pods: ['b'], slices: ['x'] }, podsVersion: '9', serviceVersion: '5' },
      ],
      ['one does not say how new it is', informed('', ['b'], facts('b'))],
      ['the Service has changed', { ...other, serviceVersion: '6' }],
      ['they select differently', informed('9', ['b'], { ...facts('b9'), selector: 'app=api' })],
    ])('but not where %s', (_, another) => {
      for (const { hint } of [mergeMessages(one, another), mergeMessages(another, one)]) {
        expect(hint?.pods).toContain('b')
        expect(hint).not.toHaveProperty('facts')
      }
    })
  })

  it('reads slices and Pods of a Service of which both say what may be read at once', () => {
    const selected = { pods: ['a'], facts: { at: 1, pods: [null] } }
    const ahead = { slicesVersion: '9', podsVersion: '9', selector: 'app=web' }
    const one = { ...key, readAhead: { ...ahead, slices: ['x'], sliceVersions: ['8'], selected } }
    const other = { ...one, readAhead: { ...one.readAhead, podsVersion: '8' } }
    for (const merged of [mergeMessages(one, other), mergeMessages(other, one)])
      expect(merged.readAhead).toEqual(ahead)
  })

  it('syncs the whole Service where one of them does, or where too much is named', () => {
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
