import { expect, it } from 'vitest'
import { MemoryBackend } from '../storage/backend.ts'
import { ObjectStore } from '../storage/object-store.ts'
import { nameAndAge } from '../table/columns.ts'
import type { ResourceDefinition } from './definition/resource-definition.ts'
import { Registry } from './registry.ts'

const widgets = (version: string, storedElsewhere = false): ResourceDefinition => ({
  group: 'example.com',
  version,
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  namespaced: true,
  table: nameAndAge,
  storedElsewhere,
})

const versionsOf = (registry: Registry): string[] => registry.definitions.map(({ version }) => version)

it('serves what replaces a resource, and nothing of what was before', () => {
  const registry = new Registry([], new ObjectStore(new MemoryBackend(), { changes: 10 }))
  registry.replace('widgets.example.com', [widgets('v1'), widgets('v1beta1', true)])
  expect(versionsOf(registry)).toEqual(['v1', 'v1beta1'])
  registry.replace('widgets.example.com', [widgets('v2')])
  expect(versionsOf(registry)).toEqual(['v2'])
  expect(registry.endpoint('example.com', 'v1', 'widgets')).toBeUndefined()
  registry.replace('widgets.example.com', [])
  expect(registry.groupVersions).toEqual([])
})

it('has another generation after every change', () => {
  const registry = new Registry([], new ObjectStore(new MemoryBackend(), { changes: 10 }))
  const before = registry.generation
  registry.replace('widgets.example.com', [widgets('v1')])
  expect(registry.generation).not.toBe(before)
})

it('calls followers once per resource, whatever its versions, and ends them with the resource', () => {
  const registry = new Registry([], new ObjectStore(new MemoryBackend(), { changes: 10 }))
  const seen: string[] = []
  const unfollow = registry.follow(({ definition }) => {
    seen.push(`begin ${definition.version}`)
    return () => seen.push(`end ${definition.version}`)
  })
  registry.replace('widgets.example.com', [widgets('v1beta1', true), widgets('v1')])
  registry.replace('widgets.example.com', [widgets('v2')])
  registry.replace('widgets.example.com', [])
  registry.replace('widgets.example.com', [widgets('v3')])
  unfollow()
  registry.replace('widgets.example.com', [widgets('v4')])
  expect(seen).toEqual(['begin v1', 'end v1', 'begin v2', 'end v2', 'begin v3', 'end v3'])
})
