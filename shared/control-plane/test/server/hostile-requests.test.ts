import { request as httpsRequest } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { TestServer } from '../../testing/test-client.ts'

const PATH = '/api/v1/namespaces/default/configmaps'
const MEGABYTE = 1024 * 1024
let scene: TestServer

beforeAll(async () => {
  scene = await TestServer.start({ authorization: 'RBAC' })
  await scene.client.post('/api/v1/namespaces/kube-system/configmaps', { metadata: { name: 'inner' } })
})
afterAll(() => scene[Symbol.asyncDispose]())

afterEach(async () => {
  // Whatever came: the server is up, nothing went wrong inside, and no prototype has got a member.
  expect((await scene.client.get('/readyz')).text).toBe('ok')
  expect(scene.failures).toEqual([])
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

/** Sends the path to the letter; resolves with the status. */
function ask(path: string, method = 'GET'): Promise<number> {
  return scene.client.send(method, path).then(({ status }) => status)
}

describe('paths', () => {
  it.each([
    `${PATH}/..%2f..%2fkube-system%2fconfigmaps%2finner`,
    `${PATH}/../../kube-system/configmaps/inner`,
    `${PATH}/%2e%2e/%2e%2e/kube-system/configmaps/inner`,
    '/api/v1/configmaps/kube-system%2finner',
    '/api/v1/configmaps/kube-system%2finner/status',
    '/api/v1//namespaces/kube-system/configmaps/inner',
    '/api/v1/namespaces//configmaps',
    '/api/v1/namespaces/kube-system//configmaps/inner',
    '//api/v1/namespaces/kube-system/configmaps/inner',
    '/api/v1/namespaces/kube-system%2fconfigmaps%2finner%00',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/openapi/v3/../../../package.json',
    '/healthz/../version',
  ])('that try to get elsewhere find nothing: %s', async (path) => {
    expect(await ask(path)).toBe(404)
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'with a member of every object are not there: %s',
    async (name) => {
      const paths = [
        `/${name}`,
        `/api/${name}`,
        `/apis/${name}`,
        `/apis/${name}/v1/things`,
        `/api/v1/${name}`,
        `/api/v1/namespaces/${name}`,
        `/api/v1/namespaces/default/${name}`,
        `/api/v1/namespaces/default/${name}/a`,
        `${PATH}/${name}`,
        `/api/v1/namespaces/default/${name}`,
        `/openapi/v3/${name}`,
        `/healthz/${name}`,
      ]
      for (const path of paths) expect(await ask(path), path).toBe(404)
      for (const method of ['GET', 'PUT', 'POST'])
        expect(await ask(`/api/v1/namespaces/default/${name}`, method), method).not.toBeLessThan(400)
      expect(await ask(`${PATH}?fieldSelector=${name}%3Dx`)).toBe(400)
      expect(await ask(`${PATH}?labelSelector=${name}%3Dx`)).toBeLessThan(401)
    },
  )
})

describe('members that every object has', () => {
  it('are data like any other where an object may have any', async () => {
    const members = '{"__proto__":"a","constructor":"b","toString":"c"}'
    const name = 'keys'
    const metadata = `{"name":"${name}","labels":{"constructor":"x"},"annotations":{"toString":"y"}}`
    const created = await scene.client.send('POST', PATH, {
      body: `{"metadata":${metadata},"data":${members}}`,
    })
    expect(created.status).toBe(201)
    expect(JSON.stringify(created.body.data)).toBe(members)
    expect(created.body.metadata).toMatchObject({
      labels: { constructor: 'x' },
      annotations: { toString: 'y' },
    })
    const headers = { 'content-type': 'application/merge-patch+json' }
    const body = '{"data":{"__proto__":"new","constructor":null},"metadata":{"labels":{"valueOf":"z"}}}'
    const patched = await scene.client.send('PATCH', `${PATH}/${name}`, { body, headers })
    expect(JSON.stringify(patched.body.data)).toBe('{"__proto__":"new","toString":"c"}')
    expect(patched.body.metadata.labels).toEqual({ constructor: 'x', valueOf: 'z' })
    const annotated = `{"metadata":{"name":"no","annotations":{"__proto__":"y"}}}`
    expect((await scene.client.send('POST', PATH, { body: annotated })).status).toBe(422)
  })

  it.each<[string, string, string]>([
    ['merge-patch+json', 'merge', '{"__proto__":{"polluted":1},"data":{"__proto__":{"polluted":1}}}'],
    ['merge-patch+json', 'constructor', '{"constructor":{"prototype":{"polluted":1}}}'],
    ['json-patch+json', 'operations', '[{"op":"add","path":"/__proto__/polluted","value":1}]'],
    ['json-patch+json', 'deep', '[{"op":"add","path":"/constructor/prototype/polluted","value":1}]'],
    ['json-patch+json', 'metadata', '[{"op":"add","path":"/metadata/__proto__/polluted","value":1}]'],
    [
      'strategic-merge-patch+json',
      'strategic',
      '{"__proto__":{"polluted":1},"metadata":{"__proto__":{"polluted":1}}}',
    ],
  ])('reach no prototype by a %s (%s)', async (type, name, body) => {
    await scene.client.post(PATH, { metadata: { name }, data: { a: 'b' } })
    const headers = { 'content-type': `application/${type}` }
    const answer = await scene.client.send('PATCH', `${PATH}/${name}`, { body, headers })
    expect(answer.status).not.toBe(500)
    expect(answer.text).not.toContain('"polluted":1')
  })
})

describe('bodies', () => {
  it('of 100 MB are refused with 413 and not kept', async () => {
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    const sampler = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }, 1)
    const status = await upload(100)
    clearInterval(sampler)
    expect(status).toBe(413)
    expect(most).toBeLessThan(64 * MEGABYTE)
  })

  it.each<[string, string, string]>([
    ['JSON lists', 'application/json', '['.repeat(MEGABYTE)],
    ['JSON objects', 'application/json', '{"a":'.repeat(400_000)],
    [
      'closed JSON',
      'application/json',
      `{"metadata":{"name":"d"},"data":${'['.repeat(5000)}${']'.repeat(5000)}}`,
    ],
    ['YAML', 'application/yaml', '['.repeat(100_000)],
    ['YAML aliases', 'application/yaml', bomb()],
    [
      'JSON patches',
      'application/json-patch+json',
      `[{"op":"add","path":"/data","value":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}]`,
    ],
  ])('nested without end are refused with 400: %s', async (_, type, body) => {
    const method = type.includes('patch') ? 'PATCH' : 'POST'
    if (method === 'PATCH') await scene.client.post(PATH, { metadata: { name: 'nested' } })
    const path = method === 'PATCH' ? `${PATH}/nested` : PATH
    const answer = await scene.client.send(method, path, { body, headers: { 'content-type': type } })
    expect(answer.status).toBe(400)
    expect(answer.text.length).toBeLessThan(4 * MEGABYTE)
  })
})

it('bytes that are no TLS, and TLS that is no HTTP, end their connection only', async () => {
  const { port, hostname } = scene.url
  const socket = await new Promise<TLSSocket>((resolve) => {
    const opened = connect(
      { port: Number(port), host: hostname, ca: scene.ca, ALPNProtocols: ['http/1.1'] },
      () => resolve(opened),
    )
  })
  socket.write('\u0001\u0002 no request at all\r\n\r\n')
  const answer = await new Promise<string>((resolve) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
  })
  expect(answer).toMatch(/^(HTTP\/1\.1 400|$)/)
})

/** Sends so many megabytes, without telling how many they are; resolves with the status. */
function upload(megabytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const { port, hostname } = scene.url
    const sending = httpsRequest(
      {
        ...scene.adminTls,
        port,
        host: hostname,
        method: 'POST',
        path: PATH,

        headers: { 'content-type': 'application/json' },
      },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    sending.on('error', reject)
    const chunk = Buffer.alloc(MEGABYTE, 'x')
    let left = megabytes
    const more = (): void => {
      while (left > 0) {
        left--
        if (!sending.write(chunk)) {
          sending.once('drain', more)
          return
        }
      }
      sending.end()
    }
    more()
  })
}

/** Makes a billion laughs: aliases of aliases. */
function bomb(): string {
  const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]']
  for (let level = 1; level < 10; level++)
    lines.push(
      `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(',')}]`,
    )
  return lines.join('\n')
}
