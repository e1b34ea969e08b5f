import {
  type ApiClient,
  type ApiObject,
  ConflictError,
  findResource,
  isAbsentObject,
  NotFoundError,
  type Resource,
} from '../../kubernetes/index.ts'
import { type PipelineDelta, patched, unpatched, updated } from '../engine/index.ts'
import { equal, isObject, type Json, type JsonObject, member } from '../json/index.ts'
import type { TargetSpec } from '../spec/index.ts'

/** Maximum number of attempts after conflicts; then the error is thrown. */
const ATTEMPTS = 5
/** Metadata that a server sets. A spec may have copied that of another object, with all the rest. */
const SERVER_FIELDS: readonly string[] = [
  ...['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields', 'selfLink'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds'],
]

/**
 * Writes what a pipeline gave to an object of the API.
 * An Updater creates it, makes it as given (labels and annotations are only added) or deletes it; its status
 * is written apart. A Patcher merges what is given into an object that must exist, or takes that away again.
 * @throws KubernetesError
 */
export type WriteTarget = (target: TargetSpec, delta: PipelineDelta) => Promise<void>

/**
 * Asks the API server what each kind is called there, and again once the kind is not found.
 * @example
 * ```ts
 * const [cluster] = await loadClusters('kubeconfig')
 * if (cluster === undefined) throw new Error('no cluster')
 * const write = createTargetWriter(createApiClient(cluster))
 * const target = { type: 'Updater', group: '', version: 'v1', kind: 'Secret', isView: false } as const
 * const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web', namespace: 'default' } }
 * await write(target, { controller: 'names', type: 'Upserted', object })
 * ```
 */
export function createTargetWriter(client: ApiClient): WriteTarget {
  const resources = new Map<string, Resource>()
  return async (target, { type, object }) => {
    const { group, kind, version } = target
    const id = JSON.stringify([group, kind, version])
    const resource = resources.get(id) ?? (await findResource(client, { group, kind, version }))
    resources.set(id, resource)
    try {
      await new TargetWriter(client, resource, object).write(target.type, type)
    } catch (error) {
      // It may be another version of the kind that is served by now.
      if (error instanceof NotFoundError) resources.delete(id)
      throw error
    }
  }
}

class TargetWriter {
  readonly #client: ApiClient
  readonly #resource: Resource
  readonly #object: JsonObject
  readonly #ref: { readonly namespace?: string; readonly name: string }

  constructor(client: ApiClient, resource: Resource, object: PipelineDelta['object']) {
    this.#client = client
    this.#resource = resource
    const metadata = Object.entries(object.metadata).filter(([field]) => !SERVER_FIELDS.includes(field))
    this.#object = { ...object, metadata: Object.fromEntries(metadata) }
    const { namespace, name } = object.metadata
    // The path would lead to no object, and the API server would not say why.
    if (resource.namespaced && namespace === undefined)
      throw new Error(
        `${resource.kind} ${name} names no namespace, and each ${resource.kind} is in one: give it a metadata.namespace in the pipeline`,
      )
    this.#ref = { namespace, name }
  }

  async write(how: TargetSpec['type'], type: PipelineDelta['type']): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await (how === 'Patcher' ? this.#patch(type) : this.#update(type))
      } catch (error) {
        if (!(error instanceof ConflictError) || attempt === ATTEMPTS) throw error
      }
    }
  }

  async #update(type: PipelineDelta['type']): Promise<void> {
    if (type === 'Deleted') return this.#delete()
    const { status, ...given } = this.#object
    const stored = await this.#read()
    if (stored === undefined) {
      const created = await this.#client.create(this.#resource, given as ApiObject)
      return this.#writeStatus(created as JsonObject, status)
    }
    const before = member(stored, 'status')
    const wanted = updated(stored, given)
    const written = await this.#write(stored, before === undefined ? wanted : { ...wanted, status: before })
    return this.#writeStatus(written, status)
  }

  async #patch(type: PipelineDelta['type']): Promise<void> {
    const stored = await this.#read()
    if (stored !== undefined) {
      const merge = type === 'Deleted' ? unpatched : patched
      await this.#write(stored, merge(stored, this.#object))
    } else if (type !== 'Deleted') await this.#client.get(this.#resource, this.#ref)
  }

  async #read(): Promise<JsonObject | undefined> {
    try {
      return (await this.#client.get(this.#resource, this.#ref)) as JsonObject
    } catch (error) {
      if (isAbsentObject(error, this.#ref.name)) return undefined
      throw error
    }
  }

  async #write(stored: JsonObject, wanted: JsonObject): Promise<JsonObject> {
    if (equal(stored, wanted)) return stored
    return (await this.#client.update(this.#resource, wanted as ApiObject)) as JsonObject
  }

  async #writeStatus(stored: JsonObject, status: Json | undefined): Promise<void> {
    if (status === undefined || !isObject(stored) || equal(member(stored, 'status'), status)) return
    const wanted = { ...stored, status } as ApiObject
    try {
      await this.#client.update(this.#resource, wanted, { subresource: 'status' })
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error
      // The kind has no such subresource: its status is a field as any other.
      await this.#client.update(this.#resource, wanted)
    }
  }

  async #delete(): Promise<void> {
    try {
      await this.#client.delete(this.#resource, this.#ref)
    } catch (error) {
      if (!isAbsentObject(error, this.#ref.name)) throw error
    }
  }
}
