import { knownVersion } from '../../changes/index.ts'
import { type ApiObject, labelName, subdomainName } from '../../kubernetes/index.ts'

/** `namespace/name` of a Service of the set, or of an object of one cluster. */
export type NameText = string & { readonly __brand: 'NameText' }

export const nameText = (namespace: string, name: string): NameText => `${namespace}/${name}` as NameText

export const parseNameText = (text: NameText): { readonly namespace: string; readonly name: string } => {
  const slash = text.indexOf('/')
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) }
}

/** What is read of an object's metadata, whatever the cluster sent. */
export interface WatchedMetadata {
  /** Empty of objects that are in none. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Undefined where it is none that a message may carry. */
  readonly version: string | undefined
  readonly createdAt: unknown
  label(key: string): string | undefined
  annotation(key: string): string | undefined
}

/** Undefined where there is no name that the API allows: nothing is remembered of such an object. */
export function readMetadata({ metadata }: ApiObject): WatchedMetadata | undefined {
  const { namespace, name, uid, resourceVersion, ...more } = recordOf(metadata)
  if (!isName(name, subdomainName) || !isName(namespace ?? 'none', labelName)) return undefined
  return {
    namespace: textOf(namespace) ?? '',
    name,
    uid: textOf(uid) ?? '',
    version: knownVersion(resourceVersion),
    createdAt: more.creationTimestamp,
    label: (key) => textOf(recordOf(more.labels)[key]),
    annotation: (key) => textOf(recordOf(more.annotations)[key]),
  }
}

/** A label may hold what can be no Service's name. */
export const serviceNameOf = (label: string | undefined): string | undefined =>
  isName(label, labelName) ? label : undefined

const LONGEST_NAME = 253

/** The rules need time that grows with the text. */
const isName = (value: unknown, rule: (name: string) => string[]): value is string =>
  typeof value === 'string' && value.length <= LONGEST_NAME && rule(value).length === 0

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
