import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../apimachinery/errors/status.ts'
import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { type ApplyRequest, serverSideApply } from './server-side-apply.ts'
import type { MapType } from './types/merge-type.ts'
import { customResourceType } from './types/structural-type.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const API = { apiVersion: 'example.org/v1', kind: 'Widget' }

/** A schema with every kind of list and map. */
const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            properties: {
              port: { type: 'integer' },
              protocol: { type: 'string', default: 'TCP' },
              name: { type: 'string' },
            },
          },
        },
        words: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        steps: { type: 'array', items: { type: 'string' } },
        limits: {
          type: 'object',
          'x-kubernetes-map-type': 'atomic',
          additionalProperties: { type: 'string' },
        },
        options: { type: 'object', additionalProperties: { type: 'string' } },
        extra: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
}
const STRUCTURAL = customResourceType(SCHEMA)
const DEDUCED = customResourceType()

interface Options {
  readonly force?: boolean
  readonly type?: MapType
  readonly now?: number
}

function apply(
  live: KubeObject | undefined,
  spec: JsonValue | undefined,
  manager: string,
  { force = false, type = STRUCTURAL, now = NOW }: Options = {},
): KubeObject {
  const configuration = { ...API, metadata: { name: 'w' }, ...(spec === undefined ? {} : { spec }) }
  const request: ApplyRequest = { ...API, manager, force, type, now, blank: API, hasStatus: false }
  const object = serverSideApply(live, configuration, request)
  const metadata = isObject(object.metadata) ? object.metadata : {}
  return { ...object, metadata }
}

function conflictsOf(act: () => unknown): unknown[] {
  try {
    act()
  } catch (error) {
    if (error instanceof ApiError) return (error.details?.causes ?? []).map(({ field }) => field)
    throw error
  }
  return []
}

const port = fc.record(
  {
    port: fc.constantFrom(80, 81, 82),
    protocol: fc.constantFrom('TCP', 'UDP'),
    name: fc.constantFrom('a', 'b'),
  },
  { requiredKeys: ['port'] },
)
const portKey = ({ port: number, protocol = 'TCP' }: { port: number; protocol?: string }): string =>
  `${number}/${protocol}`
const letter = fc.constantFrom('a', 'b', 'c')
// Lists that merge by element have one: as upstream, nobody owns an empty one.
const spec = fc.record(
  {
    size: fc.integer({ min: 0, max: 3 }),
    ports: fc.uniqueArray(port, { selector: portKey, minLength: 1, maxLength: 4 }),
    words: fc.uniqueArray(letter, { minLength: 1 }),
    steps: fc.array(letter, { maxLength: 3 }),
    limits: fc.dictionary(letter, letter),
    options: fc.dictionary(letter, letter),
    extra: fc.dictionary(letter, fc.oneof(letter, fc.dictionary(letter, letter), fc.array(letter))),
  },
  { requiredKeys: [] },
)
const type = fc.constantFrom(STRUCTURAL, DEDUCED)

