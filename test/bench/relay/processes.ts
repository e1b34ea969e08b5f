import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import type {
  ChangesRequest,
  EmbeddedOptions,
  FromRelay,
  FromServer,
  RelayStart,
  ServerOptions,
  Usage,
} from './messages.ts'

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

type KeyListener = (cluster: string, service: string, at: number) => void

type ChangeListener = (cluster: string, service: string, at: number, ready: boolean) => void

/** A process that has clusters. */
export interface ChangesProcess {
  /** Sends changes of pods; resolves when all are on their way. */
  change(request: ChangesRequest): Promise<number>
  /** Returns what ends it. */
  onChanged(listener: ChangeListener): () => void
  stop(): void
}

export interface ServerProcess extends ChangesProcess {
  readonly address: (FromServer & { kind: 'listening' })['address']
}

export async function startServerProcess(options: ServerOptions): Promise<ServerProcess> {
  const child = fork(new URL('./server-main.ts', import.meta.url), [JSON.stringify(options)])
  const [{ address }] = (await once(child, 'message')) as [FromServer & { kind: 'listening' }]
  return { address, ...changesOf(child) }
}

/**
 * Resolves when its clusters are served with all that they hold. It gives way to the relay, as machines of
 * their own would.
 */
export async function startEmbeddedProcess(options: EmbeddedOptions): Promise<ChangesProcess> {
  const child = fork(new URL('./embedded-main.ts', import.meta.url), [JSON.stringify(options)])
  if (child.pid !== undefined) setPriority(child.pid, 10)
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process of the control planes ended with ${code}`)
  })
  await Promise.race([once(child, 'message'), ended])
  // From now on its end is asked for.
  ended.catch(() => undefined)
  return changesOf(child)
}

function changesOf(child: ChildProcess): ChangesProcess {
  // One listener a cluster that changes.
  child.setMaxListeners(0)
  return {
    change(request) {
      const { promise, resolve } = Promise.withResolvers<number>()
      const listen = (message: FromServer): void => {
        if (message.kind !== 'changes done' || message.cluster !== request.cluster) return
        child.off('message', listen)
        resolve(message.sent)
      }
      child.on('message', listen)
      child.send(request)
      return promise
    },
    onChanged(listener) {
      const listen = (message: FromServer): void => {
        if (message.kind === 'changed') listener(message.cluster, message.service, message.at, message.ready)
      }
      child.on('message', listen)
      return () => child.off('message', listen)
    },
    stop: () => child.disconnect(),
  }
}

export interface RelayProcess {
  /** Resolves when the relay follows so many clusters. */
  following(clusters: number): Promise<void>
  usage(): Promise<Usage>
  /** Returns what ends it. */
  onSent(listener: KeyListener): () => void
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
  const child = fork(buildRelay(), [JSON.stringify(options)], {
    execArgv: relayNodeFlags(heapMb),
  })
  const ended = once(child, 'exit')
  let followed = 0
  const waiting: { clusters: number; resolve: () => void }[] = []
  child.on('message', (message: FromRelay) => {
    if (message.kind !== 'following') return
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
    usage() {
      const { promise, resolve } = Promise.withResolvers<Usage>()
      const listen = (message: FromRelay): void => {
        if (message.kind !== 'usage') return
        child.off('message', listen)
        resolve(message.usage)
      }
      child.on('message', listen)
      child.send('usage')
      return promise
    },
    onSent(listener) {
      const listen = (message: FromRelay): void => {
        if (message.kind === 'sent') listener(message.cluster, message.service, message.at)
      }
      child.on('message', listen)
      return () => child.off('message', listen)
    },
    async stop() {
      child.send('stop')
      await ended
    },
    kill() {
      child.kill('SIGKILL')
      return ended
    },
  }
}
