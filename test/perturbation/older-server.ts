import type { Fault, ProxiedRequest, Reply } from '../support/fault-proxy.ts'

/**
 * Asks the API server what it would have answered at an earlier version: a read is made into a list of
 * exactly that version, which the server takes from etcd. A server whose cache is that old answers in the
 * same way, but for reads of the newest data, which it would pass on to etcd: answering these from the past,
 * too, is more than a server should do, and all the harder to survive. A read that asks for a later version
 * is refused, as by a server that has not reached it.
 * @returns undefined for what is no read
 */
export function askOlder({ method, url, isWatch }: ProxiedRequest, version: string): Fault | undefined {
  if (method !== 'GET' || isWatch) return undefined
  const { pathname, searchParams } = new URL(url, 'https://server')
  if (searchParams.has('continue')) return undefined
  if (Number(searchParams.get('resourceVersion') ?? 0) > Number(version)) return tooLargeVersion(url)
  const { collection, name } = partsOf(pathname)
  searchParams.set('resourceVersion', version)
  searchParams.set('resourceVersionMatch', 'Exact')
  if (name === undefined) return { kind: 'ask-instead', url: `${collection}?${searchParams}` }
  searchParams.set('fieldSelector', `metadata.name=${name}`)
  return {
    kind: 'ask-instead',
    url: `${collection}?${searchParams}`,
    headers: { 'accept-encoding': 'identity' },
    answer: (reply) => onlyItem(reply, name),
  }
}

/** Makes the answer that a server gives 3 s after it was asked for a version that it has not reached. */
const tooLargeVersion = (url: string): Fault => ({
  kind: 'ask-instead',
  url,
  headers: { 'accept-encoding': 'identity' },
  answer: () => statusOf(504, 'Timeout', { causes: [{ reason: 'ResourceVersionTooLarge' }] }),
})

/** Splits a path such as `/api/v1/namespaces/N/pods/P` into the collection and the name, if it has one. */
function partsOf(path: string): { readonly collection: string; readonly name?: string } {
  const parts = path.split('/')
  const afterVersion = parts.slice(parts[1] === 'api' ? 3 : 4)
  const depth = afterVersion[0] === 'namespaces' && afterVersion.length > 2 ? 4 : 2
  if (afterVersion.length < depth) return { collection: path }
  return { collection: parts.slice(0, -1).join('/'), name: parts.at(-1) ?? '' }
}

function onlyItem({ status, body }: Reply, name: string): Reply {
  if (status !== 200) return { status, body }
  const { apiVersion, kind, items } = JSON.parse(body)
  const [item] = items ?? []
  if (item === undefined) return statusOf(404, 'NotFound', { name })
  const own = { apiVersion, kind: kind.replace(/List$/, '') }
  return { status, body: JSON.stringify({ ...own, ...item }) }
}

const statusOf = (code: number, reason: string, details: unknown): Reply => ({
  status: code,
  body: JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: `as of an older version: ${reason}`,
    reason,
    details,
    code,
  }),
})