describe('server-side apply', () => {
  it('twice is the same as once, the time included', () => {
    fc.assert(
      fc.property(spec, spec, type, (first, second, rules) => {
        const before = apply(apply(undefined, first, 'one', { type: rules }), second, 'two', {
          force: true,
          type: rules,
        })
        const once = apply(before, second, 'one', { force: true, type: rules, now: NOW + 1000 })
        // What is emptied while others own it is null, which is not what is applied: upstream conflicts then
        // as well.
        fc.pre(!JSON.stringify(once).includes('null'))
        const twice = apply(once, second, 'one', { type: rules, now: NOW + 60_000 })
        expect(twice).toEqual(once)
      }),
    )
  })

  it('by one manager alone leaves of the former configuration what the new one has', () => {
    fc.assert(
      fc.property(spec, spec, type, (first, second, rules) => {
        const live = apply(apply(undefined, first, 'one', { type: rules }), second, 'one', { type: rules })
        expect(withoutEmpty(live.spec)).toEqual(withoutEmpty(second))
      }),
    )
  })

  it('of disjoint fields never conflicts, and ends in the same object in any order', () => {
    const disjoint = fc
      .tuple(
        spec,
        fc.uniqueArray(fc.constantFrom('size', 'ports', 'words', 'steps', 'limits', 'options', 'extra')),
      )
      .map(([whole, names]) => split(whole, new Set(names)))
    fc.assert(
      fc.property(disjoint, type, ([left, right], rules) => {
        const there = apply(apply(undefined, left, 'one', { type: rules }), right, 'two', { type: rules })
        const back = apply(apply(undefined, right, 'two', { type: rules }), left, 'one', { type: rules })
        expect(there.spec).toEqual(back.spec)
        for (const manager of ['one', 'two'])
          expect(fieldsOf(there, manager)).toEqual(fieldsOf(back, manager))
      }),
    )
  })

  it('conflicts exactly where force takes fields from another', () => {
    fc.assert(
      fc.property(spec, spec, (first, second) => {
        const live = apply(undefined, first, 'one')
        const conflicts = conflictsOf(() => apply(live, second, 'two'))
        const forced = apply(live, second, 'two', { force: true })
        const owned = JSON.stringify(fieldsOf(forced, 'one'))
        expect(conflicts.length > 0).toBe(owned !== JSON.stringify(fieldsOf(live, 'one')))
        expect(conflictsOf(() => apply(forced, second, 'two'))).toEqual([])
      }),
    )
  })

  it('has what was applied, whatever was there', () => {
    fc.assert(
      fc.property(spec, spec, (first, second) => {
        const forced = apply(apply(undefined, first, 'one'), second, 'two', { force: true })
        const again = apply(undefined, second, 'two')
        expect(fieldsOf(forced, 'two')).toEqual(fieldsOf(again, 'two'))
      }),
    )
  })
})

it('a list by key keeps the order of the applier, and the others where they stood', () => {
  const ports = (...numbers: number[]): JsonObject => ({ ports: numbers.map((number) => ({ port: number })) })
  const { spec: merged } = apply(apply(undefined, ports(1, 2, 3), 'one'), ports(3, 4, 1), 'two')
  expect(merged).toEqual(ports(2, 3, 4, 1))
})

it('a name of a prototype is a name as any other', () => {
  const options = JSON.parse('{"__proto__":"a","constructor":"b"}')
  const live = apply(undefined, { options }, 'one')
  expect(JSON.stringify(live.spec)).toBe('{"options":{"__proto__":"a","constructor":"b"}}')
  const merged = apply(live, { options: { c: 'd' } }, 'two')
  expect(JSON.stringify(merged.spec)).toBe('{"options":{"__proto__":"a","constructor":"b","c":"d"}}')
})

function fieldsOf({ metadata }: KubeObject, manager: string): JsonValue | undefined {
  const entries = Array.isArray(metadata.managedFields) ? metadata.managedFields.filter(isObject) : []
  return entries.find((entry) => entry.manager === manager)?.fieldsV1
}

function split(whole: JsonObject, names: ReadonlySet<string>): [JsonObject, JsonObject] {
  const entries = Object.entries(whole)
  return [
    Object.fromEntries(entries.filter(([name]) => names.has(name))),
    Object.fromEntries(entries.filter(([name]) => !names.has(name))),
  ]
}

/** Removes empty lists and maps. They have no owner, so that they may stay behind. */
function withoutEmpty(value: JsonValue | undefined): JsonValue | undefined {
  if (value === null) return undefined
  if (Array.isArray(value)) return value.length > 0 ? value : undefined
  if (!isObject(value)) return value
  const kept = Object.entries(value).flatMap(([name, item]) => {
    const left = withoutEmpty(item)
    return left === undefined ? [] : [[name, left] as const]
  })
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}
