import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startDatabases } from '../../examples/control-plane.ts'
import { createRawClient } from '../support/raw-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PATH = '/apis/example.org/v1/namespaces/default/databases'

it('the control plane for an API of one’s own serves it as Kubernetes would', async () => {
  const folder = temporaryFolder()
  const controlPlane = await startDatabases(join(folder, 'kubeconfig'), join(folder, 'data'))
  onTestFinished(() => controlPlane.close())
  const client = createRawClient(await readFile(join(folder, 'kubeconfig'), 'utf8'))
  onTestFinished(() => client.close())

  const made = { apiVersion: 'example.org/v1', kind: 'Database', metadata: { name: 'orders' }, spec: {} }
  const claimed = { ...made, metadata: { name: 'claimed' }, status: { phase: 'Ready' } }
  expect((await client.post(PATH, claimed)).body.status).toBeUndefined()
  await client.delete(`${PATH}/claimed`)
  const watch = await client.watch(PATH)
  expect(await client.post(PATH, made)).toMatchObject({ status: 201, body: { spec: { sizeGb: 10 } } })
  expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'orders' } } })
  watch.close()
  expect(await client.post(PATH, { ...made, metadata: { name: 'b' }, spec: { sizeGb: -1 } })).toMatchObject({
    status: 422,
    body: { reason: 'Invalid', details: { causes: [{ field: 'spec.sizeGb' }] } },
  })
  const table = await client.get(PATH, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })
  expect(table.body.rows[0].cells.slice(0, 2)).toEqual(['orders', '10 GB'])
  const status = { status: { phase: 'Ready' }, spec: { sizeGb: 99 } }
  const headers = { 'content-type': 'application/merge-patch+json' }
  const patched = await client.send('PATCH', `${PATH}/orders/status`, { body: status, headers })
  expect(patched.body).toMatchObject({ spec: { sizeGb: 10 }, status: { phase: 'Ready' } })
  const { body } = await client.get('/apis/example.org/v1')
  expect(body.resources.map(({ name }: { name: string }) => name)).toEqual(['databases', 'databases/status'])
})
