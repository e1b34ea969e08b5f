import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type CommandCluster, startCommandCluster } from '../../cli/cluster.fixtures.ts'
import { runSliceflow } from '../../cli/program.fixtures.ts'
import { ENDPOINT_SELECTORS, ENDPOINT_SLICES, NODES, SERVICES } from '../../shared/kubernetes/index.ts'
import { type SliceflowProcess, startSliceflowProcess } from '../support/sliceflow-process.ts'
import { sharedFolder } from '../support/temporary-folder.ts'
import { createFakePods, makeNode, makePod, makeService } from '../support/world/index.ts'
import { defineEndpointSelectors } from './selector-scene.ts'

const FLAGS = ['--mode', 'replace', '--endpoint-selectors', 'true']

let cluster: CommandCluster
let run: SliceflowProcess
const folder = sharedFolder()

/** Runs a command on the cluster. */
const command = (name: string, ...args: readonly string[]) =>
  runSliceflow(name, '--kubeconfig', cluster.kubeconfig, ...args)
/** Runs a command on the recording. */
const recorded = (name: string, ...args: readonly string[]) =>
  runSliceflow(name, ...args, '--from', join(folder, 'record.ndjson'))

/** A Service and an EndpointSelector of one name, each with a Pod of its own, that a run has published. */
beforeAll(async () => {
  cluster = await startCommandCluster({ crds: true })
  const { client, kubeconfig } = cluster
  await defineEndpointSelectors(client)
  await client.create(NODES, makeNode({ name: 'node-1' }))
  const pods = createFakePods(client)
  for (const [index, app] of ['server', 'worker'].entries()) {
    const pod = makePod({ namespace: 'shop', name: `${app}-1`, labels: { app } })
    await pods.start(pod, [`10.1.0.${index + 1}`], { ready: true })
  }
  await client.create(SERVICES, makeService({ namespace: 'shop', name: 'web', selector: { app: 'server' } }))
  await client.create(ENDPOINT_SELECTORS, {
    metadata: { namespace: 'shop', name: 'web' },
    spec: { selector: { matchLabels: { app: 'worker' } } },
  })
  run = startSliceflowProcess({ kubeconfig, flags: [...FLAGS, '--record', join(folder, 'record.ndjson')] })
  await run.ready
  await vi.waitFor(
    async () => {
      const { items } = await client.list(ENDPOINT_SLICES, { namespace: 'shop' })
      const published = items
        .flatMap(({ endpoints }) => endpoints ?? [])
        .map(({ targetRef }) => targetRef?.name)
      expect(published.sort()).toEqual(['server-1', 'worker-1'])
    },
    { timeout: 10_000 },
  )
  run.kill('SIGTERM')
  await run.ended
})

afterAll(async () => {
  run?.kill('SIGKILL')
  await cluster?.stop()
})

it('status counts it, checks it, and says what nothing updates without the setting', async () => {
  const { stdout } = await command('status', ...FLAGS, '-n', 'shop', '-o', 'json')
  expect(JSON.parse(stdout)).toMatchObject({
    problems: [],
    clusters: [
      { services: 1, endpointSelectors: 1, slices: 2, orphans: [], check: { checked: 2, total: 2 } },
    ],
  })
  const { stdout: text } = await command('status', '--mode', 'replace', '-n', 'shop')
  expect(text).toContain('1 slice of ours of EndpointSelectors (nothing updates them without the setting')
})

it('history distinguishes it from the Service of its name', async () => {
  const ofService = await recorded('history', cluster.name, 'shop/web')
  expect(ofService.stdout).toContain('server-1')
  expect(ofService.stdout).not.toContain('worker-1')
  const ofSelector = await recorded('history', cluster.name, 'endpointselector/shop/web')
  expect(ofSelector.stdout).toContain('worker-1')
  expect(ofSelector.stdout).not.toContain('server-1')
  const { stdout } = await recorded('history', cluster.name, 'endpointselector/shop/web', '--at', '0s')
  expect(stdout).toMatch(/^EndpointSelector: +shop\/web\n/)
  const { stderr } = await recorded('history', cluster.name, 'endpointselector/shop/api')
  expect(stderr).toContain('there is nothing of EndpointSelector shop/api')
  expect(stderr).toContain('shop/web, shop/web/EndpointSelector')
})

it('explain of a Pod names it, and when it published the Pod', async () => {
  const args = [...FLAGS, 'pod/shop/worker-1', '--from', join(folder, 'record.ndjson'), '-o', 'json']
  const { stdout } = await command('explain', ...args)
  const of = { namespace: 'shop', service: 'web', ownerKind: 'EndpointSelector' }
  expect(JSON.parse(stdout)).toMatchObject({
    objects: [
      {
        services: [
          {
            ...of,
            outcome: 'Published',
            reasons: [],
            slices: [{ addresses: ['10.1.0.2'] }],
            since: { by: 'Recording' },
          },
        ],
      },
    ],
    recorded: [{ ...of, event: 'Came', pod: 'worker-1' }],
  })
})

it('explain of it names its Pods, and nothing to write', async () => {
  const args = [...FLAGS, 'endpointselector/shop/web']
  expect((await command('explain', ...args)).stdout).toContain('EndpointSelector:  shop/web')
  const { stdout } = await command('explain', ...args, '-o', 'json')
  expect(JSON.parse(stdout)).toMatchObject({
    management: { state: 'Managed', reason: 'it has a selector' },
    endpoints: [{ name: 'worker-1' }],
    writes: { create: [], update: [], delete: [] },
  })
  const { stdout: off } = await command('explain', '--mode', 'replace', 'endpointselector/shop/web')
  expect(off).toContain('no: the setting endpointSelectors is off')
  expect(off).toContain('nothing updates them without the setting endpointSelectors')
})

it('simulate plays it as an owner of its own', async () => {
  const { stdout, code } = await runSliceflow(
    ...['simulate', '--recording', join(folder, 'record.ndjson'), '-o', 'json'],
  )
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ runs: expect.anything() })
})
