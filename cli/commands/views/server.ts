import { randomBytes } from 'node:crypto'
import pLimit from 'p-limit'
import { parse } from 'yaml'
import { type Authorize, builtinResources, createControlPlane } from '../../../shared/control-plane/index.ts'
import {
  type ApiClient,
  type ApiObject,
  ConflictError,
  createApiClient,
  NAMESPACES,
  NotFoundError,
  type Resource,
} from '../../../shared/kubernetes/index.ts'
import type { Log } from '../../../shared/telemetry/index.ts'
import { type OperatorSpec, type ViewEvent, type ViewObject, viewKinds } from '../../../shared/views/index.ts'
import { assertKubeconfigFile, writeKubeconfig } from '../../clusters/write-kubeconfig.ts'
import { problemText, type ViewsOutput } from './output.ts'
import { viewResource } from './resources.ts'

/** The only user that may write: this process, with a private token. */
const WRITER = 'sliceflow-views'
const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch'])
/** Objects of one change that are written at once. */
const CONCURRENCY = 16
/** Objects without a namespace stand in this one. */
const DEFAULT_NAMESPACE = 'default'

interface ServedOutputOptions {
  readonly port: number
  /** File for the kubeconfig. */
  readonly kubeconfigOut: string
  readonly logger: Log
}

/** Serves views as resources of a Kubernetes API. A line begins with `ready` once the first are shown. */
export async function servedOutput(
  spec: OperatorSpec,
  { port, kubeconfigOut, logger }: ServedOutputOptions,
): Promise<ViewsOutput> {
  await assertKubeconfigFile(kubeconfigOut)
  const server = await startViewServer(spec, port, logger)
  try {
    await writeKubeconfig(kubeconfigOut, server.kubeconfig)
  } catch (error) {
    await server.close()
    throw error
  }
  let isReady = false
  return {
    show({ view, problems }) {
      for (const problem of problems) logger.warn({}, problemText(problem))
      server.apply(view)
      if (isReady) return
      isReady = true
      void server.settled().then(() => {
        process.stdout.write(`ready: ${server.url} kubeconfig ${kubeconfigOut}\n`)
      })
    },
    async close() {
      await server.settled()
      await server.close()
    },
  }
}

export type ViewServer = Awaited<ReturnType<typeof startViewServer>>

/**
 * Serves the views of a spec as resources of a Kubernetes API: to be read and watched, not to be written.
 * @param port 0 picks one; on the loopback interface
 */
export async function startViewServer(spec: OperatorSpec, port: number, logger: Log) {
  const definitions = new Map(viewKinds(spec).map((kind) => [kind.kind, viewResource(kind)]))
  const namespaces = builtinResources('generic').filter(({ plural }) => plural === NAMESPACES.plural)
  const token = randomBytes(32).toString('base64url')
  const controlPlane = await createControlPlane({
    apis: { resources: [...namespaces, ...definitions.values()] },
    authentication: { tokens: { [token]: { username: WRITER, groups: [] } } },
    authorization: readOnly,
    observer: { onError: (err) => logger.error({ err }, 'failed to answer a request for views') },
  })
  try {
    const { url } = await controlPlane.listen({ port })
    const { kubeconfig } = controlPlane
    const ca = authorityOf(kubeconfig)
    const headers = { authorization: `Bearer ${token}` }
    const credentials = async () => ({ headers, ca })
    const client = createApiClient({ name: 'views', server: new URL(url), credentials })
    const writer = new ViewWriter(client, definitions, logger)
    let writing = Promise.resolve()
    return {
      url,
      /** Kubeconfig of a user who may read. */
      kubeconfig,
      /** Shows changes, after those that were given before; an object that cannot be shown is logged. */
      apply(events: readonly ViewEvent[]): void {
        writing = writing.then(() => writer.write(events))
      },
      /** Resolves when everything that was given is shown. */
      settled: (): Promise<void> => writing,
      async close(): Promise<void> {
        client.close()
        await controlPlane.close()
      },
    }
  } catch (error) {
    await controlPlane.close()
    throw error
  }
}

/** Lets every known user read everything; only this process writes. */
const readOnly: Authorize = ({ user, resourceRequest, verb }) =>
  user.username === WRITER ||
  (user.groups.includes('system:authenticated') && (!resourceRequest || READS.has(verb)))

function authorityOf(kubeconfig: string): string {
  const [entry] = parse(kubeconfig).clusters
  return Buffer.from(entry.cluster['certificate-authority-data'], 'base64').toString('utf8')
}

class ViewWriter {
  readonly #client: ApiClient
  readonly #resources: ReadonlyMap<string, Resource>
  readonly #logger: Log
  readonly #namespaces = new Set<string>()

  constructor(client: ApiClient, resources: ReadonlyMap<string, Resource>, logger: Log) {
    this.#client = client
    this.#resources = resources
    this.#logger = logger
  }

  /** Writes events. Those of one change name each object once: their order does not matter. Never rejects. */
  async write(events: readonly ViewEvent[]): Promise<void> {
    const limit = pLimit(CONCURRENCY)
    await Promise.all(
      events.map(({ type, object }) =>
        limit(async () => {
          try {
            await this.#write(type, object)
          } catch (err) {
            const { kind, metadata } = object
            this.#logger.warn({ err, kind, name: metadata.name }, 'a view object cannot be shown')
            // What it was before is not there any more.
            if (type === 'Updated') await this.#write('Deleted', object).catch(() => undefined)
          }
        }),
      ),
    )
  }

  async #write(type: ViewEvent['type'], object: ViewObject): Promise<void> {
    const resource = this.#resources.get(object.kind)
    if (resource === undefined) return
    const shown = shownAs(object)
    const { namespace = DEFAULT_NAMESPACE, name = '' } = shown.metadata ?? {}
    if (type === 'Deleted')
      return void (await this.#unless(NotFoundError, this.#client.delete(resource, { namespace, name })))
    // One that could not be shown before is not there.
    if (type === 'Updated' && (await this.#unless(NotFoundError, this.#client.update(resource, shown))))
      return
    await this.#makeNamespace(namespace)
    await this.#client.create(resource, shown)
  }

  /** Makes a namespace, which must be there before its objects, as on any API server. */
  async #makeNamespace(name: string): Promise<void> {
    if (this.#namespaces.has(name)) return
    await this.#unless(ConflictError, this.#client.create(NAMESPACES, { metadata: { name } }))
    this.#namespaces.add(name)
  }

  /** Reports whether a call succeeded; false if it failed with the expected error. */
  async #unless(
    expected: typeof NotFoundError | typeof ConflictError,
    call: Promise<unknown>,
  ): Promise<boolean> {
    try {
      await call
      return true
    } catch (error) {
      if (!(error instanceof expected)) throw error
      return false
    }
  }
}

/**
 * Returns the object to be written. Other metadata that a spec may have copied, such as uid and
 * resourceVersion, is the server's to set.
 */
function shownAs({ metadata, ...object }: ViewObject): ApiObject {
  const { namespace = DEFAULT_NAMESPACE, name, labels, annotations } = metadata
  return {
    ...object,
    metadata: { namespace, name, ...(labels && { labels }), ...(annotations && { annotations }) },
  } as ApiObject
}
