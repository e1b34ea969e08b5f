import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleImage } from '../../../infra/bundling/index.ts'
import type { TestCluster } from '../../end-to-end/cluster.ts'
import { startEmbeddedCluster } from '../../end-to-end/embedded-cluster.ts'
import { createRawClient, type Json, type RawClient } from '../../support/raw-client.ts'
import { createWorkload, type Workload } from '../../support/workload.ts'
import { type ApiServer, startApiServer } from '../api-server.ts'
import { ensureBinaries } from '../binaries.ts'
import { type ControllerManager, startControllerManager } from '../controller-manager.ts'
import { freePort } from '../free-port.ts'
import { clientOf } from '../run-command.ts'
import { startPod } from './kubelet.ts'
import { helm, IMAGE, renderBase, renderChart, type Values } from './render.ts'
import { SERVICE_MONITORS } from './service-monitors.ts'

const SETTLE_SECONDS = 60
const PODS = '/api/v1/namespaces/sliceflow/pods'
const PROMETHEUS = [{ namespaceSelector: {} }]

describe('the manifests of a hub', () => {
  let hub: ApiServer
  let admin: RawClient
  let controllers: ControllerManager

  beforeAll(async () => {
    hub = await startApiServer({ name: 'hub' })
    admin = createRawClient(hub.kubeconfig.text)
    controllers = await startControllerManager({
      kubeconfig: hub.kubeconfig.path,
      controllers: ['deployment-controller', 'replicaset-controller'],
    })
    await apply([(await renderBase()).get('Namespace')])
    await apply([SERVICE_MONITORS])
    await kubectl([], 'wait', '--for=condition=Established', 'crd/servicemonitors.monitoring.coreos.com')
  })
  afterAll(async () => {
    await controllers?.stop()
    admin?.close()
    await hub?.stop()
  })

  /** @returns what kubectl says on both streams, warnings of the server among it */
  async function kubectl(objects: Iterable<Json>, ...args: readonly string[]): Promise<string> {
    const { kubectl: program = 'kubectl' } = await ensureBinaries()
    const call = promisify(execFile)(program, ['--kubeconfig', hub.kubeconfig.path, ...args])
    const list = { apiVersion: 'v1', kind: 'List', items: [...objects] }
    call.child.stdin?.end(JSON.stringify(list))
    const { stdout, stderr } = await call
    return stdout + stderr
  }

  const apply = (objects: Iterable<Json>, ...flags: readonly string[]): Promise<string> =>
    kubectl(objects, 'apply', '--filename=-', ...flags)

  const ALL: Values = {
    settings: { mode: 'replace', stateDir: '/var/lib/sliceflow/state' },
    kubeconfig: { secret: 'clusters', contexts: ['eu-1'], tokens: [{ name: 'eu-1', audience: 'eu-1' }] },
    queue: { url: 'http://elasticmq:9324/000000000000/live', credentials: 'queue' },
    volume: { claim: 'state' },
    serviceMonitor: { enabled: true },
    networkPolicy: { metricsFrom: PROMETHEUS },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    priorityClassName: 'system-cluster-critical',
    podAnnotations: { 'example.org/owner': 'network' },
  }

  it.each([
    ['the chart', () => renderChart()],
    ['the chart with much of what it has', () => renderChart(ALL)],
    ['the base', () => renderBase()],
    [
      'the base with its components',
      () => renderBase({ components: ['clusters', 'service-monitor', 'shadow'] }),
    ],
  ])('of %s are right for the API server, without a warning', async (_, render) => {
    const objects = await render()
    const told = await apply(objects.values(), '--dry-run=server')
    const lines = told.trimEnd().split('\n')
    expect(lines).toHaveLength(objects.size)
    for (const line of lines) expect(line).toMatch(/ (created|configured|unchanged) \(server dry run\)$/)
  })

  describe('that Helm installs', () => {
    let image: string
    let further: TestCluster

    beforeAll(async () => {
      image = await mkdtemp(join(tmpdir(), 'sliceflow-image-'))
      await bundleImage(image)
      further = await startEmbeddedCluster('eu-1')
    })
    afterAll(async () => {
      await further?.stop()
      await rm(image, { recursive: true })
    })

    async function install(): Promise<Json> {
      const clusters = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'clusters', namespace: 'sliceflow' },
        stringData: { config: further.user },
      }
      await apply([clusters])
      const values = {
        ...IMAGE,
        metrics: { port: await freePort() },
        kubeconfig: { secret: 'clusters', contexts: ['eu-1'] },
      }
      expect(await helm('install', values, hub.kubeconfig.path)).toContain(
        'In each cluster of Secret clusters, once: sliceflow rbac | kubectl apply -f -',
      )
      // The namespace is of the level `restricted`: a pod that asks for more would not be made.
      await expect.poll(async () => (await admin.get(PODS)).body.items).toHaveLength(1)
      return (await admin.get(PODS)).body.items[0]
    }

    it('make a pod that reconciles the hub and a further cluster from the files of the image', async () => {
      const loads: Workload[] = []
      for (const [seed, kubeconfig] of [hub.kubeconfig.text, further.admin].entries()) {
        const client = await clientOf(kubeconfig)
        loads.push(createWorkload({ client, services: 5, podsPerService: 5, seed: 500 + seed }))
      }
      const started = await startPod({ server: hub, admin, pod: await install(), image })
      try {
        await expect.poll(() => started.probe('readinessProbe'), { message: started.log }).toBe(200)
        expect(await started.probe('livenessProbe')).toBe(200)
        for (const load of loads) {
          await load.createAll()
          expect((await load.settle(SETTLE_SECONDS)).differences).toEqual([])
        }
      } finally {
        expect(await started.terminate()).toBe(0)
      }
      expect(started.log).toContain('following 2 clusters: hub, eu-1')
      expect(started.log).not.toContain('cannot')
    })

    it('need nothing beside the image', async () => {
      expect((await readdir(image)).toSorted()).toEqual(
        ['Containerfile', 'chunks', 'infra', 'main.js', 'package.json'].toSorted(),
      )
    })
  })
})
