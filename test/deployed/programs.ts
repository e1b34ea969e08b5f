import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { onTestFinished, vi } from 'vitest'
import { startEventSourceMapping } from '../../cli/local/index.ts'
import type { Bundles } from '../../infra/constructs/index.ts'
import { LANES } from '../../shared/queue/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import type { Scene } from './scene.ts'

type Handler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>

/** A copy of the module for each test: it keeps clients for the life of its execution environment. */
let copies = 0
export const load = (folder: string): Promise<unknown> => import(`${folder}/index.mjs?copy=${++copies}`)

/** @returns what the function has written to its log so far, metrics among it */
export async function startFunction(scene: Scene, bundles: Bundles): Promise<() => string> {
  const output = captureOutput()
  const { handler } = (await load(bundles.reconcile)) as { handler: Handler }
  const { client, lanes } = scene.queue
  const mappings = await Promise.all(
    LANES.map((lane) =>
      startEventSourceMapping({
        ...{ client, queueUrl: lanes[lane].url, handler, logger: SILENT_LOG },
        isOwnQueue: true,
      }),
    ),
  )
  onTestFinished(async () => {
    await Promise.all(mappings.map((mapping) => mapping.drain()))
  })
  return output
}

export function captureOutput(): () => string {
  let text = ''
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      text += chunk
      return true
    })
  onTestFinished(() => void vi.restoreAllMocks())
  return () => text
}

export interface RelayProcess {
  readonly ended: Promise<number | null>
  log(): string
  stop(): Promise<number | null>
}

/**
 * Starts the relay as the container does: from the files of the image's context, with only its own
 * environment.
 */
export function startRelay({ environment }: Pick<Scene, 'environment'>, { relay }: Bundles): RelayProcess {
  const child: ChildProcess = spawn(process.execPath, [join(relay, 'main.mjs')], {
    cwd: '/',
    env: { ...environment, SLICEFLOW_COALESCING_WINDOW: '0.05' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // The user of the image, where the test may take it.
    ...(process.getuid?.() === 0 && { uid: 1000, gid: 1000 }),
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      log += chunk
    })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const stop = (): Promise<number | null> => {
    child.kill('SIGTERM')
    return ended
  }
  onTestFinished(async () => {
    await stop()
  })
  return { ended, log: () => log, stop }
}

const REQUEST_ID = 'request-1'

export const contextOf = (): Context =>
  ({ awsRequestId: REQUEST_ID, getRemainingTimeInMillis: () => 30_000 }) as Context
