import fc from 'fast-check'
import { expect, it } from 'vitest'
import { matchesLabels, parseLabelSelector } from '../../kubernetes/index.ts'
import type { PodSelection } from '../sources/source.ts'
import { NO_ENDPOINT } from './pod-facts.ts'
import type { PodEntry } from './pod-table.ts'
import { createPodTable, type PodTable } from './pod-table.ts'
import { createLabelPool } from './pool.ts'

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

/** Returns a table after these steps, with the labels of one pool, and the pods in it. */
function tableAfter(steps: readonly Step[]): { table: PodTable; pods: Map<string, PodEntry> } {
  const pool = createLabelPool()
  const table = createPodTable()
  let pods = new Map<string, PodEntry>()
  function set(name: number, { namespace, labels: own, isEndpoint }: PodInput): void {
    const key = `${namespace}/p${name}`
    const before = table.get(key)
    const entry = entryOf(namespace, pool.acquire({ ...own }), isEndpoint)
    table.set(key, entry)
    pods.set(key, entry)
    if (before !== undefined) pool.release(before.labels)
  }
  function list(listed: readonly [number, PodInput][]): void {
    const before = pods
    pods = new Map()
    table.listing()
    for (const [name, each] of listed) set(name, each)
    const gone = [...table.listed(undefined)]
    expect(gone.toSorted(byKey)).toEqual([...before].filter(([key]) => !pods.has(key)).sort(byKey))
    for (const [, { labels }] of gone) pool.release(labels)
  }
  for (const each of steps) {
    if (each.kind === 'set') set(each.name, each.pod)
    else if (each.kind === 'list') list(each.pods)
    else for (const known of [table, pods]) known.delete(`${each.pod.namespace}/p${each.name}`)
  }
  return { table, pods }
}

/** Finds the pods by trying each one. */
const tried = (
  pods: ReadonlyMap<string, PodEntry>,
  { namespace, selector }: PodSelection,
): [string, PodEntry][] =>
  [...pods].filter(
    ([, entry]) =>
      entry.namespace === namespace && entry.digest !== NO_ENDPOINT && matchesLabels(selector, entry.labels),
  )

it('finds the pods of a selector as trying every pod would, whatever came, changed and went', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { table, pods } = tableAfter(steps)
      expect([...table.entries()].sort(byKey)).toEqual([...pods].sort(byKey))
      for (const namespace of ['shop', 'other'])
        for (const text of SELECTORS) {
          const selection = { namespace, selector: parseLabelSelector(text) }
          expect([...table.selected(selection)].sort(byKey)).toEqual(tried(pods, selection).sort(byKey))
        }
    }),
  )
})

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

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
