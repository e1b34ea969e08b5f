import { describe, expect, it } from 'vitest'
import { matchesLabels, parseLabelSelector } from '../../kubernetes/index.ts'
import type { PodSelection } from '../sources/source.ts'
import { anyLabelKey, indexKeys, labelKey, SelectorIndex, SelectorsByCluster } from './selector-index.ts'

const SELECTORS = [
  'app=web',
  'app in (web)',
  'app in (web,api)',
  'app notin (web)',
  'app!=web',
  'tier,app=web',
  'tier notin (a),app=web',
  '!tier',
  'tier',
  '',
]
const LABELS: readonly Record<string, string>[] = [
  {},
  { app: 'web' },
  { app: 'api' },
  { app: 'web', tier: 'a' },
  { tier: 'b' },
]
const selectionOf = (text: string, namespace = 'shop'): PodSelection => ({
  namespace,
  selector: parseLabelSelector(text),
})

describe('an index of selectors', () => {
  const all = () => {
    const index = new SelectorIndex<string>()
    for (const text of SELECTORS) index.add(selectionOf(text), text)
    index.add(selectionOf('app=web', 'other'), 'of another namespace')
    return index
  }

  it.each(LABELS)('finds what selects %j, as trying every selector would', (labels) => {
    const tried = SELECTORS.filter((text) => matchesLabels(parseLabelSelector(text), labels))
    expect([...all().matching('shop', labels)].sort()).toEqual(tried.sort())
  })

  it('finds no more what was taken out, and all else', () => {
    const index = all()
    index.add(selectionOf('app=web'), 'a second one')
    index.delete(selectionOf('app=web'), 'app=web')
    index.delete(selectionOf(''), '')
    index.delete(selectionOf('app=none'), 'never added')
    const rest = SELECTORS.filter((text) => text !== 'app=web' && text !== '')
    expect([...index.entries()].sort()).toEqual([...rest, 'a second one', 'of another namespace'].sort())
    expect([...index.matching('shop', { app: 'web' })]).toContain('a second one')
    expect([...index.matching('shop', { app: 'web' })]).not.toContain('app=web')
    index.delete(selectionOf('app in (web,api)'), 'app in (web,api)')
    expect([...index.entries()]).not.toContain('app in (web,api)')
  })
})

it.each([
  ['app=web,tier=a', [labelKey('shop', 'app', 'web')]],
  ['tier in (a,b),app in (web)', [labelKey('shop', 'app', 'web')]],
  ['app in (web,api),app!=web', [labelKey('shop', 'app', 'api'), labelKey('shop', 'app', 'web')]],
  ['app notin (web)', [anyLabelKey('shop')]],
  ['', [anyLabelKey('shop')]],
])('tries “%s” on the pods with a value that a label must have, if there is', (text, keys) => {
  expect(indexKeys(selectionOf(text)).sort()).toEqual(keys)
})

describe('the selectors on the pods of each cluster', () => {
  it('name a cluster as long as one takes its pods, and tell each time when the first one does', () => {
    const reported: string[] = []
    const selectors = new SelectorsByCluster<string>((cluster) => reported.push(cluster))
    for (let round = 1; round <= 2; round++) {
      selectors.add('b', selectionOf('app=web'), 'web')
      selectors.add('b', selectionOf('app=api'), 'api')
      expect(reported).toHaveLength(round)
      selectors.delete('b', selectionOf('app=web'), 'web')
      expect(selectors.clusters()).toEqual(['b'])
      selectors.delete('b', selectionOf('app=api'), 'api')
      expect(selectors.clusters()).toEqual([])
    }
  })
})
