import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import { objectsAt, stringAt, stringsAt } from '../apimachinery/json/values.ts'
import { finalizersOf, isKubeObject, type KubeObject } from '../apimachinery/objects.ts'
import { connectionFailure } from '../apiserver/outgoing/connection-failure.ts'
import type { User } from '../apiserver/registry/access.ts'
import { apiVersionOf } from '../apiserver/registry/definition/names.ts'
import type { ContentElsewhere, ContentReport } from '../controllers/namespaces/content-elsewhere.ts'
import { pathOf } from './api-service.ts'
import type { Delegates } from './delegates.ts'
import type { Delegate } from './delegation/delegate.ts'
import { type Fetched, fetchFrom } from './delegation/fetch.ts'
import { identityHeaders } from './delegation/identity-headers.ts'
import { parsed } from './discovery/read-discovery.ts'
import type { RemoteDiscovery } from './discovery/remote-discovery.ts'

/** Whom RBAC's bootstrap policy lets delete everything, here and on servers that ask this one. */
const CONTROLLER: User = {
  username: 'system:serviceaccount:kube-system:namespace-controller',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
}
const DELETE_OPTIONS = JSON.stringify({
  kind: 'DeleteOptions',
  apiVersion: 'v1',
  propagationPolicy: 'Background',
})
/** Codes of a verb that discovery has and the path lacks. Upstream takes both for "not supported". */
const UNSUPPORTED = new Set([404, 405])

interface Tally {
  readonly remaining: Map<string, number>
  readonly finalizers: Map<string, number>
  readonly undiscovered: string[]
  readonly failures: string[]
}

/** Returns the content of namespaces that delegates keep. */
export function delegatedContent(delegates: Delegates, remote: RemoteDiscovery): ContentElsewhere {
  return {
    get exists() {
      return delegates.all.size > 0
    },
    async empty(namespace): Promise<ContentReport> {
      const tally: Tally = { remaining: new Map(), finalizers: new Map(), undiscovered: [], failures: [] }
      const all = [...delegates.all].map(async ([name, delegate]) => {
        const entry = remote.entry(delegate, name)
        if (entry.freshness === 'Stale') tally.undiscovered.push(apiVersionOf(delegate.groupVersion))
        else await emptyGroupVersion(new Content(delegate, namespace), entry, tally)
      })
      await Promise.all(all)
      return tally
    },
  }
}

async function emptyGroupVersion(content: Content, entry: JsonObject, tally: Tally): Promise<void> {
  for (const resource of objectsAt(entry, 'resources')) {
    const verbs = stringsAt(resource, 'verbs')
    if (resource.scope !== 'Namespaced' || !verbs.includes('delete')) continue
    try {
      await content.empty(stringAt(resource, 'resource'), verbs, tally)
    } catch (error) {
      tally.failures.push(connectionFailure(error))
    }
  }
}

/** Content of one namespace on one server. */
class Content {
  readonly #delegate: Delegate
  readonly #root: string

  constructor(delegate: Delegate, namespace: string) {
    this.#delegate = delegate
    this.#root = `${pathOf(delegate.groupVersion)}/namespaces/${namespace}`
  }

  async empty(resource: string, verbs: readonly string[], tally: Tally): Promise<void> {
    const path = `${this.#root}/${encodeURIComponent(resource)}`
    const isGone = verbs.includes('deletecollection') && (await this.#delete(path))
    if (!verbs.includes('list')) return
    if (!isGone) {
      for (const { metadata } of await this.#list(path)) {
        await this.#delete(`${path}/${encodeURIComponent(metadata.name ?? '')}`)
      }
    }
    const left = await this.#list(path)
    const { group } = this.#delegate.groupVersion
    if (left.length > 0) tally.remaining.set(`${resource}.${group}`, left.length)
    for (const finalizer of left.flatMap(finalizersOf)) {
      tally.finalizers.set(finalizer, (tally.finalizers.get(finalizer) ?? 0) + 1)
    }
  }

  /** Deletes the objects at a path. Returns false if that is not supported, or there are none. */
  async #delete(path: string): Promise<boolean> {
    const answer = await this.#ask({ method: 'DELETE', path, body: DELETE_OPTIONS })
    if (UNSUPPORTED.has(answer.status)) return false
    check(answer)
    return true
  }

  async #list(path: string): Promise<KubeObject[]> {
    const answer = await this.#ask({ method: 'GET', path })
    if (UNSUPPORTED.has(answer.status)) return []
    check(answer)
    return objectsAt(parsed(answer.text), 'items').filter(isKubeObject)
  }

  #ask({ method, path, body }: { method: string; path: string; body?: string }): Promise<Fetched> {
    const headers = {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
      ...identityHeaders(CONTROLLER),
    }
    return fetchFrom(this.#delegate, { method, path, headers, ...(body === undefined ? {} : { body }) })
  }
}

/** Throws an Error with the message of the server's Status. */
function check({ status, text }: Fetched): void {
  if (status >= 200 && status < 300) return
  let message = ''
  try {
    message = stringAt(parsed(text), 'message')
  } catch {
    // No Status: the code has to do.
  }
  throw new Error(message || `the server answered with status ${status}`)
}
