import { isOwnAnnotation, type ServiceKey } from '../../changes/index.ts'
import { type EndpointSelector, type Service, serviceOfSelector } from '../../endpointslice/index.ts'
import {
  type ApiClient,
  ENDPOINT_SELECTORS,
  firstServed,
  type GetOptions,
  type ListOptions,
  SERVICES,
} from '../../kubernetes/index.ts'
import { readObject } from './read-object.ts'

/**
 * Reads the owner of slices that a key names, an EndpointSelector in the form of a Service.
 * @returns undefined if there is none. An API server that does not serve the kind does not say so of any
 *   object: then this throws, and the slices stay
 * @throws KubernetesError when the read failed
 */
export async function readOwner(
  client: ApiClient,
  { namespace, service: name, ownerKind }: ServiceKey,
  options: GetOptions,
): Promise<Service | undefined> {
  const ref = { namespace, name }
  if (ownerKind === undefined) return readObject(client, SERVICES, ref, options)
  const selector = await readObject(client, ENDPOINT_SELECTORS, ref, options)
  return selector && selectorAsService(selector)
}

/** Returns an EndpointSelector in the form of a Service, with the annotations that mean something on it. */
export const selectorAsService = (selector: EndpointSelector): Service =>
  serviceOfSelector(selector, isOwnAnnotation)

/**
 * Lists the EndpointSelectors of a cluster page by page; none where it does not serve the kind.
 * @throws KubernetesError
 */
export async function* listSelectors(
  client: ApiClient,
  options: ListOptions,
): AsyncGenerator<readonly EndpointSelector[]> {
  const { signal } = options
  const served = await firstServed(client, [ENDPOINT_SELECTORS], signal && { signal })
  if (served === undefined) return
  for await (const { items } of client.pages(served, options)) yield items
}
