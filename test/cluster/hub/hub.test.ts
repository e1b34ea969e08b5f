import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleImage } from '../../../infra/bundling/index.ts'
import { SLICEFLOW_TOKEN, SLICEFLOW_USER } from '../../end-to-end/cluster.ts'
import { createRawClient, type Json, type RawClient } from '../../support/raw-client.ts'
import { createWorkload } from '../../support/workload.ts'
import { type ApiServer, startApiServer } from '../api-server.ts'
import { ensureBinaries } from '../binaries.ts'
import { type ControllerManager, startControllerManager } from '../controller-manager.ts'
import { freePort } from '../free-port.ts'
import { clientOf } from '../run-command.ts'
import { type PlayedPod, startPod } from './kubelet.ts'
import { helm, IMAGE, renderBase, renderChart, type Values } from './render.ts'
import { SERVICE_MONITORS } from './service-monitors.ts'

const SETTLE_SECONDS = 60
const PODS = '/api/v1/namespaces/sliceflow/pods'
const PROMETHEUS = [{ namespaceSelector: {} }]

/** Returns the commands by which docs/without-aws.md inspects a pod, with the port that it has. */
async function lookOfPage({ spec }: Json): Promise<readonly string[]> {
  const page = await readFile(new URL('../../../docs/without-aws.md', import.meta.url), 'utf8')
  const [, block = ''] = /```sh\n(sliceflow\(\)[\s\S]+?)```/.exec(page) ?? []
  const [port] = spec.containers[0].ports
  return block.replaceAll('9090', String(port.containerPort)).trimEnd().split('\n')
}

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
    const reported = await apply(objects.values(), '--dry-run=server')
    const lines = reported.trimEnd().split('\n')
    expect(lines).toHaveLength(objects.size)
    for (const line of lines) expect(line).toMatch(/ (created|configured|unchanged) \(server dry run\)$/)
  })

  describe('that Helm installs', () => {
    let image: string
    let further: ApiServer

    beforeAll(async () => {
      image = await mkdtemp(join(tmpdir(), 'sliceflow-image-'))
      await bundleImage(image)
      further = await startApiServer({
        name: 'eu-1',
        users: [{ token: SLICEFLOW_TOKEN, user: SLICEFLOW_USER }],
      })
    })
    afterAll(async () => {
      await further?.stop()
      await rm(image, { recursive: true })
    })

    /** @returns the pod, and the commands that Helm prints after the installation, a line each */
    async function install(): Promise<{ pod: Json; commands: string[] }> {
      const clusters = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'clusters', namespace: 'sliceflow' },
        stringData: { config: further.kubeconfigFor(SLICEFLOW_TOKEN) },
      }
      await apply([clusters])
      const values = {
        ...IMAGE,
        metrics: { port: await freePort() },
        kubeconfig: { secret: 'clusters', contexts: ['eu-1'] },
        fleet: { enabled: true },
        settings: { mirrorEndpoints: true },
      }
      const [, notes = ''] = (await helm('install', values, hub.kubeconfig.path)).split('\nNOTES:\n')
      // The namespace is of the level `restricted`: a pod that asks for more would not be made.
      await expect.poll(async () => (await admin.get(PODS)).body.items).toHaveLength(1)
      const commands = notes.split('\n').filter((line) => line.startsWith('  '))
      return { pod: (await admin.get(PODS)).body.items[0], commands }
    }

    /** Types commands into a shell whose kubectl enters the played pod, as there is no kubelet. */
    async function type(pod: PlayedPod, commands: readonly string[]): Promise<string> {
      const { kubectl: program = 'kubectl' } = await ensureBinaries()
      const played = `kubectl() { case $1 in exec) shift 5; "$@";; *) command ${program} "$@";; esac; }`
      const env = {
        ...process.env,
        ...pod.env,
        KUBECONFIG: `${hub.kubeconfig.path}:${further.kubeconfig.path}`,
      }
      const script = [played, ...commands.map(pod.here)].join('\n')
      return (await promisify(execFile)('sh', ['-ec', script], { env })).stdout
    }

    it('make a pod that reconciles the hub and a further cluster once the printed commands are typed', async () => {
      const { pod, commands } = await install()
      const started = await startPod({ server: hub, admin, pod, image })
      try {
        const [logs, enter = '', status = '', ...once] = commands
        expect(logs).toBe('  kubectl logs deployment/sliceflow --namespace sliceflow')
        const reported = await type(started, [enter, ...once])
        for (const role of ['sliceflow', 'sliceflow-fleet-import', 'sliceflow-mirroring'])
          expect(reported).toContain(`clusterrole.rbac.authorization.k8s.io/${role} created`)
        expect(reported.match(/serviceimports.multicluster.x-k8s.io created/g)).toHaveLength(2)
        await expect.poll(() => started.probe('readinessProbe'), { message: started.log }).toBe(200)
        expect(await started.probe('livenessProbe')).toBe(200)
        const early = started.log.length
        for (const [seed, { kubeconfig }] of [hub, further].entries()) {
          const client = await clientOf(kubeconfig.text)
          const load = createWorkload({ client, services: 5, podsPerService: 5, seed: 500 + seed })
          await load.createAll()
          expect((await load.settle(SETTLE_SECONDS)).differences).toEqual([])
        }
        for (const sync of [[enter, status], await lookOfPage(pod)]) {
          const printed = await type(started, sync)
          expect(printed).toContain('Healthy: nothing to do.')
          expect(printed).not.toContain('cannot be read')
        }
        expect(started.log.slice(early)).not.toContain('cannot')
      } finally {
        expect(await started.terminate()).toBe(0)
      }
      expect(started.log).toContain('following 2 clusters: hub, eu-1')
    })

    it('need nothing beside the image', async () => {
      expect((await readdir(image)).toSorted()).toEqual(
        ['Containerfile', 'chunks', 'infra', 'main.js', 'package.json'].toSorted(),
      )
    })
  })
})
