/**
 * Measures what tracing a change costs relay and function: processor time, bytes of the message and of the
 * export.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cpuUsage, stdout } from 'node:process'
import { buffer } from 'node:stream/consumers'
import { type ApiClient, ENDPOINT_SLICES, PODS, SERVICES } from '../../../shared/kubernetes/index.ts'
import type { KeyMessage } from '../../../shared/queue/index.ts'
import { createLogger } from '../../../shared/telemetry/index.ts'
import {
  createReconcileTraces,
  createSendTraces,
  openTracing,
  type Tracing,
} from '../../../shared/tracing/index.ts'

const CHANGES = 20_000
/** Number of changes that one export takes, so that none is dropped. */
const CHANGES_AT_ONCE = 200

const KEY = { cluster: 'eu-1', namespace: 'shop', service: 'web', triggerTime: '2026-11-21T12:00:00Z' }
const CONTEXT = { signal: new AbortController().signal, receiveCount: 1, sentTimestamp: 0 }
const answered = async (): Promise<never> => ({}) as never
const CLIENT = { cluster: 'eu-1', get: answered, update: answered } as Partial<ApiClient> as ApiClient

let exported = 0
const collector = createServer(async (request, response) => {
  exported += (await buffer(request)).length
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
})
collector.listen(0, '127.0.0.1')
await once(collector, 'listening')
const { port } = collector.address() as AddressInfo

const began = performance.now()
const settings = { traces: `http://127.0.0.1:${port}`, traceShare: 1 }
const tracing = (await openTracing({ settings, service: 'bench', logger: createLogger() })) as Tracing
const loadedMs = performance.now() - began

/**
 * Measures the processor time of a change in microseconds, with exports and this collector's reading, and the
 * bytes exported.
 */
async function measure(step: () => unknown): Promise<{ micros: number; bytes: number }> {
  const before = cpuUsage()
  const exportedBefore = exported
  for (let index = 0; index < CHANGES; index++) {
    await step()
    if ((index + 1) % CHANGES_AT_ONCE === 0) await tracing.flush()
  }
  const { user, system } = cpuUsage(before)
  return { micros: (user + system) / CHANGES, bytes: (exported - exportedBefore) / CHANGES }
}

const sends = createSendTraces(tracing, 'live')
const traces = createReconcileTraces(async () => tracing)
const client = traces.client(CLIENT)

/** Makes the calls of a hinted sync of one Pod: it reads the slice and the Pod, and writes. */
async function sync(calls: ApiClient): Promise<void> {
  await calls.get(ENDPOINT_SLICES, { namespace: 'shop', name: 'web-abcde' })
  await calls.get(PODS, { namespace: 'shop', name: 'web-1' })
  await calls.get(SERVICES, { namespace: 'shop', name: 'web' })
  const metadata = { namespace: 'shop', name: 'web-abcde' }
  await calls.update(ENDPOINT_SLICES, { metadata, addressType: 'IPv4' })
}

const send = (): KeyMessage => {
  const message = sends.sending(KEY, 5)
  sends.sent(message)
  return message
}
const { traceparents = [] } = send()
const received = { ...KEY, messageIds: ['765bd1a2-577d-4bd8-8f52-21bf2035a6f6'], traceparents }
const reconcile = traces.reconcile(() => sync(client))
const untraced = () => sync(CLIENT)
// So that all is compiled.
await measure(send)
await measure(() => reconcile(received, CONTEXT))

const relay = await measure(send)
const reconciled = await measure(() => reconcile(received, CONTEXT))
const off = await measure(untraced)
const attribute = 'traceparent'.length + 'String'.length + (traceparents[0]?.length ?? 0)
stdout.write(
  [
    `loading OpenTelemetry's SDK: ${loadedMs.toFixed(0)} ms, from sources`,
    `a message: ${attribute} bytes more`,
    `relay, 2 spans a change: ${relay.micros.toFixed(0)} µs, ${relay.bytes.toFixed(0)} bytes exported`,
    `function, 5 spans a change: ${(reconciled.micros - off.micros).toFixed(0)} µs, ${reconciled.bytes.toFixed(0)} bytes exported`,
    '',
  ].join('\n'),
)
await tracing.stop()
collector.close()
