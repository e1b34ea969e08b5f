import { afterAll, beforeAll, expect, vi } from 'vitest'
import type { Json, RawClient } from '../../../../../test/support/raw-client.ts'
import { accepted, PATIENCE, type Place } from '../subject.ts'

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
export const GROUP = 'conformance.example.com'
export const WARN = 'warning'

/** Makes a definition; `version` is laid over its only version, `spec` over its spec. */
export function definition(plural: string, version: Json = {}, spec: Json = {}): Json {
  const kind = `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`
  const { group = GROUP } = spec
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: WIDGET }, ...version },
      ],
      ...spec,
    },
  }
}

const WIDGET: Json = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 10, default: 3 },
        color: { type: 'string', enum: ['red', 'blue'] },
        name: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
        port: { 'x-kubernetes-int-or-string': true },
        parts: {
          type: 'array',
          maxItems: 3,
          items: {
            type: 'object',
            required: ['id'],
            properties: { id: { type: 'string' }, weight: { type: 'integer', default: 1 } },
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['id'],
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
    status: { type: 'object', properties: { ready: { type: 'integer' } } },
  },
}

/** Definitions that live as long as the section's tests, and `widgets`, which every section has. */
export interface Scene {
  readonly place: Place
  /** Returns the path of a resource's collection, or of one object. */
  objects(plural: string, name?: string, version?: string): string
  widget(name: string, content?: Json): Json
  /** Creates a definition as `createDefinition` does, and deletes it after the tests. */
  define(crd: Json, text?: string): Promise<Json>
  /** Names of definitions that are deleted after the tests. */
  readonly made: string[]
}

/**
 * Creates a definition, by its text where that is given, and waits until it is served; answers what the
 * create answered.
 */
export async function createDefinition(client: RawClient, crd: Json, text?: string): Promise<Json> {
  const body = accepted(await client.post(CRDS, text ?? crd))
  await vi.waitFor(async () => {
    const { body: now } = await client.get(`${CRDS}/${crd.metadata.name}`)
    expect(conditions(now)).toContain('Established=True')
    const { group, names } = crd.spec
    for (const version of crd.spec.versions) {
      if (!version.served) continue
      const path = `/apis/${group}/${version.name}/${names.plural}`
      expect((await client.get(path)).status).toBe(200)
    }
  }, PATIENCE)
  return body
}

export function useScene(place: Place): Scene {
  const made: string[] = []
  const objects = (plural: string, name = '', version = 'v1'): string =>
    `/apis/${GROUP}/${version}/namespaces/${place.namespace}/${plural}${name === '' ? '' : `/${name}`}`
  const widget = (name: string, content: Json = {}): Json => ({
    apiVersion: `${GROUP}/v1`,
    kind: 'Widget',
    metadata: { name },
    ...content,
  })

  const define = async (crd: Json, text?: string): Promise<Json> => {
    const body = await createDefinition(place.client, crd, text)
    made.push(crd.metadata.name)
    return body
  }

  beforeAll(async () => {
    await define(
      definition('widgets', {
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'First', type: 'string', jsonPath: '.spec.parts[0].id', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        selectableFields: [{ jsonPath: '.spec.color' }],
      }),
    )
  }, 120_000)

  afterAll(async () => {
    for (const name of made) await place.client.delete(`${CRDS}/${name}`)
  })

  return { place, objects, widget, define, made }
}

export function conditions(crd: Json): string[] {
  return (crd.status?.conditions ?? []).map(({ type, status }: Json) => `${type}=${status}`)
}
