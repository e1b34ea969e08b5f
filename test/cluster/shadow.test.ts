import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { IN_TREE_CONTROLLER, LABEL_MANAGED_BY } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import { SLICEFLOW_TOKEN, SLICEFLOW_USER } from '../end-to-end/cluster.ts'
import { createRawClient } from '../support/raw-client.ts'
import type { SliceflowProcess } from '../support/sliceflow-process.ts'
import { createWorkload } from '../support/workload.ts'
import { type ApiServer, startApiServer } from './api-server.ts'
import { type ControllerManager, startControllerManager } from './controller-manager.ts'
import { applyRoles } from './roles.ts'
import { clientOf, startRun, writeFileForTest } from './run-command.ts'

const SETTLE_SECONDS = 90
/** Several comparisons 5 s apart, of keys that wait for each other. */
const PATIENT = { timeout: 60_000, interval: 250 }
const DIFFERS = 'shadow: would publish something else'
const IS_OVER = 'shadow: no longer differs'

let server: ApiServer
let controllers: ControllerManager

beforeAll(async () => {
  server = await startApiServer({ name: 'real', users: [{ token: SLICEFLOW_TOKEN, user: SLICEFLOW_USER }] })
  const admin = createRawClient(server.kubeconfig.text)
  await applyRoles(admin, 'read-only.yaml')
  admin.close()
  controllers = await startControllerManager({
    kubeconfig: server.kubeconfig.path,
    controllers: ['endpointslice-controller', 'garbage-collector-controller'],
  })
})
afterAll(async () => {
  await controllers?.stop()
  await server?.stop()
})

/** Reads the shadow's gauges by result, such as `{ same: 3, different: 0, invalid: 0 }`. */
async function servicesByResult(run: SliceflowProcess): Promise<Record<string, number>> {
  const url = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(run.stderr)?.[0] ?? ''
  const text = await (await fetch(url)).text()
  const lines = text.matchAll(/^sliceflow_shadow_services\{result="(\w+)"\} (\d+)$/gm)
  return Object.fromEntries([...lines].map(([, result = '', count]) => [result, Number(count)]))
}

it('beside the in-tree controller a shadow finds no lasting difference under load, and tells of a slice that is frozen wrong', async () => {
  const client = await clientOf(server.kubeconfig.text)
  const kubeconfig = await writeFileForTest('kubeconfig', server.kubeconfigFor(SLICEFLOW_TOKEN))
  const run = startRun(kubeconfig, '--shadow', '--mode', 'replace', '--metrics-port', '0')
  await run.ready
  const load = createWorkload({
    client,
    services: 20,
    podsPerService: 5,
    seed: 77,
    settings: { mode: 'replace', managedBy: IN_TREE_CONTROLLER },
    // What the in-tree controller does not react to, and a shadow therefore rightly reports: nodes, and pods
    // that fail unready.
    without: ['node-zone', 'node-toggle', 'pod-failure'],
  })

  await load.createAll()
  await load.change({ rate: 15, seconds: 8 })
  expect((await load.settle(SETTLE_SECONDS)).differences).toEqual([])
  await expect
    .poll(() => servicesByResult(run), PATIENT)
    .toMatchObject({ different: 0, same: expect.any(Number) })
  await expect.poll(async () => (await servicesByResult(run)).same, PATIENT).toBeGreaterThan(10)
  expect(run.stderr).not.toContain(DIFFERS)

  // While the controller sleeps, another writer corrupts one of its slices.
  process.kill(controllers.pid, 'SIGSTOP')
  onTestFinished(() => void process.kill(controllers.pid, 'SIGCONT'))
  const labelSelector = `${LABEL_MANAGED_BY}=${IN_TREE_CONTROLLER}`
  const { items } = await client.list(ENDPOINT_SLICES, { labelSelector })
  const slice = items.find(({ endpoints }) => (endpoints ?? []).length > 1)
  const { namespace, name = '' } = slice?.metadata ?? {}
  await client.patch(ENDPOINT_SLICES, { namespace, name }, { endpoints: slice?.endpoints?.slice(1) })
  await expect.poll(() => run.stderr, PATIENT).toContain(DIFFERS)
  expect(run.stderr).toMatch(/kinds=\{"missing":1\}/)
  expect(await servicesByResult(run)).toMatchObject({ different: 1 })

  process.kill(controllers.pid, 'SIGCONT')
  await expect.poll(() => run.stderr, PATIENT).toContain(IS_OVER)
  expect(await servicesByResult(run)).toMatchObject({ different: 0 })
  // It would have been refused, and that would have been reported.
  expect(run.stderr).not.toMatch(/forbidden|cannot (create|update|patch|delete)/i)
})
