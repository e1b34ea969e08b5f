import {
  type ApiClient,
  type ApiObject,
  ConnectionError,
  ExpiredError,
  type Resource,
  UnauthorizedError,
} from '../kubernetes/index.ts'

/** Decides about the calls to one cluster. */
interface Admission {
  /** Resolves where the cluster may be called. @throws KubernetesError */
  pass(signal?: AbortSignal): Promise<void>
  /** Called when a call failed such that another cluster may answer from now on. */
  onSuspectIdentity(): void
  /** Returns a number that changes when another cluster answers. */
  generation(): number
  /** Notes that no more calls come. */
  leave(): void
}

/**
 * Returns the client with calls that wait for their admission. A watch that would go on from a list of
 * another cluster is refused as one whose version is too old: versions of two clusters say nothing of each
 * other.
 */
export function admittedClient(
  client: ApiClient,
  { pass, onSuspectIdentity, ...admission }: Admission,
): ApiClient {
  /** Generations of the last whole lists, by the resource, of each who lists: a watcher has one signal. */
  const listed = new WeakMap<object, Map<string, number>>()

  const listedBy = (signal: AbortSignal | undefined): Map<string, number> => {
    const owner = signal ?? client
    const known = listed.get(owner) ?? new Map<string, number>()
    listed.set(owner, known)
    return known
  }

  async function guarded<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    await pass(signal)
    try {
      return await call()
    } catch (error) {
      if (error instanceof ConnectionError || error instanceof UnauthorizedError) onSuspectIdentity()
      throw error
    }
  }

  async function* pages<T extends ApiObject>(
    resource: Resource<T>,
    options: Parameters<ApiClient['pages']>[1] & Parameters<typeof client.pages<T>>[1] = {},
  ): ReturnType<typeof client.pages<T>> {
    await pass(options.signal)
    const generation = admission.generation()
    yield* client.pages(resource, options)
    // Not of one that is left after a page, as by a watcher that asks for the server's version.
    listedBy(options.signal).set(resource.plural, generation)
  }

  return {
    ...client,
    get: (resource, ref, options) => guarded(options?.signal, () => client.get(resource, ref, options)),
    list: (resource, options) =>
      guarded(options?.signal, async () => {
        const generation = admission.generation()
        const list = await client.list(resource, options)
        listedBy(options?.signal).set(resource.plural, generation)
        return list
      }),
    pages,
    create: (resource, object, options) =>
      guarded(options?.signal, () => client.create(resource, object, options)),
    update: (resource, object, options) =>
      guarded(options?.signal, () => client.update(resource, object, options)),
    patch: (resource, ref, patch, options) =>
      guarded(options?.signal, () => client.patch(resource, ref, patch, options)),
    delete: (resource, ref, options) => guarded(options?.signal, () => client.delete(resource, ref, options)),
    watch: (resource, options) =>
      guarded(options.signal, () => {
        if ((listedBy(options.signal).get(resource.plural) ?? 0) !== admission.generation())
          throw new ExpiredError(
            `failed to watch ${resource.plural} of cluster ${client.cluster}: the name leads to another cluster than before`,
            410,
            { reason: 'Expired' },
          )
        return client.watch(resource, options)
      }),
    read: (path, options) => guarded(options?.signal, () => client.read(path, options)),
    close() {
      admission.leave()
      client.close()
    },
  }
}
