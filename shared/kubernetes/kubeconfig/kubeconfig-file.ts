import { readFile } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import * as v from 'valibot'
import type { Tags } from 'yaml'
import { object, record, safeParse } from '../../schema/index.ts'
import { errorMessage } from '../../values/index.ts'
import { KubeconfigError } from '../errors/errors.ts'

/*
 * client-node 2.0.1 reads kubeconfigs otherwise than client-go: it drops as-uid, as-groups, as-user-extra,
 * tokenFile, installHint, provideClusterInfo, extensions and disable-compression, prefers other fields where
 * two exclude each other, and merges by other rules. So the fields are read here, under client-go's names
 * (tools/clientcmd/api/v1/types.go). Only the refresh of an OIDC token is client-node's.
 */

const TEXT = v.optional(v.string('must be text: put it in quotes'))
const FLAG = v.optional(v.boolean('must be true or false'))
/** Go's decoder passes over line ends and needs the padding. */
const DATA = v.optional(
  v.pipe(
    v.string('must be text in base64'),
    v.check((text) => isBase64(text.replace(/[\r\n]/g, '')), 'is not base64'),
  ),
)
const EXTENSIONS = v.optional(v.array(object({ name: TEXT, extension: v.unknown() })))

const CLUSTER = object({
  server: TEXT,
  'tls-server-name': TEXT,
  'insecure-skip-tls-verify': FLAG,
  'certificate-authority': TEXT,
  'certificate-authority-data': DATA,
  'proxy-url': TEXT,
  'disable-compression': FLAG,
  extensions: EXTENSIONS,
})

const EXEC = object({
  command: TEXT,
  args: v.optional(v.array(v.string('must be text: put it in quotes'))),
  env: v.optional(v.array(object({ name: TEXT, value: TEXT }))),
  apiVersion: TEXT,
  installHint: TEXT,
  provideClusterInfo: FLAG,
  interactiveMode: TEXT,
})

const USER = object({
  'client-certificate': TEXT,
  'client-certificate-data': DATA,
  'client-key': TEXT,
  'client-key-data': DATA,
  token: TEXT,
  tokenFile: TEXT,
  as: TEXT,
  'as-uid': TEXT,
  'as-groups': v.optional(v.array(v.string('must be text: put it in quotes'))),
  'as-user-extra': v.optional(record(v.string(), v.array(v.string()))),
  username: TEXT,
  password: TEXT,
  'auth-provider': v.optional(
    object({ name: TEXT, config: v.optional(record(v.string(), v.string('must be text'))) }),
  ),
  exec: v.optional(EXEC),
  extensions: EXTENSIONS,
})

const CONTEXT = object({ cluster: TEXT, user: TEXT, namespace: TEXT, extensions: EXTENSIONS })

const NAME = v.string('is missing')
const KUBECONFIG = object(
  {
    apiVersion: v.optional(v.literal('v1', 'must be v1')),
    kind: v.optional(v.literal('Config', 'must be Config')),
    'current-context': TEXT,
    clusters: v.optional(v.array(object({ name: NAME, cluster: v.optional(CLUSTER) }))),
    users: v.optional(v.array(object({ name: NAME, user: v.optional(USER) }))),
    contexts: v.optional(v.array(object({ name: NAME, context: v.optional(CONTEXT) }))),
  },
  'it holds no fields',
)

export type KubeconfigCluster = v.InferOutput<typeof CLUSTER>
export type KubeconfigUser = v.InferOutput<typeof USER>
type KubeconfigContext = v.InferOutput<typeof CONTEXT>
export type ExecConfig = v.InferOutput<typeof EXEC>

/** Fields that are read of each part, for the tables of tests and docs. */
export const KUBECONFIG_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Cluster: Object.keys(CLUSTER.entries),
  AuthInfo: Object.keys(USER.entries),
  Context: Object.keys(CONTEXT.entries),
  ExecConfig: Object.keys(EXEC.entries),
}

export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>
  readonly users: ReadonlyMap<string, KubeconfigUser>
  readonly contexts: ReadonlyMap<string, KubeconfigContext>
  readonly currentContext: string
}

/** Reads a file; the paths that it names are relative to its folder. @throws KubeconfigError */
export async function readKubeconfig(file: string): Promise<Kubeconfig> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    const reason = errorMessage(cause)
    throw new KubeconfigError(
      `kubeconfig ${file} cannot be read: ${reason}; name a readable file with --kubeconfig`,
      { cause },
    )
  }
  try {
    return parseKubeconfig(await parseYaml(text), dirname(resolve(file)))
  } catch (cause) {
    // Without the cause: it may quote the file, and with it tokens and keys.
    throw new KubeconfigError(`kubeconfig ${file} is not a kubeconfig: ${(cause as Error).message}`)
  }
}

