import { describe, expect, it, onTestFinished } from 'vitest'
import { type ApiClient, NAMESPACES, NODES, SERVICES } from '../../shared/kubernetes/index.ts'
import { openKubeconfigs } from '../support/kubeconfig-folder.ts'
import type { SliceflowProcess } from '../support/sliceflow-process.ts'
import { startTestRun } from '../support/test-run.ts'
import { type CollectedSpan, startTraceCollector } from '../support/trace-collector.ts'
import { createFakePods, makeNode, makePod, makeService } from '../support/world/index.ts'
import { startEmbeddedCluster } from './embedded-cluster.ts'

const NAMESPACE = 'shop'
/** Prints each module of OpenTelemetry that the process asks for, but its API, which prom-client takes. */
const TELL_MODULES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve(specifier, context, next) {
      if (/@opentelemetry.(?!api$)|open-telemetry/.test(specifier)) process.stderr.write('LOADS ' + specifier + '\\n')
      return next(specifier, context)
    },
  })
`)}`

interface Scene {
  readonly client: ApiClient
  readonly run: (
    flags: readonly string[],
    env?: Readonly<Record<string, string>>,
  ) => Promise<SliceflowProcess>
}

/** Starts a cluster with a Service, and offers a way to run Sliceflow on it. */
async function setScene(): Promise<Scene> {
  const cluster = await startEmbeddedCluster('traced')
  const kubeconfigs = await openKubeconfigs()
  const { client } = await kubeconfigs.connect(cluster.admin)
  const kubeconfig = await kubeconfigs.write(cluster.user)
  onTestFinished(async () => {
    await kubeconfigs.close()
    await cluster.stop()
  })
  await client.create(NAMESPACES, { metadata: { name: NAMESPACE } })
  await client.create(NODES, makeNode({ name: 'node-1', zone: 'zone-a' }))
  const annotations = { 'sliceflow.dev/selector': 'app=web' }
  await client.create(
    SERVICES,
    makeService({ namespace: NAMESPACE, name: 'web', selector: null, annotations }),
  )
  return {
    client,
    async run(flags, env) {
      const started = startTestRun({
        kubeconfig,
        flags,
        nodeFlags: ['--import', TELL_MODULES],
        ...(env && { env }),
      })
      await started.ready
      return started
    },
  }
}

async function addPod(client: ApiClient): Promise<void> {
  const pod = makePod({ namespace: NAMESPACE, name: 'web-1', labels: { app: 'web' } })
  await createFakePods(client).start(pod, ['10.0.0.1'])
}

/** Ends it, so that it has sent all spans. */
async function end(process: SliceflowProcess): Promise<void> {
  process.kill('SIGTERM')
  expect(await process.ended).toBe(0)
}

describe('traces of `run`', () => {
  it('follow a change from the watch event over the message to what was read and written', async () => {
    const { client, run } = await setScene()
    const { url, spans, requests } = await startTraceCollector()
    const process = await run(['--traces', url], {
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret-1',
    })
    const wrote = (): readonly CollectedSpan[] =>
      spans.filter(({ name }) => /^(create|update) endpointslices$/.test(name))
    // An empty slice; what is looked at is the change of a Pod.
    await expect.poll(() => wrote().length).toBe(1)
    await addPod(client)
    await expect.poll(() => wrote().length).toBeGreaterThan(1)
    await end(process)

    const write = wrote().at(-1) as CollectedSpan
    const trace = spans.filter(({ traceId }) => traceId === write.traceId)
    const parentOf = (span: CollectedSpan): CollectedSpan =>
      trace.find(({ spanId }) => spanId === span.parentSpanId) as CollectedSpan
    const reconcile = parentOf(write)
    const send = parentOf(reconcile)
    const change = parentOf(send)
    expect([change, send, reconcile, write].map(({ name, kind }) => [name, kind])).toEqual([
      ['change', 1],
      ['send live', 4],
      ['reconcile', 5],
      ['update endpointslices', 3],
    ])
    expect(change.parentSpanId).toBeUndefined()
    expect(change.attributes).toMatchObject({
      'k8s.cluster.name': 'traced',
      'k8s.namespace.name': NAMESPACE,
      'k8s.service.name': 'web',
    })
    expect(reconcile.attributes).toMatchObject({
      'messaging.message.id': expect.stringMatching(/./),
      'sliceflow.slices.updated': 1,
      'sliceflow.receive_count': 1,
    })
    expect(write.attributes).toMatchObject({ 'sliceflow.api.name': expect.stringMatching(/^web-/) })
    const reads = trace.filter(({ name }) => /^(get|list) /.test(name))
    expect(reads.length).toBeGreaterThan(0)
    for (const span of trace) {
      expect(span.service).toBe('sliceflow')
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
      expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(change.startTimeUnixNano))
    }
    expect(requests[0]).toMatchObject({ path: '/v1/traces', headers: { authorization: 'Bearer secret-1' } })
    expect(process.stderr).toContain('LOADS @opentelemetry/sdk-trace')
    expect(process.stderr).not.toContain('secret-1')
  })

  it('are off by default: nothing of OpenTelemetry is loaded, and nothing sent', async () => {
    const { client, run } = await setScene()
    const { url, requests } = await startTraceCollector()
    const process = await run(['--log-format', 'json'], { OTEL_EXPORTER_OTLP_ENDPOINT: url })
    await addPod(client)
    await expect.poll(() => process.stderr).toContain('"wrote slices"')
    await end(process)
    expect(process.stderr).not.toContain('LOADS')
    expect(requests).toEqual([])
  })
})
