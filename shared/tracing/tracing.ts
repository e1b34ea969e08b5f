import type { ServiceKey } from '../changes/index.ts'

type Attributes = Readonly<Record<string, string | number | boolean>>

export interface SpanOptions {
  /** Default `internal`; `producer` and `consumer` are the ends of a queue, `client` calls a server. */
  readonly kind?: 'internal' | 'producer' | 'consumer' | 'client'
  /** Start time in milliseconds since the epoch; default now. */
  readonly startTime?: number
  readonly attributes?: Attributes
  /** W3C trace contexts of further traces to link to. */
  readonly links?: readonly string[]
}

/** A unit of work of a trace. It is exported some time after its end; without an end it is never exported. */
export interface Span {
  /** Its trace context in W3C format. */
  readonly traceparent: string
  child(name: string, options?: SpanOptions): Span
  annotate(attributes: Attributes): void
  /** @param error error that it failed with; absent on success */
  end(error?: unknown): void
}

/** Exports spans by OTLP, over HTTP and in JSON. */
export interface Tracing {
  /**
   * Starts a span.
   * @param parent W3C trace context of a remote span; absent for a new trace
   * @returns undefined if the trace is not sampled
   */
  start(name: string, options: SpanOptions & { readonly parent?: string }): Span | undefined
  /** Exports ended spans. Never rejects: spans that the collector does not accept within 2 s are lost. */
  flush(): Promise<void>
  /** Exports ended spans and shuts down. */
  stop(): Promise<void>
}

/** Returns the attributes of a span about a key. */
export const keyAttributes = ({ cluster, namespace, service, ownerKind }: ServiceKey): Attributes => ({
  'k8s.cluster.name': cluster,
  'k8s.namespace.name': namespace,
  'k8s.service.name': service,
  ...(ownerKind !== undefined && { 'sliceflow.owner_kind': ownerKind }),
})
