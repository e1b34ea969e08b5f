import { type ApiClient, createApiClient } from '../../../shared/kubernetes/index.ts'
import { createLogger, type Log } from '../../../shared/telemetry/index.ts'
import {
  createEngine,
  createTargetWriter,
  type Engine,
  followCluster,
  type OperatorSpec,
  type Outcome,
  type PipelineDelta,
  type WriteTarget,
} from '../../../shared/views/index.ts'
import { loadCluster } from '../../clusters/open-clusters.ts'
import { untilTerminated } from '../../signals.ts'
import type { ViewsFlags } from './command.ts'
import { explanations, type FormatOutcome, printedOutput, type ViewsOutput } from './output.ts'

/**
 * Prints or serves what the objects of a cluster give, until SIGTERM or SIGINT.
 * @param format of printed changes
 */
export async function followViews(
  spec: OperatorSpec,
  { source: { kubeconfig = '', context }, printed: { explain }, served }: ViewsFlags,
  format: FormatOutcome,
): Promise<void> {
  const logger = createLogger({ format: 'text' })
  const client = createApiClient(await loadCluster({ kubeconfig, context }), { role: 'read-only' })
  const output = await openOutput(spec, served, format, logger)
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

async function openOutput(
  spec: OperatorSpec,
  { serve: port, kubeconfigOut = 'views.kubeconfig' }: ViewsFlags['served'],
  format: FormatOutcome,
  logger: Log,
): Promise<ViewsOutput> {
  if (port === undefined) return printedOutput(format)
  // Loaded only now: certificates and schemas would slow down everything else.
  const { servedOutput } = await import('./server.ts')
  return servedOutput(spec, { port, kubeconfigOut, logger })
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
        if (explain === undefined) this.#show(outcome)
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
    if (pipeline.length + view.length + problems.length > 0) this.#show(outcome)
  }

  #show(outcome: Outcome): void {
    this.#output.show(outcome)
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
