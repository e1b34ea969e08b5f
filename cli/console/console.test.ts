import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import { readEventStream, type StreamMessage } from '../../test/support/event-stream.ts'
import { type ConsoleScene, openConsoleScene, putSlice, sliceOfWeb } from './console.fixtures.ts'

const TOKEN = 'x'.repeat(32)

let scene: ConsoleScene
let url: string

beforeAll(async () => {
  scene = await openConsoleScene(TOKEN)
  url = await scene.page.listen(0)
})
afterAll(() => scene?.stop())

/** Returns the next message of this name whose data is wanted. */
async function next(
  stream: AsyncGenerator<StreamMessage>,
  name: string,
  isWanted: (data: StreamMessage['data']) => boolean = () => true,
): Promise<StreamMessage['data']> {
  for (let read = await stream.next(); !read.done; read = await stream.next())
    if (read.value.name === name && isWanted(read.value.data)) return read.value.data
  throw new Error(`the stream ended before ${name}`)
}

function openStream(query = ''): AsyncGenerator<StreamMessage> {
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  return readEventStream(`${url}events${query}`, ending.signal)
}

const write = () => ({
  action: 'update' as const,
  before: sliceOfWeb('web-a', 'r'),
  after: sliceOfWeb('web-a', 'rr'),
  reasons: { removalCauseOf: () => ({ cause: 'Deleted' as const }), podVersion: () => undefined },
})

describe('the console', () => {
  it('serves a page that loads nothing from elsewhere, and all that it loads', async () => {
    const page = await (await fetch(url)).text()
    const loaded = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = '']) => link)
    expect(loaded.filter((link) => !link.startsWith('data:')).sort()).toEqual([
      'console.css',
      'main.js',
      'report.css',
    ])
    const seen = new Set<string>()
    const waiting = loaded.filter((link) => !link.startsWith('data:'))
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (seen.has(file)) continue
      seen.add(file)
      const response = await fetch(url + file)
      expect(response.status, file).toBe(200)
      const imports = [...(await response.text()).matchAll(/from '\.\/([^']+)'/g)]
      waiting.push(...imports.map(([, imported = '']) => imported))
    }
    expect(seen.size).toBeGreaterThan(8)
  })

  it('sends a new page the current state, then events', async () => {
    const stream = openStream()
    const welcome = await next(stream, 'welcome')
    expect(welcome).toMatchObject({ mode: 'custom', managedBy: 'sliceflow.dev', clusters: [scene.name] })
    await scene.page.opened
    scene.page.recorder.wrote({ cluster: scene.name, namespace: 'shop', service: 'web' }, write())
    const { events } = await next(stream, 'events')
    expect(events).toMatchObject([
      { kind: 'write', service: 'web', text: 'slice web-a written: 10.0.0.2 came' },
    ])
    const figures = await next(stream, 'figures')
    expect(figures.clusters).toMatchObject([{ name: scene.name, state: 'not followed' }])
    const later = await next(openStream(), 'welcome')
    expect(later.events).toMatchObject(events)
    expect(later.samples.length).toBeGreaterThan(0)
  })

  it('follows the slices of the Service that is chosen, whoever writes them', async () => {
    const { client, name } = scene
    await putSlice(client, sliceOfWeb('web-a', 'rru'))
    const stream = openStream(`?cluster=${name}&service=shop/web`)
    const cells = (expected: readonly string[]) => (data: StreamMessage['data']) =>
      data.slices?.map((slice: { name: string; cells: string }) => `${slice.name} ${slice.cells}`).join() ===
      expected.join()
    await next(stream, 'slices', cells(['web-a rru']))
    await putSlice(client, sliceOfWeb('web-a', 'rrr'))
    await putSlice(client, sliceOfWeb('web-b', 't', 'somebody'))
    await next(stream, 'slices', cells(['web-a rrr', 'web-b t']))
    await client.delete(ENDPOINT_SLICES, { namespace: 'shop', name: 'web-a' })
    const { slices } = await next(stream, 'slices', cells(['web-b t']))
    expect(slices).toEqual([{ name: 'web-b', cells: 't', manager: 'somebody' }])
  })

  it('says what is wrong with a Service that cannot be chosen, and shows all else', async () => {
    const stream = openStream(`?cluster=${scene.name}&service=web`)
    expect(await next(stream, 'slices')).toEqual({
      problem: expect.stringMatching(/^That is not the name of a Service: give NAMESPACE\/NAME/),
    })
    await next(stream, 'figures')
  })
})
