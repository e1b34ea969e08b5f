import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ClusterSelector, PropertyExpression } from '../resources.ts'
import {
  type Properties,
  readClusterSelectors,
  resolveSelectors,
  selectClusters,
} from './cluster-selectors.ts'

const pairs = (matchProperties: Record<string, string>): ClusterSelector => ({
  propertySelector: { matchProperties },
})
const expression = (matchExpression: object): unknown => [
  { propertySelector: { matchExpressions: [matchExpression] } },
]

describe('selectors of clusters', () => {
  it.each<[string, unknown, RegExp]>([
    ['no list', {}, /clusterSelectors is not a list/],
    ['too many', Array(17).fill(pairs({ a: 'x' })), /more than 16 items/],
    ['without a criterion', [{}], /clusterSelectors\[0\]\.propertySelector is not an object/],
    ['with another criterion', [{ ...pairs({ a: 'x' }), cel: 'true' }], /"cel" is not propertySelector/],
    ['empty', [{ propertySelector: {} }], /has neither matchProperties nor matchExpressions/],
    ['with a key that is none', [pairs({ 'a/b': 'x' })], /is not the name of a ClusterProperty/],
    ['with a value that is no text', [pairs({ a: 1 as never })], /is not a text/],
    [
      'with an unknown operator',
      expression({ key: 'a', operator: 'Gt', values: ['1'] }),
      /operator is not one of/,
    ],
    ['with In and no values', expression({ key: 'a', operator: 'In' }), /values must not be empty for In/],
    [
      'with Exists and values',
      expression({ key: 'a', operator: 'Exists', values: ['x'] }),
      /matchExpressions\[0\]\.values must be empty for Exists/,
    ],
    [
      'with too many values',
      expression({ key: 'a', operator: 'In', values: Array(33).fill('x') }),
      /more than 32/,
    ],
  ])('that are %s are refused, with what is wrong and where', (_, value, message) => {
    expect(readClusterSelectors(value)).toMatch(message)
  })

  it.each([undefined, null, []])('that are %j are none', (value) => {
    expect(readClusterSelectors(value)).toBeUndefined()
  })

  it('are read or refused whatever they are, and those that are read are read alike again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())), (value) => {
        const selectors = readClusterSelectors(value)
        if (Array.isArray(selectors)) expect(readClusterSelectors(selectors)).toEqual(selectors)
      }),
    )
  })

  const CLUSTERS = new Map<string, Properties>([
    ['eu', { region: 'eu', gold: '' }],
    ['us', { region: 'us' }],
    ['no', {}],
  ])
  it.each<[string, Partial<PropertyExpression>, string[]]>([
    ['In', { values: ['eu', 'ap'] }, ['eu']],
    ['NotIn', { values: ['eu'] }, ['no', 'us']],
    ['Exists', {}, ['eu', 'us']],
    ['DoesNotExist', {}, ['no']],
  ])('with %s select as labels do', (operator, more, ids) => {
    const requirement = { key: 'region', operator, ...more } as PropertyExpression
    const selector = { propertySelector: { matchExpressions: [requirement] } }
    expect(selectClusters([selector], {}, CLUSTERS)).toEqual([ids])
    // The map and the list are ANDed.
    const both = { propertySelector: { matchProperties: { gold: '' }, matchExpressions: [requirement] } }
    expect(selectClusters([both], {}, CLUSTERS)).toEqual([ids.filter((id) => id === 'eu')])
  })

  it('take no member of JavaScript’s objects for a property of the importing cluster', () => {
    const selector = pairs({ constructor: '@SameAsImporter@' })
    expect(selectClusters([selector], {}, CLUSTERS)).toEqual([[]])
    expect(resolveSelectors([selector], {})).toEqual([selector])
  })

  it.each(['In', 'NotIn'] as const)(
    'with %s of a value that the importing cluster lacks select none',
    (operator) => {
      const requirement = { key: 'region', operator, values: ['eu', '@SameAsImporter@'] }
      const selector = { propertySelector: { matchExpressions: [requirement] } }
      expect(selectClusters([selector], {}, CLUSTERS)).toEqual([[]])
      const ids = operator === 'In' ? ['eu', 'us'] : ['no']
      expect(selectClusters([selector], { region: 'us' }, CLUSTERS)).toEqual([ids])
    },
  )
})
