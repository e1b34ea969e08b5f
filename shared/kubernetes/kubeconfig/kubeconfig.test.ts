import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { stringify } from 'yaml'
import { answerJson, startScriptedServer } from '../../../test/support/scripted-server.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createApiClient, KubeconfigError, loadClusters, SERVICES } from '../index.ts'

const CONFIG = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'eu',
  clusters: [
    { name: 'c-eu', cluster: { server: 'https://eu.example:6443/prefix' } },
    { name: 'c-us', cluster: { server: 'https://us.example' } },
    { name: 'c-plain', cluster: { server: 'http://plain.example' } },
    { name: 'c-odd', cluster: { server: 'eu.example' } },
  ],
  users: [{ name: 'me', user: { token: 'secret-1' } }],
  contexts: [
    { name: 'eu', context: { cluster: 'c-eu', user: 'me' } },
    { name: 'us', context: { cluster: 'c-us', user: 'me' } },
    { name: 'plain', context: { cluster: 'c-plain', user: 'me' } },
    { name: 'odd', context: { cluster: 'c-odd', user: 'me' } },
    { name: 'nobody', context: { cluster: 'c-eu', user: 'missing' } },
    { name: 'nowhere', context: { cluster: 'missing', user: 'me' } },
    { name: 'clusterset:shop', context: { cluster: 'c-eu', user: 'me' } },
  ],
}