/** Merges files by client-go's rules: the first one that names something decides about all of it. */
export function mergeKubeconfigs(all: readonly Kubeconfig[]): Kubeconfig {
  return {
    clusters: firstOfEach(all.map(({ clusters }) => clusters)),
    users: firstOfEach(all.map(({ users }) => users)),
    contexts: firstOfEach(all.map(({ contexts }) => contexts)),
    currentContext: all.find(({ currentContext }) => currentContext !== '')?.currentContext ?? '',
  }
}

function firstOfEach<V>(maps: readonly ReadonlyMap<string, V>[]): Map<string, V> {
  const merged = new Map<string, V>()
  for (const map of maps) for (const [name, value] of map) if (!merged.has(name)) merged.set(name, value)
  return merged
}

/** Parses the first document as YAML 1.1, like client-go: `yes` is true. Errors do not quote the text. */
async function parseYaml(text: string): Promise<unknown> {
  // Loaded here only: functions that know their clusters otherwise never need it.
  const { parseAllDocuments, YAMLParseError } = await import('yaml')
  try {
    const [first] = parseAllDocuments(text, { version: '1.1', customTags: goTags, uniqueKeys: false })
    for (const error of first?.errors ?? []) throw error
    return first?.toJS()
  } catch (cause) {
    const at = cause instanceof YAMLParseError ? cause.linePos?.[0] : undefined
    const where = at === undefined ? '' : ` at line ${at.line}, column ${at.col}`
    const code = cause instanceof YAMLParseError ? ` (${cause.code})` : ''
    throw new Error(`it cannot be parsed as YAML${where}${code}`)
  }
}

/** To Go `e1` is no number, and neither are 12:30 and a date. */
const goTags = (tags: Tags): Tags => [
  ...tags.filter(
    (tag) =>
      typeof tag === 'string' ||
      !(NO_TAGS_OF_GO.includes(tag.format ?? '') || tag.tag.endsWith(':timestamp')),
  ),
  'floatExp',
]
const NO_TAGS_OF_GO = ['EXP', 'TIME']

/** @throws Error without any value of the file */
function parseKubeconfig(value: unknown, folder: string): Kubeconfig {
  const result = safeParse(KUBECONFIG, withoutNulls(value) ?? {})
  if (!result.success) {
    const problems = result.issues.map(({ path, message }) => `${pathText(path)} ${message}`.trim())
    throw new Error(problems.join('; '))
  }
  const { clusters = [], users = [], contexts = [], 'current-context': currentContext = '' } = result.data
  return {
    clusters: named('clusters', clusters, ({ cluster = {} }) => withPaths(cluster, CLUSTER_PATHS, folder)),
    users: named('users', users, ({ user = {} }) => withCommand(withPaths(user, USER_PATHS, folder), folder)),
    contexts: named('contexts', contexts, ({ context = {} }) => context),
    currentContext,
  }
}

function named<T extends { readonly name: string }, V>(
  list: string,
  entries: readonly T[],
  fieldsOf: (entry: T) => V,
): Map<string, V> {
  const all = new Map(entries.map((entry) => [entry.name, fieldsOf(entry)]))
  if (all.size < entries.length) throw new Error(`${list} has two entries of one name`)
  return all
}

const CLUSTER_PATHS = ['certificate-authority'] as const
const USER_PATHS = ['client-certificate', 'client-key', 'tokenFile'] as const

function withPaths<T extends object, K extends keyof T>(fields: T, names: readonly K[], folder: string): T {
  const paths = names
    .filter((name) => fields[name])
    .map((name) => [name, resolve(folder, String(fields[name]))])
  return { ...fields, ...Object.fromEntries(paths) }
}

/** A command without a slash is searched in PATH. */
function withCommand(user: KubeconfigUser, folder: string): KubeconfigUser {
  const { exec } = user
  if (!exec?.command?.includes(sep)) return user
  return { ...user, exec: { ...exec, command: resolve(folder, exec.command) } }
}

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0

/** null is as good as nothing to Go's decoder. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object') return value
  if (value === null) return undefined
  const entries = Object.entries(value).filter(([, each]) => each !== null)
  return Object.fromEntries(entries.map(([key, each]) => [key, withoutNulls(each)]))
}

const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')
