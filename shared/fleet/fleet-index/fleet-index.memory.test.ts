import { expect, it } from 'vitest'
import { heapGrowth } from '../../../test/support/heap.ts'
import type { KindIndex } from '../../changes/index.ts'
import type { ApiObject } from '../../kubernetes/index.ts'
import { createFleetIndex, type FleetIndex } from '../index.ts'
import {
  derivedObject,
  importedSlice,
  importObject,
  member,
  namespaceObject,
  object,
  setOf,
  sliceObject,
} from './fleet-index.fixtures.ts'
import type { FleetKind } from './member-index.ts'

/** So many come and go; whoever kept but an entry of a map for each would hold 200 kB. */
const ROUNDS = 1_000
/** Bytes that compiled code may take meanwhile. */
const NOISE = 100_000

/** Makes a name that is unlike any other, and long enough to be seen where it is kept. */
const longName = (round: number): string => `n${round}-`.padEnd(60, 'x')

/** Makes the objects of a round: one of each kind, of a Service of that round. */
const arrivals = (round: number): readonly [FleetKind, ApiObject][] => {
  const named = { name: longName(round), version: `${round}` }
  return [
    ['exports', object(named)],
    ['imports', importObject(named)],
    ['services', object(named)],
    ['services', derivedObject(named)],
    ['slices', sliceObject(named, longName(round))],
    ['slices', importedSlice({ ...named, name: `i-${longName(round)}` }, longName(round))],
    ['namespaces', namespaceObject(longName(round), 'a')],
  ]
}

function start(): [FleetIndex, (kind: FleetKind) => KindIndex<ApiObject>] {
  const index = createFleetIndex(setOf(member('eu')))
  const kindOf = (kind: FleetKind): KindIndex<ApiObject> => {
    const found = index.members.get('eu')?.kinds.get(kind)
    if (found === undefined) throw new Error(`${kind} are not watched`)
    return found
  }
  for (const [kind, each] of arrivals(0)) kindOf(kind).put(each)
  return [index, kindOf]
}

it.each<[string, (kindOf: (kind: FleetKind) => KindIndex<ApiObject>, round: number) => void]>([
  [
    'what came and went',
    (kindOf, round) => {
      for (const [kind, each] of arrivals(round)) kindOf(kind).put(each)
      for (const [kind, each] of arrivals(round)) kindOf(kind).remove(each)
    },
  ],
  [
    'what a list did not name any more',
    (kindOf, round) => {
      const kinds = new Set(arrivals(round).map(([kind]) => kindOf(kind)))
      for (const kind of kinds) kind.listing()
      for (const [kind, each] of [...arrivals(0), ...arrivals(round)]) kindOf(kind).put(each)
      for (const kind of kinds) kind.listed()
      for (const kind of kinds) kind.listing()
      for (const [kind, each] of arrivals(0)) kindOf(kind).put(each)
      for (const kind of kinds) kind.listed()
    },
  ],
  [
    'Services that slices were of',
    (kindOf, round) => {
      const version = `${round}`
      kindOf('slices').put(sliceObject({ name: 'moves', version }, longName(round)))
      kindOf('slices').put(importedSlice({ name: 'moves-as-well', version }, longName(round)))
    },
  ],
])('an index of a cluster set remembers nothing of %s', (_, round) => {
  const [index, kindOf] = start()
  const play = (from: number): void => {
    for (let each = from; each < from + ROUNDS; each++) round(kindOf, each)
  }
  play(1)
  const keys = index.keys().length
  expect(heapGrowth((time) => play(1 + time * ROUNDS))).toBeLessThan(NOISE)
  expect(index.keys()).toHaveLength(keys)
  expect(keys).toBeLessThan(3)
})
