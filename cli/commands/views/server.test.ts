import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLogger } from '../../../shared/telemetry/index.ts'
import { loadSpec, type ViewEvent, type ViewObject } from '../../../shared/views/index.ts'
import { createRawClient, type RawClient } from '../../../test/support/raw-client.ts'
import { startViewServer, type ViewServer } from './server.ts'

const SPEC = loadSpec(`
controllers:
  - name: c
    sources: [{ apiGroup: "", kind: Service }]
    pipeline: { "@project": { metadata: { name: $.metadata.name }, spec: { port: $.spec.port } } }
    target: { kind: PortView }
`)
const VIEWS = '/apis/op.view.dcontroller.io/v1alpha1'

const view = (name: string, port: number, metadata: object = { namespace: 'shop' }): ViewObject => ({
  apiVersion: 'op.view.dcontroller.io/v1alpha1',
  kind: 'PortView',
  metadata: { name, ...metadata },
  spec: { port },
})
const added = (object: ViewObject): ViewEvent => ({ type: 'Added', object })

describe('a server of views', () => {
  let server: ViewServer
  let reader: RawClient
  let logged: { readonly msg: string; readonly name?: string }[]

  beforeEach(async () => {
    logged = []
    server = await startViewServer(SPEC, 0, createLogger({ write: (line) => logged.push(JSON.parse(line)) }))
    reader = createRawClient(server.kubeconfig)
  })
  afterEach(async () => {
    reader.close()
    await server.close()
  })

  async function apply(...events: readonly ViewEvent[]): Promise<void> {
    server.apply(events)
    await server.settled()
  }
  const ports = async (): Promise<string[]> => {
    const { body } = await reader.get(`${VIEWS}/portviews`)
    return body.items.map(
      ({ metadata, spec }: ViewObject) => `${metadata.namespace}/${metadata.name} ${JSON.stringify(spec)}`,
    )
  }

  it('shows what was added, changed and deleted, in any namespace and under any name', async () => {
    await apply(added(view('web-TCP-80', 80)), added(view('a:b', 81, { namespace: 'other' })))
    await apply(added(view('whole', 82, {})))
    expect(await ports()).toEqual([
      'default/whole {"port":82}',
      'other/a:b {"port":81}',
      'shop/web-TCP-80 {"port":80}',
    ])
    const [old, next] = [view('web-TCP-80', 80), view('web-TCP-80', 443)]
    const gone = view('whole', 82, {})
    server.apply([{ type: 'Updated', object: next, old }])
    await apply({ type: 'Deleted', object: gone, old: gone })
    expect(await ports()).toEqual(['other/a:b {"port":81}', 'shop/web-TCP-80 {"port":443}'])
  })

  it('can be watched', async () => {
    const watch = await reader.watch(`${VIEWS}/namespaces/shop/portviews`)
    await apply(added(view('web', 80)), added(view('web', 80, { namespace: 'other' })))
    await apply({ type: 'Updated', object: view('web', 81), old: view('web', 80) })
    const events = await watch.until(({ type }) => type === 'MODIFIED')
    expect(events.map(({ type, object }) => `${type} ${object.spec.port}`)).toEqual([
      'ADDED 80',
      'MODIFIED 81',
    ])
    watch.close()
  })

  it('has a table for kubectl', async () => {
    await apply(added(view('web', 80)))
    const accept = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
    const { body } = await reader.get(`${VIEWS}/namespaces/shop/portviews`, accept)
    expect(body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Port', 'Age'])
    expect(body.rows[0].cells.slice(0, 2)).toEqual(['web', '80'])
  })

  it('refuses every write of anybody else', async () => {
    await apply(added(view('web', 80)))
    const path = `${VIEWS}/namespaces/shop/portviews`
    const answers = await Promise.all([
      reader.post(path, view('mine', 1)),
      reader.put(`${path}/web`, view('web', 1)),
      reader.patch(`${path}/web`, { spec: { port: 1 } }),
      reader.delete(`${path}/web`),
      reader.delete(path),
      reader.post('/api/v1/namespaces', { metadata: { name: 'mine' } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403))
    expect(answers[0]?.body.message).toMatch(/cannot create resource "portviews"/)
    expect(await ports()).toEqual(['shop/web {"port":80}'])
    const stranger = createRawClient(server.kubeconfig, {})
    expect((await stranger.get(path)).status).toBe(401)
    stranger.close()
  })

  it('keeps its own uid and versions, whatever a spec has copied', async () => {
    const copied = { namespace: 'shop', uid: 'theirs', resourceVersion: '7', labels: { app: 'web' } }
    await apply(added(view('web', 80, copied)))
    const { body } = await reader.get(`${VIEWS}/namespaces/shop/portviews/web`)
    expect(body.metadata.uid).not.toBe('theirs')
    expect(body.metadata.labels).toEqual({ app: 'web' })
    expect(logged).toEqual([])
  })

  it('reports an object that it cannot show, and shows the others', async () => {
    await apply(
      added(view('bad', 80, { namespace: 'shop', labels: { 'not a label': '' } })),
      added(view('good', 80)),
    )
    expect(await ports()).toEqual(['shop/good {"port":80}'])
    expect(logged).toMatchObject([{ msg: 'a view object cannot be shown', name: 'bad' }])
  })

  it('shows an object once it can be shown', async () => {
    const bad = view('web', 80, { namespace: 'shop', labels: { 'not a label': '' } })
    await apply(added(bad))
    await apply({ type: 'Updated', object: view('web', 81), old: bad })
    expect(await ports()).toEqual(['shop/web {"port":81}'])
    expect(logged).toHaveLength(1)
  })

  it('does not show what an object was before that cannot be shown as it is, until it can', async () => {
    const [before, after] = [view('web', 80), view('web', 82)]
    const bad = view('web', 81, { namespace: 'shop', labels: { 'not a label': '' } })
    await apply(added(before))
    await apply({ type: 'Updated', object: bad, old: before })
    expect(await ports()).toEqual([])
    await apply({ type: 'Updated', object: after, old: bad })
    expect(await ports()).toEqual(['shop/web {"port":82}'])
    expect(logged).toHaveLength(1)
  })

  it.each(['..', 'a/b'])('does not show an object that nobody could ask for: %s', async (name) => {
    const [one, other] = [view(name, 80), view(name, 81)]
    await apply(added(one))
    await apply({ type: 'Updated', object: other, old: one })
    expect(await ports()).toEqual([])
    expect(logged).toMatchObject([{ name }, { name }])
  })
})
