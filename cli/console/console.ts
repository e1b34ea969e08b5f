import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Registry } from 'prom-client'
import type { ClusterConnection } from '../../shared/kubernetes/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { StatusDocument } from '../local/index.ts'
import { createOperatorCommands, type OperatorCommands } from '../operator-tasks/index.ts'
import { STYLE } from '../report/style.ts'
import { createRecentEvents } from './events/recent-events.ts'
import { createFigures } from './figures/figures.ts'
import { createConsoleServer, createToken, type PageFile, type Subscriber } from './server/console-server.ts'
import { ChosenSlices, parseChoice } from './slices/chosen-slices.ts'

export interface ConsoleOptions {
  readonly clusters: readonly ClusterConnection[]
  readonly settings: Pick<Settings, 'mode' | 'managedBy' | 'shadow'>
  /** Registry of the relay and the functions in this process. */
  readonly registry: Registry
  readonly status: () => StatusDocument
  /** Commands that the page names; default: those for a run with nothing but these settings. */
  readonly commands?: OperatorCommands
  /** Token that gives access to the page; default: a new one. */
  readonly token?: string | undefined
}

export type Console = Awaited<ReturnType<typeof createConsole>>

/** Greatest age of what is shown, in milliseconds. */
const EVERY_MS = 1_000

/**
 * Makes a page that shows live what this process does, on 127.0.0.1.
 * On the way of a change it costs an entry in a list.
 */
export async function createConsole(options: ConsoleOptions) {
  const { clusters, settings, registry, status, token = createToken() } = options
  const { commands = createOperatorCommands({ settings }) } = options
  const names = clusters.map(({ name }) => name)
  const files = await readPageFiles()
  const opened = Promise.withResolvers<void>()
  const events = createRecentEvents()
  const slices = new ChosenSlices({ clusters, managedBy: settings.managedBy })
  const server = createConsoleServer({ token, files, onOpened })
  const figures = createFigures({ registry, status, commands, mayAskQueues: () => server.subscribers > 0 })
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  function onOpened(subscriber: Subscriber, query: URLSearchParams): () => void {
    const { mode, managedBy, shadow } = settings
    subscriber.send('welcome', {
      ...{ mode, managedBy, shadow, clusters: names },
      samples: figures.samples,
      events: events.latest,
    })
    opened.resolve()
    const choice = parseChoice(query, names)
    if (choice === undefined) return () => undefined
    if (typeof choice !== 'string')
      return slices.follow(choice, (picture) => subscriber.send('slices', picture))
    subscriber.send('slices', { problem: choice })
    return () => undefined
  }

  /** Publishes the figures and events of one tick, after the tick before: a queue may answer slowly. */
  async function tick(): Promise<void> {
    const reading = await figures.read()
    const { events: happened, more } = events.take()
    server.publish('figures', reading)
    if (happened.length > 0) server.publish('events', { events: happened, more })
    if (!isStopped) timer = setTimeout(() => void tick(), EVERY_MS).unref()
  }

  return {
    /** Observer that the relay and the functions feed. */
    observer: events.observer,
    recorder: events.recorder,
    opened: opened.promise,
    /**
     * Resolves to the URL of the page; rejects where the port is taken, in words.
     * @param port 0 picks one
     */
    async listen(port: number): Promise<string> {
      const url = await server.listen(port).catch((cause: Error) => {
        throw new Error(
          `cannot serve the console on 127.0.0.1:${port}: ${cause.message}; choose another port`,
          { cause },
        )
      })
      await tick()
      return url
    },
    async stop(): Promise<void> {
      isStopped = true
      clearTimeout(timer)
      slices.stop()
      await server.stop()
    },
  }
}

/** Folder of the page's files, beside this file in a checkout; a build puts it beside the bundle. */
const FOLDER = fileURLToPath(new URL('page/', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

/** Reads everything that makes up the page, by the names that its links have. */
async function readPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const names = await readdir(FOLDER)
  const files = names.map(async (name): Promise<[string, PageFile]> => {
    const content = await readFile(join(FOLDER, name), 'utf8')
    return [name, { type: TYPES[extname(name)] ?? 'text/plain', content }]
  })
  return new Map([
    ...(await Promise.all(files)),
    ['report.css', { type: TYPES['.css'] ?? '', content: STYLE }],
  ])
}
