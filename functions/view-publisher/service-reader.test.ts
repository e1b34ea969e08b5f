import { expect, it } from 'vitest'
import { type ApiClient, NotFoundError, type Status } from '../../shared/kubernetes/index.ts'
import { createServiceReader } from './service-reader.ts'

const KEY = { cluster: 'a', namespace: 'shop', service: 'web' }
const SLICE = { metadata: { name: 'web-1', namespace: 'shop' }, addressType: 'IPv4', endpoints: [] }

/** Reads a Service whose API server answers that it is not there. */
function read(status: Status): Promise<readonly object[]> {
  const client: Partial<ApiClient> = {
    get: () => Promise.reject(new NotFoundError('failed to get Service', 404, status)),
    list: async () => ({ items: [SLICE as never], metadata: { resourceVersion: '1' } }),
  }
  return createServiceReader(() => client as ApiClient)(KEY, new AbortController().signal)
}

it('reads the slices of a Service that is gone', async () => {
  const gone = { reason: 'NotFound', details: { kind: 'services', name: 'web' } }
  expect(await read(gone)).toEqual([{ ...SLICE, apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' }])
})

it('fails where something else than the API server says that there is no Service', async () => {
  await expect(read({})).rejects.toThrow('failed to get Service')
})
