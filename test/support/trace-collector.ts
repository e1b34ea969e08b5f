import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { listenLocally } from './local-server.ts'

/** A span as it came by OTLP, with attributes as plain values. */
export interface CollectedSpan {
  /** `service.name` of the process that sent it. */
  readonly service: string
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  /** Kind of the span in OTLP: 1 internal, 3 client, 4 producer, 5 consumer. */
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  /** 2: an error. */
  readonly status: { readonly code?: number; readonly message?: string }
}

/** A collector of OpenTelemetry on 127.0.0.1, until the test is over. */
interface TraceCollector {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  /** Requests that came, whatever was in them, by their path and headers. */
  readonly requests: readonly { readonly path: string; readonly headers: NodeJS.Dict<string | string[]> }[]
}

interface Value {
  readonly stringValue?: string
  readonly intValue?: number | string
  readonly doubleValue?: number
  readonly boolValue?: boolean
}
type Attributes = readonly { readonly key: string; readonly value: Value }[]

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}
type OtlpSpan = Omit<CollectedSpan, 'service' | 'attributes' | 'links'> & {
  readonly attributes: Attributes
  readonly links?: CollectedSpan['links']
}

/** @param status that it answers with; default 200 */
export async function startTraceCollector(status = 200): Promise<TraceCollector> {
  const spans: CollectedSpan[] = []
  const requests: { path: string; headers: NodeJS.Dict<string | string[]> }[] = []
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers })
    spans.push(...spansOf((await json(request)) as ExportRequest))
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  const { port, close } = await listenLocally(server)
  onTestFinished(close)
  return { url: `http://127.0.0.1:${port}`, spans, requests }
}

const spansOf = ({ resourceSpans }: ExportRequest): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map(({ attributes, links = [], ...span }) => ({
        ...span,
        links,
        service: String(plain(resource.attributes)['service.name']),
        attributes: plain(attributes),
      })),
    ),
  )

const plain = (attributes: Attributes): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.intValue === undefined
        ? (value.stringValue ?? value.doubleValue ?? value.boolValue)
        : Number(value.intValue),
    ]),
  )