describe('a kubeconfig', () => {
  let folder: string
  let file: string

  beforeEach(async () => {
    folder = temporaryFolder()
    file = join(folder, 'config')
    await writeFile(file, stringify(CONFIG))
  })

  it('gives the cluster of its current context when none is named', async () => {
    const [cluster, ...more] = await loadClusters(file)
    expect(cluster).toMatchObject({ name: 'eu', server: new URL('https://eu.example:6443/prefix') })
    expect(more).toEqual([])
  })

  it('is the first document of its file', async () => {
    await writeFile(file, `---\n${stringify(CONFIG)}---\n${stringify({ 'current-context': 'us' })}`)
    expect((await loadClusters(file)).map(({ name }) => name)).toEqual(['eu'])
  })

  it('gives the cluster of its current context when an empty list is', async () => {
    expect((await loadClusters(file, [])).map(({ name }) => name)).toEqual(['eu'])
  })

  it('gives the namespace of a context that names one', async () => {
    const context = { cluster: 'c-eu', user: 'me', namespace: 'shop' }
    await writeFile(file, stringify({ ...CONFIG, contexts: [...CONFIG.contexts, { name: 'shop', context }] }))
    const clusters = await loadClusters(file, ['shop', 'eu'])
    expect(clusters.map((cluster) => Object.entries(cluster).find(([key]) => key === 'namespace'))).toEqual([
      ['namespace', 'shop'],
      undefined,
    ])
  })

  it('gives one cluster a context, named as the context is', async () => {
    const clusters = await loadClusters(file, ['us', 'eu', 'us'])
    expect(clusters.map(({ name }) => name)).toEqual(['us', 'eu'])
  })

  it('of no file is the service account of the pod that this runs in', async () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.96.0.1')
    vi.stubEnv('KUBERNETES_SERVICE_PORT', '443')
    onTestFinished(() => void vi.unstubAllEnvs())
    const [cluster, ...more] = await loadClusters([])
    expect(cluster).toMatchObject({ name: 'in-cluster', server: new URL('https://10.96.0.1') })
    expect(more).toEqual([])
    await expect(cluster?.credentials()).rejects.toThrow('the service account: the credentials of context')
  })

  it('gives the credentials that the file holds now, rotated ones included', async () => {
    const [cluster] = await loadClusters(file)
    expect((await cluster?.credentials())?.headers).toEqual({ authorization: 'Bearer secret-1' })
    await writeFile(file, stringify({ ...CONFIG, users: [{ name: 'me', user: { token: 'secret-2' } }] }))
    expect((await cluster?.credentials())?.headers).toEqual({ authorization: 'Bearer secret-2' })
  })

  it('gives no credentials of another server to which its context leads by now', async () => {
    const [cluster] = await loadClusters(file)
    const clusters = [{ name: 'c-eu', cluster: { server: 'https://other.example' } }]
    await writeFile(file, stringify({ ...CONFIG, clusters }))
    await expect(cluster?.credentials()).rejects.toThrow(
      'context "eu" leads to other.example by now, and to eu.example:6443 when it was read first; start the process again to follow it',
    )
    await writeFile(file, stringify(CONFIG))
    expect((await cluster?.credentials())?.headers).toEqual({ authorization: 'Bearer secret-1' })
  })

  it('gives the token that its file holds now, and asks again within a minute', async () => {
    await writeFile(file, stringify({ ...CONFIG, users: [{ name: 'me', user: { tokenFile: 'token' } }] }))
    const [cluster] = await loadClusters(file)
    for (const token of ['secret-1', 'secret-2']) {
      await writeFile(join(folder, 'token'), `${token}\n`)
      const { headers, expiresAt = 0 } = (await cluster?.credentials()) ?? {}
      expect(headers).toEqual({ authorization: `Bearer ${token}` })
      expect(expiresAt - Date.now()).toBeLessThanOrEqual(60_000)
    }
  })

  it('gives a name and password as basic authentication', async () => {
    const user = { username: 'admin', password: 'p:w' }
    await writeFile(file, stringify({ ...CONFIG, users: [{ name: 'me', user }] }))
    const [cluster] = await loadClusters(file)
    expect((await cluster?.credentials())?.headers).toEqual({ authorization: `Basic ${btoa('admin:p:w')}` })
  })

  it('reads the certificate authority from the file beside it', async () => {
    const clusters = [
      { name: 'c-eu', cluster: { server: 'https://eu.example', 'certificate-authority': 'ca.pem' } },
    ]
    await writeFile(file, stringify({ ...CONFIG, clusters }))
    const pem = '-----BEGIN CERTIFICATE-----\n'
    await writeFile(join(folder, 'ca.pem'), pem)
    const [cluster] = await loadClusters(file)
    const credentials = await cluster?.credentials()
    expect(credentials?.ca).toBe(pem)
    expect(credentials).not.toHaveProperty('proxy')
  })

  it.each([
    ['its context', { contexts: [] }, /has no context "eu"; choose one of its contexts: \(none\)/],
    ['its user', { users: [] }, /context "eu" names a user that is not in the file/],
    ['its cluster', { clusters: [] }, /context "eu" names a cluster that is not in the file/],
    ['all users', { users: undefined }, /context "eu" names a user that is not in the file/],
  ])('gives no credentials any more once %s was taken out of it', async (_what, rest, message) => {
    const [cluster] = await loadClusters(file)
    await writeFile(file, stringify({ ...CONFIG, ...rest }))
    await expect(cluster?.credentials()).rejects.toThrow(message)
  })

  it('has a user without anything to show who it is', async () => {
    await writeFile(file, stringify({ ...CONFIG, users: [{ name: 'me' }] }))
    const [cluster] = await loadClusters(file)
    expect((await cluster?.credentials())?.headers).toEqual({})
  })

  describe('of several files', () => {
    const other = () => join(folder, 'other')
    const OTHER = {
      ...CONFIG,
      'current-context': 'asia',
      clusters: [
        { name: 'c-eu', cluster: { server: 'https://impostor.example' } },
        { name: 'c-asia', cluster: { server: 'https://asia.example' } },
      ],
      users: [
        { name: 'me', user: { token: 'secret-2' } },
        { name: 'other', user: { tokenFile: 'token' } },
      ],
      contexts: [
        { name: 'asia', context: { cluster: 'c-asia', user: 'other' } },
        { name: 'asia-as-me', context: { cluster: 'c-asia', user: 'me' } },
      ],
    }
    beforeEach(() => writeFile(other(), stringify(OTHER)))

    it('gives the clusters of all of them, and the current context of the first', async () => {
      const [current] = await loadClusters([file, other()])
      expect(current).toMatchObject({ name: 'eu', server: new URL('https://eu.example:6443/prefix') })
      const [asia] = await loadClusters([file, other()], ['asia'])
      expect(asia?.server).toEqual(new URL('https://asia.example'))
    })

    it('takes what two of them name from the first, and current context from whichever has one', async () => {
      await writeFile(file, stringify({ ...CONFIG, 'current-context': '' }))
      const [current] = await loadClusters([file, other()])
      expect(current?.name).toBe('asia')
      const [mine] = await loadClusters([file, other()], ['asia-as-me'])
      expect((await mine?.credentials())?.headers).toEqual({ authorization: 'Bearer secret-1' })
    })

    it('finds the files that each of them names beside it', async () => {
      const folders = join(folder, 'elsewhere')
      await mkdir(folders)
      await writeFile(join(folders, 'config'), stringify(OTHER))
      await writeFile(join(folders, 'token'), 'secret-3')
      const [asia] = await loadClusters([file, join(folders, 'config')], ['asia'])
      expect((await asia?.credentials())?.headers).toEqual({ authorization: 'Bearer secret-3' })
    })

    it('reports each context once', async () => {
      await expect(loadClusters([file, file], ['mars'])).rejects.toThrow(
        /: eu, us, plain, odd, nobody, nowhere, clusterset:shop$/,
      )
    })

    it('names the one that cannot be read', async () => {
      const missing = join(folder, 'missing')
      await expect(loadClusters([file, missing])).rejects.toThrow(`kubeconfig ${missing} cannot be read`)
    })
  })

  it('calls a cluster through its proxy-url, over connections that are kept', async () => {
    const server = await startScriptedServer()
    server.answer(({ headers: { host } }, response) =>
      answerJson(response, { metadata: { name: 'cart', labels: { host } } }),
    )
    const asked: (string | undefined)[] = []
    const proxy = createServer()
    proxy.on('connect', ({ url }, socket: Socket) => {
      asked.push(url)
      const onward = connect(Number(server.connection.server.port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        onward.pipe(socket).pipe(onward)
      })
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const { host, href } = server.connection.server
    const { ca = '' } = await server.connection.credentials()
    const cluster = {
      server: href,
      'certificate-authority-data': Buffer.from(ca).toString('base64'),
      'proxy-url': `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    }
    await writeFile(file, stringify({ ...CONFIG, clusters: [{ name: 'c-eu', cluster }] }))
    const [connection] = await loadClusters(file)
    if (connection === undefined) throw new Error('no cluster was loaded')
    const client = createApiClient(connection)
    const get = () => client.get(SERVICES, { namespace: 'shop', name: 'cart' })
    for (const _ of [1, 2]) expect(await get()).toEqual({ metadata: { name: 'cart', labels: { host } } })
    expect(asked).toEqual([host])
    client.close()
    proxy.close()
    await server.close()
  })

  it.each<[string, string[], RegExp]>([
    ['an unknown context', ['mars'], /has no context "mars"; choose one of its contexts: eu, us/],
    ['a user that is not there', ['nobody'], /context "nobody" names a user that is not in the file/],
    ['a cluster that is not there', ['nowhere'], /context "nowhere" names a cluster that is not in the file/],
    ['nothing that is a URL', ['odd'], /"eu\.example" is not a URL; give the server as https:\/\/host:port/],
    [
      'the name of a cluster set',
      ['clusterset:shop'],
      /is the name of a cluster set; give it another: kubectl config rename-context clusterset:shop NAME$/,
    ],
    ['a server without TLS', ['plain'], /http:\/\/plain\.example is not https/],
  ])('is refused with %s', async (_what, contexts, message) => {
    const loading = loadClusters(file, contexts)
    await expect(loading).rejects.toThrow(message)
    await expect(loading).rejects.toBeInstanceOf(KubeconfigError)
  })

  it('is refused when it cannot be read, saying which', async () => {
    const missing = join(folder, 'missing')
    const loading = loadClusters(missing)
    await expect(loading).rejects.toThrow(`kubeconfig ${missing} cannot be read: ENOENT`)
    await expect(loading).rejects.toMatchObject({ cause: { code: 'ENOENT' } })
  })

  it.each([
    ['a: [', /config is not a kubeconfig: it cannot be parsed as YAML at line 1, column 5 \(BAD_INDENT\)$/],
    ['just text', /config is not a kubeconfig: it holds no fields$/],
    ['', /config has no current-context; choose one of its contexts: \(none\)$/],
    ['clusters: [{}]\n', /config is not a kubeconfig: clusters\[0\]\.name is missing$/],
  ])('is refused when it is not one: %j', async (text, message) => {
    await writeFile(file, text)
    const loading = loadClusters(file)
    await expect(loading).rejects.toBeInstanceOf(KubeconfigError)
    await expect(loading).rejects.toThrow(message)
  })

  it.each(['e1', '.E2', '2026-03-01', '12:30'])(
    'takes %s for text without quotes, as kubectl does',
    async (name) => {
      const { clusters } = CONFIG
      await writeFile(file, JSON.stringify({ ...CONFIG, clusters, contexts: [] }))
      const more = join(folder, 'more')
      await writeFile(more, `contexts: [{ name: ${name}, context: { cluster: c-eu } }]`)
      expect(await loadClusters([file, more], [name])).toMatchObject([{ name }])
    },
  )

  it('never tells a credential in an error', async () => {
    for (const broken of [
      '\n  broken: [',
      '      token: secret-1\n  broken',
      '\ttoken: [secret-1',
      '\n      as: *secret-1',
      '\n      as: [*secret-1]',
    ]) {
      await writeFile(file, stringify(CONFIG).replace('token: secret-1', `token: secret-1${broken}`))
      const error = await loadClusters(file).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(KubeconfigError)
      expect(inspect(error)).not.toContain('secret-1')
      expect(String(error)).not.toContain('\n')
    }
  })
})
