import { once } from 'node:events'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { type Forked, forkModule } from '../forked.ts'
import type { EmbeddedFunctions } from './embedded-main.ts'
import type {
  Changed,
  ChangesRequest,
  EmbeddedOptions,
  RelayReport,
  RelayStart,
  ServerOptions,
  Usage,
} from './messages.ts'
import type { RelayFunctions } from './relay-main.ts'
import type { ServerFunctions } from './server-main.ts'

/**
 * Node's flags of the relay in a deployment. Young objects die within a page of a list, so that a larger
 * space for them costs memory and saves no time. Without a limit the heap grows to a share of the machine
 * before anything is collected.
 */
const relayNodeFlags = (heapMb: number): string[] => [
  '--max-semi-space-size=8',
  '--heap-growing-percent=50',
  `--max-old-space-size=${heapMb}`,
]

/** A process that has clusters. */
export interface ChangesProcess {
  /** Sends changes of pods; resolves to their number when all are on their way. */
  change(request: ChangesRequest): Promise<number>
  /** Returns what ends it. */
  onChanged(listener: (change: Changed) => void): () => void
  stop(): void
}

export interface ServerProcess extends ChangesProcess {
  readonly address: ReturnType<ServerFunctions['address']>
}

export async function startServerProcess(options: ServerOptions): Promise<ServerProcess> {
  const server = forkModule<ServerFunctions, Changed>(new URL('./server-main.ts', import.meta.url), options)
  return { address: await server.call('address'), ...changesOf(server) }
}

/**
 * Resolves when its clusters are served with all that they hold. It gives way to the relay, as machines of
 * their own would.
 */
export async function startEmbeddedProcess(options: EmbeddedOptions): Promise<ChangesProcess> {
  const module = new URL('./embedded-main.ts', import.meta.url)
  const server = forkModule<EmbeddedFunctions, Changed>(module, options)
  if (server.child.pid !== undefined) setPriority(server.child.pid, 10)
  await server.call('serving')
  return changesOf(server)
}

const changesOf = ({
  call,
  onReport,
  stop,
}: Forked<Pick<EmbeddedFunctions, 'change'>, Changed>): ChangesProcess => ({
  change: (request) => call('change', request),
  onChanged: onReport,
  stop,
})

export interface RelayProcess {
  /** Resolves when the relay follows so many clusters. */
  following(clusters: number): Promise<void>
  usage(): Promise<Usage>
  /** Returns what ends it. */
  onSent(listener: (cluster: string, service: string, at: number) => void): () => void
  stop(): Promise<void>
  /** Ends it at once, as a machine does that fails. */
  kill(): Promise<unknown>
}

/** Bundles the relay as it is deployed. At a start, the code that strips types from sources takes 40 MB. */
function buildRelay(): string {
  const outfile = fileURLToPath(new URL('../../../dist/bench/relay-main.js', import.meta.url))
  buildSync({
    entryPoints: [fileURLToPath(new URL('./relay-main.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  })
  return outfile
}

/** @param heapMb limit of the heap: half of a task's memory */
export function startRelayProcess(options: RelayStart, heapMb = 512): RelayProcess {
  const relay = forkModule<RelayFunctions, RelayReport>(buildRelay(), options, {
    execArgv: relayNodeFlags(heapMb),
  })
  const ended = once(relay.child, 'exit')
  let followed = 0
  const waiting: { clusters: number; resolve: () => void }[] = []
  relay.onReport(({ kind }) => {
    if (kind !== 'following') return
    followed++
    for (const { clusters, resolve } of waiting) if (followed >= clusters) resolve()
  })
  return {
    following(clusters) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ clusters, resolve })
      if (followed >= clusters) resolve()
      return promise
    },
    usage: () => relay.call('usage'),
    onSent: (listener) =>
      relay.onReport((report) => {
        if (report.kind === 'sent') listener(report.cluster, report.service, report.at)
      }),
    async stop() {
      await relay.call('stop')
      relay.stop()
      await ended
    },
    kill() {
      relay.child.kill('SIGKILL')
      return ended
    },
  }
}
