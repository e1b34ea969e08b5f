import { ApiError } from '../apimachinery/errors/status.ts'
import { sameJson } from '../apimachinery/json/values.ts'
import { type KubeObject, stringMap } from '../apimachinery/objects.ts'
import { createObject } from '../apiserver/registry/writes/create.ts'
import { updateObject } from '../apiserver/registry/writes/update.ts'
import { certificatesOf } from '../auth/security/certificate-chain.ts'
import { Workers } from '../controllers/workers.ts'
import { type AggregationServices, contextOf } from './services.ts'

const NAMESPACE = 'kube-system'
const NAME = 'extension-apiserver-authentication'
const KEY = `${NAMESPACE}/${NAME}`

/** The common name of the certificate that this server shows to others. */
export const FRONT_PROXY = 'front-proxy-client'

/** Authorities by which other servers trust this one and its clients. PEM texts. */
interface TrustedAuthorities {
  readonly clients: readonly string[]
  readonly frontProxy: string
}

const LISTS: Readonly<Record<string, readonly string[]>> = {
  'requestheader-username-headers': ['X-Remote-User'],
  'requestheader-uid-headers': ['X-Remote-Uid'],
  'requestheader-group-headers': ['X-Remote-Group'],
  'requestheader-extra-headers-prefix': ['X-Remote-Extra-'],
  'requestheader-allowed-names': [FRONT_PROXY],
}

/**
 * Keeps the ConfigMap by which extension API servers learn whom to trust (upstream's cluster authentication
 * trust controller). What others have added to it stays, as there may be several servers. Returns the
 * function that ends it.
 */
export function publishAuthorities(
  services: AggregationServices,
  authorities: TrustedAuthorities,
): () => void {
  const { store, onError } = services
  const queue = new Workers<string>({ work: () => publish(services, authorities), onError })
  const unsubscribe = store.subscribe('configmaps', ({ object }) => {
    const { namespace, name } = object.metadata
    if (namespace === NAMESPACE && name === NAME) queue.add(NAME, NAME)
  })
  publish(services, authorities)
  return () => {
    unsubscribe()
    queue.stop()
  }
}

function publish({ registry, store, onError }: AggregationServices, authorities: TrustedAuthorities): void {
  const endpoint = registry.endpoint('', 'v1', 'configmaps')
  if (!endpoint || !store.get('namespaces', NAMESPACE)) return
  const stored = store.get('configmaps', KEY)
  const before = stringMap(stored?.data)
  const context = contextOf(registry)
  try {
    const data = combined(before, authorities)
    if (!stored) createObject(endpoint, configMap(data), NAMESPACE, context)
    else if (!sameJson(before, data)) updateObject({ endpoint, stored }, { ...stored, data }, context)
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 409)) onError(error)
  }
}

const configMap = (data: Record<string, string>): KubeObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: NAME },
  data,
})

function combined(
  before: Record<string, string>,
  { clients, frontProxy }: TrustedAuthorities,
): Record<string, string> {
  const lists = Object.entries(LISTS).map(([key, own]) => {
    const all = [...new Set([...listIn(before[key]), ...own])]
    return [key, JSON.stringify(all)]
  })
  return {
    ...before,
    'client-ca-file': bundle([before['client-ca-file'], ...clients]),
    'requestheader-client-ca-file': bundle([before['requestheader-client-ca-file'], frontProxy]),
    ...Object.fromEntries(lists),
  }
}

/** Parses a list of texts. Malformed text counts as an empty list. */
function listIn(text: string | undefined): string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
  } catch {
    return []
  }
}

/** Bundles every certificate once, without those that have expired. */
function bundle(texts: readonly (string | undefined)[]): string {
  const certificates = texts.flatMap((text) => readable(text ?? ''))
  const good = certificates.filter(({ validToDate }) => validToDate.getTime() > Date.now())
  return [...new Set(good.map(String))].join('')
}

function readable(text: string): ReturnType<typeof certificatesOf> {
  try {
    return certificatesOf(text)
  } catch {
    return []
  }
}
