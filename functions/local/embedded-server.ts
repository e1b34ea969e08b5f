import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { buildApp } from 'fauxqs'
import { giveBackAbandonedPolls } from './abandoned-polls.ts'
import type { SqsStore, Stores } from './embedded-store.ts'
import { QUEUE_MODULES } from './queue-modules.ts'

/** Serves a store by SQS' JSON protocol, on the loopback interface. */
export interface EmbeddedServer {
  /** `http://127.0.0.1:PORT` */
  readonly endpoint: string
  /** Ends running requests and frees the port. */
  stop(): Promise<void>
}

/**
 * Starts the server. Only operators use it, and seldom: the part that answers them is loaded at their first
 * request, as it takes 20 MB.
 */
export async function startEmbeddedServer(store: SqsStore): Promise<EmbeddedServer> {
  let app: Promise<ReturnType<typeof buildApp>> | undefined
  const server = createServer((request, response) => {
    app ??= openApp(store)
    useRegion(request, store.region)
    void answer(app, request, response)
  })
  server.listen({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      server.close()
      server.closeAllConnections()
      await Promise.all([once(server, 'close'), app?.then((opened) => opened.close())])
    },
  }
}

// Not `startFauxqs`: it listens on every interface, whatever its host option.
async function openApp(store: SqsStore): Promise<ReturnType<typeof buildApp>> {
  const { buildApp: build }: { buildApp: typeof buildApp } = await import(QUEUE_MODULES)
  // It makes the stores that it is not given.
  const stores = { sqsStore: store } as Stores
  const app = build({ logger: false, ...(store.region && { defaultRegion: store.region }), stores })
  giveBackAbandonedPolls(app)
  await app.ready()
  return app
}

/** Has a request name the region of the queues: it was signed with the region of the caller. */
function useRegion({ headers }: IncomingMessage, region = ''): void {
  headers.authorization = headers.authorization?.replace(
    /^(AWS4-HMAC-SHA256 Credential=[^/]+\/\d+\/)[^/]+/,
    `$1${region}`,
  )
}

async function answer(
  opening: ReturnType<typeof openApp>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const app = await opening
    app.routing(request, response)
  } catch {
    response.writeHead(500).end()
  }
}
