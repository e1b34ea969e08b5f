import type { ServiceKey } from '../../../shared/changes/index.ts'
import { labelName } from '../../../shared/kubernetes/index.ts'

/**
 * Reads which Service a page has chosen: `cluster`, and `service` as NAMESPACE/NAME.
 * @returns why it is invalid, as a text for the user; `undefined` where nothing is chosen
 */
export function parseChoice(
  query: URLSearchParams,
  clusters: readonly string[],
): ServiceKey | string | undefined {
  const text = query.get('service')
  if (text === null) return undefined
  const [namespace = '', service = '', ...rest] = text.split('/')
  if (rest.length > 0 || [namespace, service].some((part) => labelName(part).length > 0))
    return 'That is not the name of a Service: give NAMESPACE/NAME, such as shop/web.'
  const cluster = query.get('cluster') ?? ''
  return clusters.includes(cluster) ? { cluster, namespace, service } : 'There is no such cluster.'
}
