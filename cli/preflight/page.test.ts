import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CHECKS } from './checks/index.ts'
import { minorOf, SUPPORTED_MINORS, SUPPORTED_TEXT } from './supported-versions.ts'

const page = readFileSync(new URL('../../docs/preflight.md', import.meta.url), 'utf8')

it('the page has every check, in the order in which they are made, and no other', () => {
  const [, table = ''] = page.split('<!-- checks -->')
  const names = [...table.matchAll(/^\| ([^|]+) \|/gm)].map(([, name]) => name).slice(2)
  expect(names).toEqual(CHECKS.map(({ name }) => name))
})

it('the page has the versions that are supported', () => {
  expect(page).toContain(`Sliceflow is tested with Kubernetes ${SUPPORTED_TEXT}.`)
  expect(SUPPORTED_MINORS).toEqual({ oldest: 33, newest: 37 })
})

it.each([
  ['v1.33.0', 33],
  ['v1.36.4-eks-036c24b', 36],
  ['v1.37.2+k3s1', 37],
  ['v2.1.0', undefined],
  ['1.36', undefined],
])('the minor version of %s is %s', (version, minor) => expect(minorOf(version)).toBe(minor))
