import { describe, expect, it } from 'vitest'
import type { SliceflowProcess } from '../support/sliceflow-process.ts'
import { startTestRun } from '../support/test-run.ts'
import { type CollectedSpan, startTraceCollector } from '../support/trace-collector.ts'
import { startEmbeddedCluster } from './embedded-cluster.ts'
import { openWeb, until } from './scene.ts'
import { useCluster } from './use-cluster.ts'

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

const cluster = useCluster((name) => startEmbeddedCluster(name))

/** Starts Sliceflow as a process. */
async function run(
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<SliceflowProcess> {
  const { kubeconfig } = cluster()
  const started = startTestRun({ kubeconfig, flags, nodeFlags: ['--import', TELL_MODULES], env })
  await started.ready
  return started
}

/** Ends it, so that it has sent all spans. */
async function end(process: SliceflowProcess): Promise<void> {
  process.kill('SIGTERM')
  expect(await process.ended).toBe(0)
}

describe('traces of `run`', () => {
  it('follow a change from the watch event over the message to what was read and written', async () => {
    const scene = await openWeb(cluster(), 0)
    const { url, spans, requests } = await startTraceCollector()
    const process = await run(['--traces', url], {
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret-1',
    })
    const wrote = (): readonly CollectedSpan[] =>
      spans.filter(({ name }) => /^(create|update) endpointslices$/.test(name))
    // An empty slice; what is traced is the change of a Pod.
    await until(() => wrote().length).toBe(1)
    await scene.addPods(['web-1'])
    await until(() => wrote().length).toBeGreaterThan(1)
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
      'k8s.cluster.name': scene.cluster,
      'k8s.namespace.name': scene.namespace,
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
    const scene = await openWeb(cluster(), 0)
    const { url, requests } = await startTraceCollector()
    const process = await run(['--log-format', 'json'], { OTEL_EXPORTER_OTLP_ENDPOINT: url })
    await scene.addPods(['web-1'])
    await until(() => process.stderr).toContain('"wrote slices"')
    await end(process)
    expect(process.stderr).not.toContain('LOADS')
    expect(requests).toEqual([])
  })
})
