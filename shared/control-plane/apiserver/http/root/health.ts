import { messageOf } from '../../../apimachinery/errors/message.ts'
import type { Exchange } from '../exchange.ts'
import { sendPageNotFound, sendText, setHeader } from '../respond.ts'
import { HealthTally, START_HOOKS } from './health-tally.ts'

/** Check on which a server's health depends. */
interface HealthCheck {
  readonly name: string
  /** Throws where it is not well. */
  check(): void
}

type HealthEndpoint = (typeof HEALTH_ENDPOINTS)[number]

export const HEALTH_ENDPOINTS = ['healthz', 'livez', 'readyz'] as const

const TEXT = 'text/plain; charset=utf-8'

/** `/healthz`, `/livez`, `/readyz` with `?verbose`, `?exclude=NAME` and a path for each check. */
export class Health {
  readonly #checks: Readonly<Record<HealthEndpoint, readonly HealthCheck[]>>
  readonly #tally = new HealthTally()

  constructor(isStorageWell: () => boolean) {
    const storage = (name: string): HealthCheck => ({
      name,
      check: () => {
        if (!isStorageWell()) throw new Error('the storage cannot be written to')
      },
    })
    // The storage goes by the name that probes know it by. What is always well once the server answers is
    // there for their sake too.
    const hooks = START_HOOKS.map(wellCheck)
    const first = [wellCheck('ping'), wellCheck('log')]
    const live = [...first, wellCheck('loopback-serving-certificate'), storage('etcd'), ...hooks]
    const stores = [storage('etcd'), storage('etcd-readiness')]
    const ready = [...first, ...stores, wellCheck('informer-sync'), ...hooks, wellCheck('shutdown')]
    this.#checks = { healthz: live, livez: live, readyz: ready }
  }

  /** The paths of all checks. */
  get paths(): string[] {
    return HEALTH_ENDPOINTS.flatMap((endpoint) => [
      `/${endpoint}`,
      ...this.#checks[endpoint].map(({ name }) => `/${endpoint}/${name}`),
    ])
  }

  serve(exchange: Exchange, endpoint: HealthEndpoint, rest: string): void {
    // What follows is about the storage: the answer does not wait for it.
    const now = { ...exchange, durable: () => undefined }
    if (rest === '') this.#serveAll(now, endpoint)
    else this.#serveOne(now, endpoint, rest)
  }

  /** Serves `/metrics/slis`. */
  async serveSlis(exchange: Exchange): Promise<void> {
    const { EXPOSITION_TYPE, exposition } = await import('../metrics/exposition.ts')
    sendText(exchange, 200, exposition(this.#tally.metrics), EXPOSITION_TYPE)
  }

  #serveOne(exchange: Exchange, endpoint: HealthEndpoint, name: string): void {
    const found = this.#checks[endpoint].find((check) => check.name === name)
    if (found === undefined) {
      sendPageNotFound(exchange)
      return
    }
    const failure = failureOf(found)
    if (failure === undefined) sendText(exchange, 200, 'ok', TEXT)
    else sendText(exchange, 500, `internal server error: ${failure}\n`, TEXT)
  }

  #serveAll(exchange: Exchange, endpoint: HealthEndpoint): void {
    const checks = this.#checks[endpoint]
    const excluded = new Set(exchange.query.getAll('exclude').filter((name) => name !== ''))
    const unknown = [...excluded].filter((name) => checks.every((check) => check.name !== name))
    let isWell = true
    const lines = checks.map((check) => {
      if (excluded.has(check.name)) return `[+]${check.name} excluded: ok\n`
      const failed = failureOf(check) !== undefined
      this.#tally.add(endpoint, check.name, !failed)
      if (!failed) return `[+]${check.name} ok\n`
      isWell = false
      return `[-]${check.name} failed: reason withheld\n`
    })
    if (unknown.length > 0) {
      const names = unknown.map((name) => JSON.stringify(name)).join(',')
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names}\n`)
    }
    setHeader(exchange.response, 'x-content-type-options', 'nosniff')
    const details = lines.join('')
    if (!isWell) sendText(exchange, 500, `${details}${endpoint} check failed\n`, TEXT)
    else if (exchange.query.has('verbose')) {
      sendText(exchange, 200, `${details}${endpoint} check passed\n`, TEXT)
    } else sendText(exchange, 200, 'ok', TEXT)
  }
}

const wellCheck = (name: string): HealthCheck => ({ name, check: () => undefined })

function failureOf({ check }: HealthCheck): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}
