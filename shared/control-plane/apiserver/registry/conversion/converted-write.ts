import type { KubeObject } from '../../../apimachinery/objects.ts'
import type { Endpoint, WriteEndpoint, WriteStore } from '../definition/resource-definition.ts'
import type { ConvertedObjects } from '../external-conversion.ts'
import { withConversions } from '../replay.ts'

/** Result of a write; `object` is the answer. */
interface WriteResult {
  readonly object: KubeObject
}

/** Target of a write. */
interface WriteTarget {
  readonly endpoint: Endpoint
  /** `''` where the name is not known yet. */
  readonly key: string
  readonly verb: 'create' | 'delete' | 'update'
  readonly dryRun: boolean
}

/**
 * Does a write, by a function that reads and writes the store of the endpoint that it is handed. Where
 * conversion takes time, that store shows the object of the key as it was converted before, and keeps what is
 * written to it until the function is done: then it is converted and stored. The function may be run several
 * times. Undefined, as the function's own answer, where another writer has changed the object meanwhile.
 */
export async function writeConverted<Result extends WriteResult>(
  { endpoint, key, verb, dryRun }: WriteTarget,
  write: (endpoint: WriteEndpoint) => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const { converted, resource, store } = endpoint
  if (!converted) return await write(endpoint)
  const stored = store.get(resource, key)
  // As upstream's GuaranteedUpdate, which begins with what its cache has; a delete reads the object first.
  const read = verb === 'delete' ? converted.read : converted.readOnce
  const base = stored && { stored, shown: await read(stored) }
  const { staged, result } = await withConversions(converted.convert, async (convert) => {
    const kept = new StagedStore(store, key, base)
    return { staged: kept, result: await write({ ...endpoint, store: kept, convert }) }
  })
  if (!result) return undefined
  if (dryRun && verb !== 'delete') {
    return { ...result, object: await converted.read(await converted.write(result.object)) }
  }
  return await staged.commit(resource, result, converted)
}

interface Base {
  readonly stored: KubeObject
  readonly shown: KubeObject
}

interface StagedWrite {
  readonly key: string
  readonly before: KubeObject | undefined
  readonly object: KubeObject
  readonly isRemoval: boolean
}

/** A store that shows one object converted, and keeps a write to itself. */
class StagedStore implements WriteStore {
  readonly #store: WriteStore
  readonly #key: string
  readonly #base: Base | undefined
  #write: StagedWrite | undefined

  constructor(store: WriteStore, key: string, base: Base | undefined) {
    this.#store = store
    this.#key = key
    this.#base = base
  }

  get(resource: string, key: string): KubeObject | undefined {
    const stored = this.#store.get(resource, key)
    return key === this.#key && stored === this.#base?.stored ? this.#base?.shown : stored
  }

  put(resource: string, key: string, object: KubeObject): KubeObject {
    return this.#keep(resource, { key, object, isRemoval: false })
  }

  remove(resource: string, key: string, last: KubeObject): KubeObject {
    return this.#keep(resource, { key, object: last, isRemoval: true })
  }

  async commit<Result extends WriteResult>(
    resource: string,
    result: Result,
    converted: ConvertedObjects,
  ): Promise<Result | undefined> {
    const write = this.#write
    if (!write) return result
    const { key, before, isRemoval } = write
    const object = await converted.write(write.object)
    if (this.#store.get(resource, key) !== before) return undefined
    const stored = isRemoval
      ? this.#store.remove(resource, key, object)
      : this.#store.put(resource, key, object)
    const shown = await converted.read(stored)
    return { ...result, object: shown }
  }

  #keep(resource: string, write: Omit<StagedWrite, 'before'>): KubeObject {
    this.#write = { ...write, before: this.#store.get(resource, write.key) }
    return write.object
  }
}
