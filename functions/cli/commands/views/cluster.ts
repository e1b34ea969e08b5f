import { type ApiClient, createApiClient, loadClusters } from '../../../../shared/kubernetes/index.ts'
import { createLogger, type Log } from '../../../../shared/telemetry/index.ts'
import {
  createEngine,
  createTargetWriter,
  type Engine,
  followCluster,
  type OperatorSpec,
  type Outcome,
  type PipelineDelta,
  type WriteTarget,
} from '../../../../shared/views/index.ts'
import { untilTerminated } from '../../signals.ts'
import {
  documentFormat,
  explanations,
  type FormatOutcome,
  printedOutput,
  type ViewsOutput,
} from './output.ts'

export interface FollowViewsOptions {
  readonly kubeconfig: string
  /** Default: the current one. */
  readonly context?: string
  /** Only explain this view object, once everything was listed. */
  readonly explain?: string
  /** Show the views as resources of a Kubernetes API on this port, instead of printing changes. */
  readonly serve?: number
  /** File for the kubeconfig of that API. */
  readonly kubeconfigOut: string
  /** Format of printed changes; default: NDJSON. */
  readonly format?: FormatOutcome
}

/** Prints or serves what the objects of a cluster give, until SIGTERM or SIGINT. */
export async function followViews(spec: OperatorSpec, options: FollowViewsOptions): Promise<void> {
  const logger = createLogger({ format: 'text' })
  const { kubeconfig, context, explain, serve, kubeconfigOut, format = documentFormat('json') } = options
  const [connection] = await loadClusters(kubeconfig, context === undefined ? undefined : [context])
  if (connection === undefined) throw new Error(`kubeconfig ${kubeconfig} names no cluster`)
  const client = createApiClient(connection, { role: 'read-only' })
  const output =
    serve === undefined
      ? printedOutput(format)
      : await openServer(spec, { port: serve, kubeconfigOut, logger })
  const follower = new Follower({ spec, client, output, logger })
  const ended = new AbortController()
  void untilTerminated().then(() => ended.abort())
  try {
    await follower.run(ended, explain)
  } finally {
    client.close()
    await output.close()
  }
}

/** Opens the server. It is loaded only now: certificates and schemas would slow down everything else. */
async function openServer(
  spec: OperatorSpec,
  options: { readonly port: number; readonly kubeconfigOut: string; readonly logger: Log },
): Promise<ViewsOutput> {
  const { servedOutput } = await import('./served.ts')
  return servedOutput(spec, options)
}

interface FollowerOptions {
  readonly spec: OperatorSpec
  readonly client: ApiClient
  readonly output: ViewsOutput
  readonly logger: Log
}

class Follower {
  readonly #spec: OperatorSpec
  readonly #client: ApiClient
  readonly #output: ViewsOutput
  readonly #writeTarget: WriteTarget
  readonly #logger: Log
  readonly #engine: Engine
  #writing: Promise<void> = Promise.resolve()

  constructor({ spec, client, output, logger }: FollowerOptions) {
    this.#spec = spec
    this.#client = client
    this.#output = output
    this.#writeTarget = createTargetWriter(client)
    this.#logger = logger
    this.#engine = createEngine(spec)
  }

  async run(ended: AbortController, explain: string | undefined): Promise<void> {
    const { signal } = ended
    let first = true
    const timers = explain === undefined ? this.#periodic() : []
    const logger = this.#logger
    await followCluster(this.#client, this.#spec, {
      signal,
      onError: (err, kind, retryMs) =>
        logger.warn({ err, kind, retryMs: Math.round(retryMs) }, 'cannot follow a kind; trying again'),
      onEvents: (events) => {
        if (!first) return this.#take(this.#engine.apply(...events))
        first = false
        const outcome = together(this.#engine.start(), this.#engine.apply(...events))
        if (explain === undefined) this.#tell(outcome)
        else ended.abort()
      },
    })
    for (const timer of timers) clearInterval(timer)
    await this.#writing
    if (explain !== undefined && !first) process.stdout.write(explanations(this.#engine, explain))
  }

  #periodic(): NodeJS.Timeout[] {
    return this.#spec.controllers.flatMap(({ name, sources }) =>
      sources
        .filter(({ type }) => type === 'Periodic')
        .map(({ periodMs }) => setInterval(() => this.#take(this.#engine.sync(name)), periodMs)),
    )
  }

  /** Takes an outcome and reports it if it has anything to show. Most changes of a cluster change no view. */
  #take(outcome: Outcome): void {
    const { pipeline, view, problems } = outcome
    if (pipeline.length + view.length + problems.length > 0) this.#tell(outcome)
  }

  #tell(outcome: Outcome): void {
    this.#output.tell(outcome)
    for (const delta of outcome.pipeline) this.#write(delta)
  }

  /** Writes deltas one after the other: a later delta of an object must not overtake an earlier one. */
  #write(delta: PipelineDelta): void {
    const target = this.#spec.controllers.find(({ name }) => name === delta.controller)?.target
    if (target === undefined || target.isView) return
    this.#writing = this.#writing.then(async () => {
      try {
        await this.#writeTarget(target, delta)
      } catch (err) {
        const { kind, metadata } = delta.object
        this.#logger.error({ err, controller: delta.controller, kind, metadata }, 'failed to write a target')
      }
    })
  }
}

const together = (first: Outcome, second: Outcome): Outcome => ({
  pipeline: [...first.pipeline, ...second.pipeline],
  view: [...first.view, ...second.view],
  problems: [...first.problems, ...second.problems],
})
