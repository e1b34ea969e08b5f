import { knownVersion } from '../../changes/index.ts'
import { type ApiObject, labelName, subdomainName } from '../../kubernetes/index.ts'
import { recordOf } from '../../values/index.ts'

/** `namespace/name` of a Service of the set, or of an object of one cluster. */
export type NameText = string & { readonly __brand: 'NameText' }

export const nameText = (namespace: string, name: string): NameText => `${namespace}/${name}` as NameText

export const parseNameText = (text: NameText): { readonly namespace: string; readonly name: string } => {
  const slash = text.indexOf('/')
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) }
}

/** Metadata of an object as it was checked, whatever the cluster sent. */
export type WatchedMetadata = NonNullable<ReturnType<typeof readMetadata>>

/** Reads an object's metadata; undefined if the API does not allow its name, and it is not remembered. */
export function readMetadata(object: ApiObject) {
  const { namespace, name, uid, resourceVersion, ...more } = recordOf(object.metadata)
  if (!isName(name, subdomainName) || !isName(namespace ?? 'none', labelName)) return undefined
  return {
    /** Empty of objects that are in none. */
    namespace: textOf(namespace) ?? '',
    name,
    uid: textOf(uid) ?? '',
    /** Undefined where it is none that a message may carry. */
    version: knownVersion(resourceVersion),
    createdAt: more.creationTimestamp,
    deletedAt: more.deletionTimestamp,
    /** Grows with each change of anything but metadata and status, for the kinds that have one. */
    generation: more.generation,
    /** Undefined where metadata alone is watched, or there is none. */
    spec: recordOf(object).spec,
    status: recordOf(object).status,
    /** Annotations that may mean something to Sliceflow. */
    get ownAnnotations(): Readonly<Record<string, unknown>> {
      return Object.fromEntries(
        Object.entries(recordOf(more.annotations)).filter(([key]) => key.startsWith(OWN_PREFIX)),
      )
    },
    label: (key: string): string | undefined => textOf(recordOf(more.labels)[key]),
    annotation: (key: string): string | undefined => textOf(recordOf(more.annotations)[key]),
  }
}

/** Returns the Service that a label names; a label may also hold what can be no Service's name. */
export const serviceNameOf = (label: string | undefined): string | undefined =>
  isName(label, labelName) ? label : undefined

const MAX_NAME_LENGTH = 253
const OWN_PREFIX = 'sliceflow.dev/'

/** Reports whether a value is a name by a rule. Long texts, for which rules take long, are none. */
const isName = (value: unknown, rule: (name: string) => string[]): value is string =>
  typeof value === 'string' && value.length <= MAX_NAME_LENGTH && rule(value).length === 0

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
