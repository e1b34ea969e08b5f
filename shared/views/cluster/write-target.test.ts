import { describe, expect, it } from 'vitest'
import { type ApiClient, type ApiObject, ConflictError, NotFoundError } from '../../kubernetes/index.ts'
import { createTargetWriter, type PipelineDelta, type TargetSpec } from '../index.ts'

const TARGET: TargetSpec = {
  ...{ type: 'Updater', group: 'example.com', version: undefined, kind: 'Widget', isView: false },
}
const METADATA = { name: 'web', namespace: 'shop', labels: { team: 'a' } }
/** Metadata of an object that stands in a server. */
const STORED = { ...METADATA, uid: 'u-1', resourceVersion: '7', creationTimestamp: '2026-11-29T00:00:00Z' }

/** A server of widgets that refuses as an API server does. */
function widgetServer(initial?: ApiObject) {
  const server = { version: 'v1beta1', stored: initial, hasProxyError: false, hasStatus: true }
  const assertFound = (version: string, isThere: boolean): void => {
    if (server.hasProxyError || version !== server.version) throw new NotFoundError('404', 404, {})
    if (isThere) return
    throw new NotFoundError('not found', 404, { reason: 'NotFound', details: { name: 'web' } })
  }
  const client = {
    async read(path: string) {
      const { version } = server
      if (path === '/apis/example.com') return { preferredVersion: { version }, versions: [{ version }] }
      return { resources: [{ name: 'widgets', kind: 'Widget', namespaced: true }] }
    },
    async get({ version }) {
      assertFound(version, server.stored !== undefined)
      return server.stored
    },
    async create({ version }, object) {
      assertFound(version, true)
      if (object.metadata?.resourceVersion !== undefined) throw new Error('resourceVersion should not be set')
      server.stored = { ...object, metadata: { ...object.metadata, ...STORED } }
      return server.stored
    },
    async update({ version }, object, { subresource } = {}) {
      assertFound(version, server.stored !== undefined && (subresource === undefined || server.hasStatus))
      const { uid, resourceVersion } = object.metadata ?? {}
      if (uid !== STORED.uid || resourceVersion !== STORED.resourceVersion)
        throw new ConflictError('changed', 409, { reason: 'Conflict' })
      server.stored = object
      return object
    },
    async delete({ version }) {
      assertFound(version, server.stored !== undefined)
      server.stored = undefined
    },
  } as Partial<ApiClient>
  const write = createTargetWriter(client as ApiClient)
  return {
    server,
    write: (type: PipelineDelta['type'], object: object, target = TARGET) =>
      write(target, {
        controller: 'c',
        type,
        object: { kind: 'Widget', ...object } as PipelineDelta['object'],
      }),
  }
}

describe('a target of the API', () => {
  const copied = { metadata: { ...METADATA, uid: 'u-of-source', resourceVersion: '3' }, spec: { size: 1 } }

  it('is created though the metadata is that of its source', async () => {
    const { server, write } = widgetServer()
    await write('Upserted', copied)
    expect(server.stored).toMatchObject({ metadata: STORED, spec: { size: 1 } })
  })

  it.each([
    ['Upserted', { size: 1 }],
    ['Deleted', {}],
  ] as const)('is patched though the metadata is that of its source: %s', async (type, spec) => {
    const { server, write } = widgetServer({ metadata: STORED, spec: { size: 2 } } as ApiObject)
    await write(type, copied, { ...TARGET, type: 'Patcher' })
    expect(server.stored).toMatchObject({ metadata: { uid: 'u-1', resourceVersion: '7' }, spec })
  })

  it('is written in the version that is served by now', async () => {
    const { server, write } = widgetServer()
    await write('Upserted', copied)
    server.version = 'v1'
    await expect(write('Deleted', copied)).rejects.toThrow(NotFoundError)
    await write('Deleted', copied)
    expect(server.stored).toBeUndefined()
  })

  it.each([true, false])(
    'has the status that it is given, where that is a subresource: %s',
    async (hasStatus) => {
      const { server, write } = widgetServer()
      server.hasStatus = hasStatus
      await write('Upserted', { ...copied, status: { isReady: true } })
      expect(server.stored).toMatchObject({ spec: { size: 1 }, status: { isReady: true } })
    },
  )

  it.each(['Upserted', 'Deleted'] as const)('of a kind that has a namespace needs one: %s', async (type) => {
    const { write } = widgetServer()
    await expect(write(type, { ...copied, metadata: { name: 'web' } })).rejects.toThrow(
      'Widget web names no namespace, and each Widget is in one: give it a metadata.namespace in the pipeline',
    )
  })

  it('is not taken for deleted where a proxy answers that there is nothing', async () => {
    const { server, write } = widgetServer({ metadata: STORED } as ApiObject)
    await write('Upserted', copied)
    server.hasProxyError = true
    await expect(write('Deleted', copied)).rejects.toThrow(NotFoundError)
    server.hasProxyError = false
    await write('Deleted', copied)
    await write('Deleted', copied)
    expect(server.stored).toBeUndefined()
  })
})
