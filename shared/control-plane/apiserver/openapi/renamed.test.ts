import { expect, it } from 'vitest'
import { withFreeNames } from './renamed.ts'

const reference = (name: string) => ({ $ref: `#/definitions/${name}` })

it('definitions whose names are free, or taken by the same, keep them', () => {
  const document = { definitions: { A: { type: 'string' }, B: { items: reference('A') } } }
  expect(withFreeNames(document, () => undefined)).toBe(document)
  const same = { type: 'string', 'x-kubernetes-group-version-kind': [{ kind: 'A' }] }
  expect(withFreeNames(document, (name) => (name === 'A' ? same : undefined))).toBe(document)
})

it('a definition whose name is taken by another one gets the next that is free, wherever it is referred to', () => {
  const taken = new Map([
    ['A', { type: 'integer' }],
    ['A_v2', { type: 'boolean' }],
  ])
  const document = {
    paths: { '/b': { get: reference('B') }, '/a': { get: reference('A') } },
    definitions: { A: { type: 'string' }, B: { items: reference('A') } },
  }
  expect(withFreeNames(document, (name) => taken.get(name))).toEqual({
    paths: { '/b': { get: reference('B') }, '/a': { get: reference('A_v3') } },
    definitions: { A_v3: { type: 'string' }, B: { items: reference('A_v3') } },
  })
})
