import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { KubeconfigError, loadClusters } from './index.ts'

const CONFIG = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'eu',
  clusters: [
    { name: 'c-eu', cluster: { server: 'https://eu.example:6443/prefix' } },
    { name: 'c-us', cluster: { server: 'https://us.example' } },
    { name: 'c-plain', cluster: { server: 'http://plain.example' } },
  ],
  users: [{ name: 'me', user: { token: 'secret-1' } }],
  contexts: [
    { name: 'eu', context: { cluster: 'c-eu', user: 'me' } },
    { name: 'us', context: { cluster: 'c-us', user: 'me' } },
    { name: 'plain', context: { cluster: 'c-plain', user: 'me' } },
    { name: 'nobody', context: { cluster: 'c-eu', user: 'missing' } },
    { name: 'nowhere', context: { cluster: 'missing', user: 'me' } },
  ],
}

describe('a kubeconfig', () => {
  let folder: string
  let file: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sliceflow-'))
    file = join(folder, 'config')
    await writeFile(file, stringify(CONFIG))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('gives the cluster of its current context when none is named', async () => {
    const [cluster, ...more] = await loadClusters(file)
    expect(cluster).toMatchObject({ name: 'eu', server: new URL('https://eu.example:6443/prefix') })
    expect(more).toEqual([])
  })

  it('gives one cluster a context, named as the context is', async () => {
    const clusters = await loadClusters(file, ['us', 'eu', 'us'])
    expect(clusters.map(({ name }) => name)).toEqual(['us', 'eu'])
  })

  it('gives the credentials that the file holds now, rotated ones included', async () => {
    const [cluster] = await loadClusters(file)
    expect((await cluster?.credentials())?.headers).toEqual({ authorization: 'Bearer secret-1' })
    await writeFile(file, stringify({ ...CONFIG, users: [{ name: 'me', user: { token: 'secret-2' } }] }))
    expect((await cluster?.credentials())?.headers).toEqual({ authorization: 'Bearer secret-2' })
  })

  it.each<[string, string[], RegExp]>([
    ['an unknown context', ['mars'], /has no context "mars"; choose one of its contexts: eu, us/],
    ['a user that is not there', ['nobody'], /context "nobody" names a user that is not in the file/],
    ['a cluster that is not there', ['nowhere'], /context "nowhere" names a cluster that is not in the file/],
    ['a server without TLS', ['plain'], /http:\/\/plain\.example is not https/],
  ])('is refused with %s', async (_what, contexts, message) => {
    const loading = loadClusters(file, contexts)
    await expect(loading).rejects.toThrow(message)
    await expect(loading).rejects.toBeInstanceOf(KubeconfigError)
  })

  it('is refused when it cannot be read, saying which', async () => {
    const missing = join(folder, 'missing')
    await expect(loadClusters(missing)).rejects.toThrow(`kubeconfig ${missing} cannot be read: ENOENT`)
  })

  it.each(['a: [', 'just text', 'clusters: [{}]\n'])('is refused when it is not one: %j', async (text) => {
    await writeFile(file, text)
    await expect(loadClusters(file)).rejects.toBeInstanceOf(KubeconfigError)
  })

  it('never tells a credential in an error', async () => {
    for (const broken of ['\n  broken: [', '      token: secret-1\n  broken', '\ttoken: [secret-1']) {
      await writeFile(file, stringify(CONFIG).replace('token: secret-1', `token: secret-1${broken}`))
      const error = await loadClusters(file).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(KubeconfigError)
      expect(inspect(error)).not.toContain('secret-1')
      expect(String(error)).not.toContain('\n')
    }
  })
})
