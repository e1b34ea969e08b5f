import { expect, it } from 'vitest'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { serverSideApply } from './server-side-apply.ts'
import { customResourceType } from './types/structural-type.ts'

const KIND = { apiVersion: 'example.org/v1', kind: 'Gear' }

function apply(
  live: KubeObject | undefined,
  spec: JsonObject,
  manager: string,
  listType: string,
): KubeObject {
  const words = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': listType }
  const properties = { spec: { type: 'object', properties: { words } } }
  const applied = serverSideApply(
    live,
    { ...KIND, metadata: { name: 'gear' }, spec },
    {
      ...KIND,
      manager,
      force: false,
      hasStatus: false,
      isCustomResource: true,
      type: customResourceType({ type: 'object', properties }),
      blank: KIND,
      now: 0,
    },
  )
  return { ...applied, metadata: objectAt(applied, 'metadata') }
}

it('owners of elements own the whole once a list is atomic', () => {
  const stored = apply(apply(undefined, { words: ['a'] }, 'one', 'set'), { words: ['b'] }, 'two', 'set')
  const { metadata } = apply(stored, { words: ['a', 'b'] }, 'one', 'atomic')
  expect(objectsAt(metadata, 'managedFields').map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
    ['one', { 'f:spec': { 'f:words': {} } }],
    ['two', { 'f:spec': { 'f:words': {} } }],
  ])
})
