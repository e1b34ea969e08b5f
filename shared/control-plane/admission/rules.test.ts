import { expect, it } from 'vitest'
import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import type { AdmissionRequest } from '../apiserver/registry/admission/types.ts'
import { matchesRule } from './rules.ts'

const request = (more: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  operation: 'CREATE',
  kind: { group: '', version: 'v1', kind: 'Pod' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  subresource: '',
  namespace: 'shop',
  name: 'web',
  user: { username: 'u', groups: [] },
  dryRun: false,
  options: {},
  ...more,
})
const rule = (more: JsonObject = {}): JsonObject => ({
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['pods'],
  scope: '*',
  ...more,
})
const matches = (more: JsonObject, of = request()): boolean => matchesRule(rule(more), of, of.resource)

it.each<[JsonObject, boolean]>([
  [{}, true],
  [{ operations: ['*'] }, true],
  [{ operations: ['UPDATE', 'DELETE'] }, false],
  [{ apiGroups: ['apps'] }, false],
  [{ apiGroups: ['*'], apiVersions: ['*'] }, true],
  [{ apiVersions: ['v2'] }, false],
  [{ resources: ['services', 'pods'] }, true],
  [{ resources: ['*'] }, true],
  [{ resources: ['*/*'] }, true],
  [{ resources: ['pods/*'] }, true],
  [{ resources: ['pods/status'] }, false],
  [{ resources: ['*/status'] }, false],
  [{ scope: 'Namespaced' }, true],
  [{ scope: 'Cluster' }, false],
])('a rule with %j is about a pod: %j', (more, expected) => {
  expect(matches(more)).toBe(expected)
})

it.each<[string, boolean]>([
  ['pods', false],
  ['*', false],
  ['pods/status', true],
  ['pods/*', true],
  ['*/status', true],
  ['*/*', true],
  ['pods/log', false],
])('a rule for %s is about the status of a pod: %j', (resource, expected) => {
  expect(matches({ resources: [resource] }, request({ subresource: 'status' }))).toBe(expected)
})

it('a Namespace is cluster-scoped, though its requests have a namespace', () => {
  const resource = { group: '', version: 'v1', resource: 'namespaces' }
  const of = request({ resource, namespace: 'shop', name: 'shop' })
  expect(matches({ resources: ['namespaces'], scope: 'Cluster' }, of)).toBe(true)
  expect(matches({ resources: ['namespaces'], scope: 'Namespaced' }, of)).toBe(false)
})
