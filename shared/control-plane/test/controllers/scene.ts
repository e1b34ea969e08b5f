import { afterAll, beforeAll, describe } from 'vitest'
import type { Json, RawClient } from '../../../../test/support/raw-client.ts'

/**
 * A server and the controllers that look after it, in whatever processes; valid within tests and hooks only.
 */
export interface ControllersScene {
  readonly client: RawClient
  /** Returns a client with a bearer token, which the caller closes. */
  clientOf(token: string): RawClient
  /** Makes a namespace. */
  namespace(name: string): Promise<Json>
}

export interface RunningScene {
  readonly client: RawClient
  clientOf(token: string): RawClient
  stop(): Promise<void>
}

/**
 * Long enough for a machine that is busy with other tests; whoever waits does so until then for what has to
 * come.
 */
export const PATIENCE = { timeout: 200_000, interval: 100 }

/** Describes a block of tests with a server and controllers of its own. */
export function describeControllers<Scene extends RunningScene>(
  name: string,
  start: () => Promise<Scene>,
  tests: (scene: ControllersScene, running: () => Scene) => void,
): void {
  describe(name, () => {
    let running: Scene | undefined
    beforeAll(async () => {
      running = await start()
    })
    afterAll(() => running?.stop())
    const started = (): Scene => {
      if (running === undefined) throw new Error('the controllers run within tests only')
      return running
    }
    tests(
      {
        get client() {
          return started().client
        },
        clientOf: (token) => started().clientOf(token),
        async namespace(namespace) {
          const metadata = { name: namespace }
          const { status, text, body } = await started().client.post('/api/v1/namespaces', { metadata })
          if (status !== 201) throw new Error(`failed to create the namespace ${namespace}: ${text}`)
          return body
        },
      },
      started,
    )
  })
}
