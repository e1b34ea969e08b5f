import { describe, expect, it } from 'vitest'
import { flagOf, grantedRanges, grantsPods, parseSettings } from './index.ts'

const shop = { cluster: 'eu-1', namespace: 'shop' }
const place = (text: string) => {
  const [, cluster = '', namespace = ''] = /^(.*)\/([^/]*)$/.exec(text) ?? []
  return { cluster, namespace }
}

describe('grants of pods', () => {
  it.each([
    ['none', 'eu-1/shop', true],
    ['none', 'eu-1/kube-system', false],
    ['none', 'eu-2/shop', false],
    ['eu-1/shop=eu-2/stock', 'eu-2/stock', true],
    ['eu-1/shop=eu-2/stock', 'eu-2/stocks', false],
    ['eu-1/shop=eu-2/stock', 'eu-1/stock', false],
    ['eu-1/shop=eu-2/stock', 'eu-1/shop', true],
    ['eu-2/shop=eu-2/stock', 'eu-2/stock', false],
    ['eu-1/web=eu-2/stock', 'eu-2/stock', false],
    // Stars.
    ['*/*=*/*', 'any/thing', true],
    ['*/shop=eu-*/shop', 'eu-2/shop', true],
    ['*/shop=eu-*/shop', 'us-2/shop', false],
    ['eu-*/sh*p=*/a*b*c', 'x/a-b-c', true],
    ['eu-*/sh*p=*/a*b*c', 'x/a-b-b', false],
    ['*/shop=eu*eu/shop', 'eu/shop', false],
    ['*/shop=eu*eu/shop', 'eueu/shop', true],
    ['*/shop=x/*a*a*', 'x/ba', false],
    ['*/shop=x/*a*a*', 'x/aba', true],
    ['*/shop=x/*b*a*', 'x/ab', false],
    ['*/shop=x/*ab*a*', 'x/aba', true],
    ['*/shop=x/**b*', 'x/b', true],
    // Spaces.
    [' none ', 'eu-1/stock', false],
    ['eu-1/shop = eu-2/stock', 'eu-2/stock', true],
    ['a/b=c/d ,  eu-1/shop=eu-2/stock', 'eu-2/stock', true],
    // The Service’s own.
    ['*/*=*/.', 'us-1/shop', true],
    ['*/*=*/.', 'us-1/stock', false],
    ['*/shop=./*', 'eu-1/stock', true],
    ['*/shop=./*', 'eu-2/stock', false],
    // One of several.
    ['a/b=c/d, eu-1/shop=eu-2/stock', 'eu-2/stock', true],
    // A star is no part of a regular expression, and a dot no wildcard.
    ['eu.1/shop=eu-2/stock', 'eu-2/stock', false],
    ['*/shop=arn:aws:eks:eu-west-1:1:cluster/prod/stock', 'arn:aws:eks:eu-west-1:1:cluster/prod/stock', true],
  ])('%s let eu-1/shop take those of %s: %s', (grants, of, expected) => {
    expect(parseSettings({ allowedPods: grants }).allowedPods).toBe(grants)
    expect(grantsPods(grants, shop, place(of))).toBe(expected)
  })

  it('are judged at once, however many stars meet however long a name', () => {
    const grants = `*/shop=${'a*'.repeat(200)}b/shop`
    const began = performance.now()
    expect(grantsPods(grants, shop, { cluster: 'a'.repeat(100_000), namespace: 'shop' })).toBe(false)
    expect(performance.now() - began).toBeLessThan(100)
  })
})

describe('grants of addresses', () => {
  it.each([
    ['none', []],
    ['eu-1/shop=10.20.0.0/16', ['10.20.0.0/16']],
    ['eu-1/web=10.20.0.0/16', []],
    ['*/shop=10.20.0.0/16, eu-1/*=fd00::/8,us-1/shop=0.0.0.0/0', ['10.20.0.0/16', 'fd00::/8']],
  ])('%s give eu-1/shop %j', (grants, ranges) => {
    expect(parseSettings({ allowedAddresses: grants, allowedNetworks: grants })).toMatchObject({
      allowedAddresses: grants,
      allowedNetworks: grants,
    })
    expect(grantedRanges(grants, shop)).toEqual(ranges)
  })
})

it.each([
  ['allowedPods', ''],
  ['allowedPods', 'eu-1/shop'],
  ['allowedPods', 'shop=eu-2/stock'],
  ['allowedPods', 'eu-1/shop=stock'],
  ['allowedPods', './shop=eu-2/stock'],
  ['allowedPods', 'eu-1/.=eu-2/stock'],
  ['allowedPods', 'eu-1/shop=eu-2/stock=x'],
  ['allowedPods', 'eu-1/shop=eu-2/Stock'],
  ['allowedPods', 'eu-1/shop=10.0.0.0/8,'],
  ['allowedPods', 'eu-1/shop=eu-2/stock!'],
  ['allowedPods', `eu-1/shop=eu-2/${'n'.repeat(64)}`],
  ['allowedAddresses', 'eu-1/shop=10.0.0.0/8x'],
  ['allowedAddresses', 'eu-1/shop=10.0.0.0/x8'],
  ['allowedAddresses', 'eu-1/shop=ten/1'],
  ['allowedPods', 'none, eu-1/shop=eu-2/stock'],
  ['allowedAddresses', 'eu-1/shop=10.0.0.0'],
  ['allowedAddresses', 'eu-1/shop=10.0.0.0/33'],
  ['allowedAddresses', '10.0.0.0/8'],
  ['allowedNetworks', 'eu-1/shop=eu-2/stock'],
])('%s %j is refused by name', (name, grants) => {
  expect(() => parseSettings({ [name]: grants }, flagOf)).toThrow(
    new RegExp(`^${flagOf(name)}: ".*" is not a grant: expected CLUSTER/NAMESPACE=`),
  )
})
