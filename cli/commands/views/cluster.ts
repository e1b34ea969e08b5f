import pLimit from 'p-limit'
import {
  type ApiClient,
  type Backoff,
  backoffDelay,
  createApiClient,
  sleepUnlessAborted,
  untilAborted,
} from '../../../shared/kubernetes/index.ts'
import { createLogger, type Log } from '../../../shared/telemetry/index.ts'
import {
  createEngine,
  createTargetWriter,
  type Engine,
  followCluster,
  type OperatorSpec,
  type Outcome,
  type PipelineDelta,
  type TargetSpec,
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
  const ended = new AbortController()
  const follower = new Follower({ spec, client, output, logger, ended })
  void untilTerminated().then(() => ended.abort())
  try {
    await follower.run(explain)
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

/** What a write needs may come later: an object to patch, a namespace, a permission. */
const RETRY: Backoff = { baseMs: 500, capMs: 60_000 }

/** Time for writes that are under way at the end. */
const GRACE_MS = 5_000

interface FollowerOptions {
  readonly spec: OperatorSpec
  readonly client: ApiClient
  readonly output: ViewsOutput
  readonly logger: Log
  /** Its abort ends everything. */
  readonly ended: AbortController
}

class Follower {
  readonly #options: FollowerOptions
  readonly #writeTarget: WriteTarget
  readonly #engine: Engine
  /** One after the other, in the order of their changes: an object may need another one. */
  readonly #limit = pLimit(1)
  /** What each Updater gives, by the object and the controller. */
  readonly #given = new Map<string, Map<string, PipelineDelta>>()
  /** Writes that are not done, the last one of each object. */
  readonly #writing = new Map<string, Promise<void>>()

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#writeTarget = createTargetWriter(options.client)
    this.#engine = createEngine(options.spec)
  }

  async run(explain: string | undefined): Promise<void> {
    const { client, spec, logger, ended } = this.#options
    let first = true
    const timers = explain === undefined ? this.#periodic() : []
    await followCluster(client, spec, {
      signal: ended.signal,
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
    // Calls to a cluster that hangs are cut off then, with the client.
    await Promise.race([Promise.all(this.#writing.values()), untilAborted(AbortSignal.timeout(GRACE_MS))])
    if (explain !== undefined && !first) process.stdout.write(explanations(this.#engine, explain))
  }

  #periodic(): NodeJS.Timeout[] {
    return this.#options.spec.controllers.flatMap(({ name, sources }) =>
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
    this.#options.output.show(outcome)
    for (const delta of outcome.pipeline) this.#write(delta)
  }

  /** Writes deltas of an object one after the other: a later one must not overtake an earlier one. */
  #write(sent: PipelineDelta): void {
    const target = this.#options.spec.controllers.find(({ name }) => name === sent.controller)?.target
    if (target === undefined || target.isView) return
    const { type, group, kind } = target
    const { namespace, name } = sent.object.metadata
    const key = [type === 'Patcher' ? sent.controller : '', group, kind, namespace, name].join('/')
    const delta = type === 'Patcher' ? sent : this.#lastGiven(key, sent)
    const before = this.#writing.get(key) ?? Promise.resolve()
    const isLatest = (): boolean => this.#writing.get(key) === written
    const written: Promise<void> = before
      .then(() => this.#writeUntilDone(target, delta, isLatest))
      .finally(() => isLatest() && this.#writing.delete(key))
    this.#writing.set(key, written)
  }

  /**
   * Returns what becomes of an object of Updaters, as in a view: it is there as long as one of them gives it,
   * and is as the last of them says, in the order of the spec.
   */
  #lastGiven(key: string, delta: PipelineDelta): PipelineDelta {
    const given = this.#given.get(key) ?? new Map<string, PipelineDelta>()
    if (delta.type === 'Deleted') given.delete(delta.controller)
    else given.set(delta.controller, delta)
    if (given.size === 0) this.#given.delete(key)
    else this.#given.set(key, given)
    const last = this.#options.spec.controllers.findLast(({ name }) => given.has(name))
    return given.get(last?.name ?? '') ?? delta
  }

  /** Tries again what failed, unless a later delta of the object waits: an Updater's last one says all. */
  async #writeUntilDone(target: TargetSpec, delta: PipelineDelta, isLatest: () => boolean): Promise<void> {
    if (target.type === 'Updater' && !isLatest()) return
    const { logger, ended } = this.#options
    for (let attempt = 0; attempt === 0 || (isLatest() && !ended.signal.aborted); attempt++) {
      try {
        return await this.#limit(() => this.#writeTarget(target, delta))
      } catch (err) {
        // Not all of its metadata: an annotation may hold a whole Secret.
        const { kind, metadata } = delta.object
        const { namespace, name } = metadata
        const retryMs = backoffDelay(attempt, RETRY)
        logger.error(
          { err, controller: delta.controller, kind, namespace, name, retryMs: Math.round(retryMs) },
          'failed to write a target; trying again',
        )
        await sleepUnlessAborted(retryMs, ended.signal)
      }
    }
  }
}

const together = (first: Outcome, second: Outcome): Outcome => ({
  pipeline: [...first.pipeline, ...second.pipeline],
  view: [...first.view, ...second.view],
  problems: [...first.problems, ...second.problems],
})
