import type { ApiClient, ApiObject, DeleteOptions } from '../../shared/kubernetes/index.ts'

/** Something that a worker waits for: one request to the API server, or the end of a pause. */
export type Call =
  | {
      readonly verb: 'list'
      readonly plural: string
      readonly namespace?: string
      readonly labelSelector?: string
      readonly metadataOnly?: boolean
      readonly notOlderThan?: string
    }
  | {
      readonly verb: 'get'
      readonly plural: string
      readonly namespace?: string
      readonly name: string
      readonly metadataOnly?: boolean
      readonly notOlderThan?: string
    }
  | { readonly verb: 'create'; readonly plural: string; readonly object: ApiObject }
  | { readonly verb: 'update'; readonly plural: string; readonly object: ApiObject }
  | {
      readonly verb: 'delete'
      readonly plural: string
      readonly namespace?: string
      readonly name: string
      readonly preconditions?: DeleteOptions['preconditions']
    }
  | { readonly verb: 'pause' }

/** Brings the answer to a call, whenever that comes. */
type Ask = (call: Call) => Promise<unknown>

export const isWrite = ({ verb }: Call): boolean =>
  verb === 'create' || verb === 'update' || verb === 'delete'

/** Describes a call for traces. */
export function describeCall(call: Call): string {
  switch (call.verb) {
    case 'list': {
      const what = call.metadataOnly ? `the metadata of ${call.plural}` : call.plural
      return `list ${what}${versionText(call)}`
    }
    case 'get':
      return `get ${call.metadataOnly ? 'the metadata of ' : ''}${call.plural} ${call.name}${versionText(call)}`
    case 'delete':
      return `${call.verb} ${call.plural} ${call.name}`
    case 'create':
    case 'update':
      return `${call.verb} ${call.plural} ${call.object.metadata?.name}`
    case 'pause':
      return 'end its pause'
  }
}

const versionText = ({ notOlderThan }: { readonly notOlderThan?: string }): string =>
  notOlderThan === undefined ? '' : ` not older than ${notOlderThan}`

/** Creates a client that passes every call to `ask`. It has only what the reconciler uses. */
export function createAskingClient(cluster: string, ask: Ask): ApiClient {
  const put = <T>(call: Call): Promise<T> => ask(call) as Promise<T>
  return {
    cluster,
    address: () => undefined,
    get: ({ plural }, { namespace, name }, { metadataOnly, notOlderThan } = {}) =>
      put({ verb: 'get', plural, namespace, name, metadataOnly, notOlderThan }),
    list: ({ plural }, { namespace, labelSelector, metadataOnly, notOlderThan } = {}) =>
      put({ verb: 'list', plural, namespace, labelSelector, metadataOnly, notOlderThan }),
    create: ({ plural }, object) => put({ verb: 'create', plural, object }),
    update: ({ plural }, object) => put({ verb: 'update', plural, object }),
    delete: ({ plural }, { namespace, name }, { preconditions } = {}) =>
      put({ verb: 'delete', plural, namespace, name, preconditions }),
    patch: () => refuse('patch'),
    read: () => refuse('read'),
    watch: () => refuse('watch'),
    pages: () => {
      throw new UnsimulatedCallError('pages')
    },
    close: () => {},
  }
}

/** The code under test calls something that the simulation does not know: it must learn it first. */
export class UnsimulatedCallError extends Error {
  override readonly name = 'UnsimulatedCallError'

  constructor(verb: string) {
    super(`failed to simulate ${verb}: teach test/exploration/calls.ts and simulated-api.ts this call`)
  }
}

const refuse = (verb: string): Promise<never> => Promise.reject(new UnsimulatedCallError(verb))
