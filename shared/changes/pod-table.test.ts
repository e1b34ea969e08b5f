import fc from 'fast-check'
import { expect, it } from 'vitest'
import { matchesLabels, parseLabelSelector } from '../kubernetes/index.ts'
import { NO_ENDPOINT } from './pod-facts.ts'
import type { PodEntry } from './pod-matches.ts'
import { createPodTable, type PodTable } from './pod-table.ts'
import { createLabelPool } from './pool.ts'
import type { PodSelection } from './selection.ts'

const SELECTORS = [
  'app=web',
  'tier=a,app=web',
  'app in (web,api)',
  'app!=web',
  'tier',
  '!tier',
  'app=none',
  '',
]
const value = fc.constantFrom('web', 'api', 'a')
const labels = fc.record({ app: value, tier: value }, { requiredKeys: [] })
const pod = fc.record({ namespace: fc.constantFrom('shop', 'other'), labels, isEndpoint: fc.boolean() })
const step = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), name: fc.nat(5), pod }),
  fc.record({ kind: fc.constant('delete' as const), name: fc.nat(5), pod }),
  fc.record({ kind: fc.constant('list' as const), pods: fc.array(fc.tuple(fc.nat(5), pod)) }),
)

/** A table after these steps, with the labels of one pool. */
function tableAfter(steps: readonly Step[]): PodTable {
  const pool = createLabelPool()
  const table = createPodTable()
  function set(name: number, { namespace, labels: own, isEndpoint }: PodInput): void {
    const key = `${namespace}/p${name}`
    const before = table.get(key)
    table.set(key, entryOf(namespace, pool.acquire({ ...own }), isEndpoint))
    if (before !== undefined) pool.release(before.labels)
  }
  function list(pods: readonly [number, PodInput][]): void {
    table.listing()
    for (const [name, each] of pods) set(name, each)
    for (const [, gone] of table.listed()) pool.release(gone.labels)
  }
  for (const each of steps) {
    if (each.kind === 'set') set(each.name, each.pod)
    else if (each.kind === 'delete') table.delete(`${each.pod.namespace}/p${each.name}`)
    else list(each.pods)
  }
  return table
}

/** What trying every pod finds. */
const tried = (table: PodTable, { namespace, selector }: PodSelection): [string, PodEntry][] =>
  [...table.entries()].filter(
    ([, entry]) =>
      entry.namespace === namespace && entry.digest !== NO_ENDPOINT && matchesLabels(selector, entry.labels),
  )

it('finds the pods of a selector as trying every pod would, whatever came, changed and went', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const table = tableAfter(steps)
      for (const namespace of ['shop', 'other'])
        for (const text of SELECTORS) {
          const selection = { namespace, selector: parseLabelSelector(text) }
          expect([...table.selected(selection)].sort()).toEqual(tried(table, selection).sort())
        }
    }),
  )
})

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type PodInput = typeof pod extends fc.Arbitrary<infer T> ? T : never

const entryOf = (namespace: string, labels: PodEntry['labels'], isEndpoint: boolean): PodEntry => ({
  namespace,
  labels,
  digest: isEndpoint ? '["u"]' : NO_ENDPOINT,
  ports: '',
  node: '',
  traffic: isEndpoint ? 'ready' : 'none',
  readyTime: undefined,
})
