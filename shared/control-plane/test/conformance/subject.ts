import { afterAll, beforeAll, describe } from 'vitest'
import {
  createRawClient,
  type Json,
  type RawClient,
  type RawResponse,
} from '../../../../test/support/raw-client.ts'

/**
 * Time that a test waits for what a server does a moment later. kube-apiserver learns of roles, definitions,
 * webhooks and policies by watches of its own, which may take long on a busy machine.
 */
export const PATIENCE = { timeout: 120_000, interval: 50 }

/** A running API server of either kind. */
export interface ServerUnderTest {
  /** YAML text of a user who may do everything. */
  readonly kubeconfig: string
  /** Makes every resourceVersion up to now too old to watch from or to list at. */
  expire(): Promise<void>
  stop(): Promise<void>
}

/** Server that the sections of the suite work on; valid within tests and hooks only. */
export interface Subject {
  readonly client: RawClient
  readonly server: ServerUnderTest
}

/** A namespace of one section's own, and short ways to its objects. */
export interface Place {
  readonly client: RawClient
  readonly namespace: string
  /** Returns the path of a collection such as `pods` in this namespace, or of one object. */
  path(plural: string, name?: string): string
  /** Creates an object that has to be accepted. */
  create(plural: string, object: Json): Promise<Json>
}

/** Starts the server for one block of tests and stops it after them. */
export function useServer(start: () => Promise<ServerUnderTest>): Subject {
  let server: ServerUnderTest | undefined
  let client: RawClient | undefined
  beforeAll(async () => {
    server = await start()
    client = createRawClient(server.kubeconfig)
  })
  afterAll(async () => {
    client?.close()
    await server?.stop()
  })
  return {
    get client() {
      return started(client)
    },
    get server() {
      return started(server)
    },
  }
}

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the server is there within tests only')
  return value
}

/** Describes a block of tests with a namespace of its own. The name of the block is the namespace. */
export function describeIn(subject: Subject, namespace: string, tests: (place: Place) => void): void {
  describe(namespace, () => {
    beforeAll(async () => {
      accepted(await subject.client.post('/api/v1/namespaces', { metadata: { name: namespace } }))
    })
    const path = (plural: string, name?: string): string => {
      const group = plural === 'endpointslices' ? '/apis/discovery.k8s.io/v1' : '/api/v1'
      return `${group}/namespaces/${namespace}/${plural}${name === undefined ? '' : `/${name}`}`
    }
    tests({
      get client() {
        return subject.client
      },
      namespace,
      path,
      create: async (plural, object) => accepted(await subject.client.post(path(plural), object)),
    })
  })
}

/** @returns the body of a response that must be a success */
export function accepted(response: RawResponse): Json {
  if (response.status < 300) return response.body
  throw new Error(`the server refused: ${response.status} ${response.text}`)
}
