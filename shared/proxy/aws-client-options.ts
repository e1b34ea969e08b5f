import { Agent, type AgentOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import { environmentProxy } from './environment-proxy.ts'

/** Connections to one service of AWS, as many as the SDK itself would keep. */
const MAX_SOCKETS = 50

/**
 * Milliseconds without a byte after which a request counts as failed; longer than a long poll. Without it a
 * request on a connection that has died waits for a quarter of an hour.
 */
const IDLE_MS = 30_000

interface AwsClientOptions {
  readonly requestHandler: { readonly socketTimeout: number; readonly httpsAgent?: Agent }
}

/**
 * Returns options for all clients of the AWS SDK, which by itself has no time limit, and knows nothing of
 * HTTPS_PROXY and NO_PROXY: connections go through the proxy that the environment names for the service.
 */
export function awsClientOptions(env = process.env): AwsClientOptions {
  const isProxied = Boolean(env.HTTPS_PROXY || env.https_proxy)
  return {
    requestHandler: { socketTimeout: IDLE_MS, ...(isProxied && { httpsAgent: new EnvironmentAgent(env) }) },
  }
}

type Connected = (error: Error | null, socket: Duplex) => void

/** Chooses for each connection: a client may call hosts of several names, such as buckets. */
class EnvironmentAgent extends Agent {
  readonly #env: NodeJS.ProcessEnv

  constructor(env: NodeJS.ProcessEnv) {
    super({ keepAlive: true, maxSockets: MAX_SOCKETS })
    this.#env = env
  }

  override createConnection(
    options: AgentOptions & { readonly host?: string; readonly port?: number },
    connected: Connected,
  ): Duplex | undefined {
    const { host = '', port = 443 } = options
    const proxy = environmentProxy(
      new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`),
      this.#env,
    )
    if (proxy === undefined) return super.createConnection(options, connected) as Duplex
    // Loaded here only: most have none.
    import('./proxy-agent.ts')
      .then(({ createProxyAgent }) =>
        createProxyAgent(proxy, { keepAlive: true }).createConnection(options, connected),
      )
      .catch((error: Error) => connected(error, undefined as unknown as Duplex))
    return undefined
  }
}
