import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts'
import { type ApiClient, createApiClient, ForbiddenError, findResource, UnknownKindError } from './index.ts'

const resources = (...list: readonly [name: string, kind: string, namespaced: boolean][]): object => ({
  kind: 'APIResourceList',
  resources: list.map(([name, kind, namespaced]) => ({ name, kind, namespaced })),
})
const group = (preferred: string, ...versions: string[]): object => ({
  kind: 'APIGroup',
  versions: versions.map((version) => ({ version })),
  preferredVersion: { version: preferred },
})
const notFound = { kind: 'Status', status: 'Failure', code: 404, reason: 'NotFound', message: 'not found' }

describe('discovery', () => {
  let server: ScriptedServer
  let client: ApiClient
  let paths: Record<string, object>

  beforeEach(async () => {
    server = await startScriptedServer()
    client = createApiClient(server.connection)
    server.answer(({ url = '' }, response) => {
      const answer = paths[url]
      if (answer === undefined) answerJson(response, notFound, 404)
      else answerJson(response, answer)
    })
  })
  afterEach(async () => {
    client.close()
    await server.close()
  })

  it('takes plural and scope from the server, whatever the kind is called', async () => {
    paths = {
      '/api/v1': resources(['pods/log', 'Pod', true], ['pods', 'Pod', true], ['nodes', 'Node', false]),
      '/apis/example.org': group('v2', 'v1', 'v2'),
      '/apis/example.org/v2': resources(['oxen', 'Ox', false]),
    }
    expect(await findResource(client, { group: '', kind: 'Pod' })).toMatchObject({
      plural: 'pods',
      version: 'v1',
      namespaced: true,
    })
    expect(await findResource(client, { group: 'example.org', kind: 'Ox' })).toEqual({
      group: 'example.org',
      version: 'v2',
      kind: 'Ox',
      plural: 'oxen',
      namespaced: false,
    })
  })

  it('finds a kind that only another version than the preferred one has', async () => {
    paths = {
      '/apis/example.org': group('v2', 'v2', 'v1'),
      '/apis/example.org/v2': resources(['oxen', 'Ox', true]),
      '/apis/example.org/v1': resources(['geese', 'Goose', true]),
    }
    const found = await findResource(client, { group: 'example.org', kind: 'Goose' })
    expect(found).toMatchObject({ version: 'v1', plural: 'geese' })
    expect(server.requests).toEqual([
      'GET /apis/example.org',
      'GET /apis/example.org/v2',
      'GET /apis/example.org/v1',
    ])
  })

  it('looks into the preferred version first, and into the others where none is', async () => {
    const oxen = resources(['oxen', 'Ox', true])
    paths = {
      '/apis/example.org': group('v2', 'v1', 'v2'),
      '/apis/example.org/v1': oxen,
      '/apis/example.org/v2': oxen,
      '/apis/plain.org': { versions: [{ version: 'v3' }, { version: 'v4' }] },
      '/apis/plain.org/v3': oxen,
    }
    expect(await findResource(client, { group: 'example.org', kind: 'Ox' })).toMatchObject({ version: 'v2' })
    expect(await findResource(client, { group: 'plain.org', kind: 'Ox' })).toMatchObject({ version: 'v3' })
    expect(await findResource(client, { group: 'example.org', kind: 'Ox', version: 'v1' })).toMatchObject({
      version: 'v1',
    })
  })

  it('names what no version has, in a group that is not there or without content too', async () => {
    paths = { '/api/v1': {}, '/apis/empty.org': {} }
    const find = (group: string) => findResource(client, { group, kind: 'Goose' })
    await expect(find('')).rejects.toThrow(/the kind Goose of the core group in cluster scripted:/)
    await expect(find('empty.org')).rejects.toThrow(/the kind Goose of group empty\.org in cluster/)
    await expect(find('example.org')).rejects.toThrow(UnknownKindError)
    const ofVersion = findResource(client, { group: 'example.org', kind: 'Goose', version: 'v1' })
    await expect(ofVersion).rejects.toThrow(/the kind Goose of group example.org \(v1\) in cluster/)
    expect(server.requests).toEqual([
      'GET /api/v1',
      'GET /apis/empty.org',
      'GET /apis/example.org',
      'GET /apis/example.org/v1',
    ])
  })

  it('does not take a refusal for a missing kind', async () => {
    server.answer((_request, response) => answerJson(response, { ...notFound, code: 403 }, 403))
    const found = findResource(client, { group: 'example.org', kind: 'Goose' })
    await expect(found).rejects.toThrow(ForbiddenError)
  })
})
