import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ResourceDefinition } from './apiserver/registry/definition/resource-definition.ts'
import { MemoryBackend } from './apiserver/storage/backend.ts'
import { createControlPlane } from './control-plane.ts'
import { builtinResources } from './resources/builtin.ts'
import { startWebhookServer } from './testing/webhook-server.ts'

const [someResource] = builtinResources('services').filter(({ plural }) => plural === 'configmaps')

/** Returns the default resources. One of them does this when the server ends. */
function resourcesEndingWith(...ends: (() => void)[]): ResourceDefinition[] {
  const others = builtinResources('services').filter(({ plural }) => plural !== 'configmaps')
  if (!someResource) throw new Error('failed to find the resource configmaps: it is not built in')
  const kinds = ends.map((end, index) => ({
    ...someResource,
    group: `g${index}.example.com`,
    lifecycle: { start: () => end },
  }))
  return [...others, someResource, ...kinds]
}

class ClosableBackend extends MemoryBackend {
  closed = 0
  override close(): void {
    this.closed++
  }
}

describe('close', () => {
  it('ends all parts, the last one first, whatever one of them throws', async () => {
    const ended: string[] = []
    const fail = (name: string) => () => {
      ended.push(name)
      throw new Error(`failed to end ${name}`)
    }
    const backend = new ClosableBackend()
    const resources = resourcesEndingWith(fail('first'), () => ended.push('second'))
    const controlPlane = await createControlPlane({ apis: { resources }, storage: { backend } })
    await controlPlane.listen()
    await expect(controlPlane.close()).rejects.toThrow('failed to end first')
    expect(ended).toEqual(['second', 'first'])
    expect(backend.closed).toBe(1)
  })

  it('comes after what it has cut off was audited', async () => {
    const stages: string[] = []
    const audit = ({ stage }: { readonly stage: string }): void => void stages.push(stage)
    const tokens = { t: { username: 'ada', groups: [] } }
    const controlPlane = await createControlPlane({ authentication: { tokens }, observer: { audit } })
    const { url } = await controlPlane.listen()
    const session = connect(url, { rejectUnauthorized: false }).on('error', () => undefined)
    const watches = Array.from({ length: 20 }, () =>
      session
        .request({ ':path': '/api/v1/namespaces?watch=true', authorization: 'Bearer t' })
        .on('error', () => undefined),
    )
    await Promise.all(watches.map((watch) => once(watch, 'response')))
    await controlPlane.close()
    expect(stages.filter((stage) => stage === 'ResponseComplete')).toHaveLength(watches.length)
  })

  it('is the same end when it is asked for again', async () => {
    const backend = new ClosableBackend()
    const controlPlane = await createControlPlane({ storage: { backend } })
    await Promise.all([controlPlane.close(), controlPlane.close()])
    await controlPlane.close()
    expect(backend.closed).toBe(1)
    await expect(controlPlane.listen()).rejects.toThrow('failed to listen: the control plane is closed')
  })

  it('comes also to a server that cannot be made', async () => {
    const backend = new ClosableBackend()
    const authentication = {
      jwt: [{ issuer: 'https://issuer.example.com', audiences: [], keySet: '/nowhere' }],
    }
    const making = createControlPlane({ storage: { backend }, authentication })
    await expect(making).rejects.toThrow('failed to trust the issuer')
    expect(backend.closed).toBe(1)
  })
})

describe('listen', () => {
  it('is refused while the server listens, and may be tried again where the address was taken', async () => {
    const [one, other] = [await createControlPlane(), await createControlPlane()]
    const { port } = await one.listen()
    await expect(other.listen({ port })).rejects.toThrow('EADDRINUSE')
    await other.listen()
    await expect(other.listen()).rejects.toThrow('the control plane listens already')
    await Promise.all([one.close(), other.close()])
  })
})

/** Less than the webhook's 30 seconds: what waits for that to be over has left it open. */
const LIMIT = 25_000

it(
  'a process ends by itself after close, whatever was in use',
  async () => {
    const silent = await startWebhookServer(() => undefined)
    onTestFinished(() => silent.close())
    const script = fileURLToPath(new URL('./testing/everything-closed.ts', import.meta.url))
    const child = fork(script, [silent.url, silent.caBundle], { silent: true, timeout: LIMIT })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    }
    silent.answer(() => void child.send('asked'))
    const [code, signal] = await once(child, 'close')
    expect([output.trim(), code, signal]).toEqual(['closed', 0, null])
  },
  2 * LIMIT,
)
