import { endpointSelectorDefinition } from '../../shared/crds/index.ts'
import {
  type EndpointSelector,
  type EndpointSlice,
  LABEL_ENDPOINT_SELECTOR_NAME,
  LABEL_SERVICE_NAME,
} from '../../shared/endpointslice/index.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../shared/fleet/crds.fixtures.ts'
import {
  type ApiClient,
  ENDPOINT_SELECTORS,
  firstServed,
  NotFoundError,
  type Resource,
} from '../../shared/kubernetes/index.ts'
import type { SettingsInput } from '../../shared/settings/index.ts'
import { type OpenCluster, openScene, type Scene, until } from './scene.ts'

export const ON = { endpointSelectors: true } as const

/** Without it no API server takes a definition in a group of Kubernetes. */
const APPROVED = { 'api-approved.kubernetes.io': 'unapproved, in a test' }

/**
 * Defines EndpointSelectors in a cluster, and waits until it serves them.
 * @param resource default: ours; another API stands for an API server's own
 */
export async function defineEndpointSelectors(
  client: ApiClient,
  resource: Resource<EndpointSelector> = ENDPOINT_SELECTORS,
): Promise<void> {
  const { group, version: name, plural } = resource
  const { spec, ...definition } = endpointSelectorDefinition()
  const versions = spec.versions.map((version) => ({ ...version, name }))
  const metadata = { name: `${plural}.${group}`, annotations: APPROVED }
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, {
    ...definition,
    metadata,
    spec: { ...spec, group, versions },
  } as object)
  // A server names the group a moment before it has the version.
  const served = () =>
    firstServed(client, [resource]).catch((error: unknown) => {
      if (error instanceof NotFoundError) return undefined
      throw error
    })
  while ((await served()) === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
}

export type Spec = EndpointSelector['spec']
export const MATCHES_WEB: Spec = { selector: { matchLabels: { app: 'web' } } }

/** An API that serves EndpointSelectors. */
export type SelectorApi = Resource<EndpointSelector>

/** @param api default: ours */
export const addSelector = (
  { client, namespace }: Scene,
  spec: Spec = MATCHES_WEB,
  metadata: EndpointSelector['metadata'] = {},
  api: SelectorApi = ENDPOINT_SELECTORS,
): Promise<EndpointSelector> =>
  client.create(api, { metadata: { name: 'web', namespace, ...metadata }, spec })
export const patchSelector = (
  { client, namespace }: Scene,
  patch: unknown,
  api: SelectorApi = ENDPOINT_SELECTORS,
): Promise<EndpointSelector> => client.patch(api, { namespace, name: 'web' }, patch)

export const slicesOf = async (scene: Scene, name = 'web'): Promise<readonly EndpointSlice[]> =>
  (await scene.slices()).filter(({ metadata }) => metadata?.labels?.[LABEL_ENDPOINT_SELECTOR_NAME] === name)
export const endpointsOf = async (scene: Scene, name?: string) =>
  (await slicesOf(scene, name)).flatMap(({ endpoints }) => endpoints ?? [])
export const podsOf = async (scene: Scene, name?: string): Promise<(string | undefined)[]> =>
  (await endpointsOf(scene, name)).map(({ targetRef }) => targetRef?.name).sort()

/** Waits until the slices of Services are right. */
export const untilServicesAreRight = (scene: Scene): Promise<void> =>
  until(async () => {
    const slices = await scene.slices()
    return scene.differences(
      slices.filter(({ metadata }) => metadata?.labels?.[LABEL_SERVICE_NAME] !== undefined),
    )
  }).toEqual([])

/** Opens a scene with an EndpointSelector `web` of two ready Pods, and a Sliceflow that publishes it. */
export async function openPublished(
  cluster: OpenCluster,
  {
    spec,
    metadata,
    api,
    ...input
  }: SettingsInput & { spec?: Spec; metadata?: EndpointSelector['metadata']; api?: SelectorApi } = {},
): Promise<Scene> {
  const scene = await openScene(cluster(), { ...ON, ...input })
  await scene.addPods(['web-1', 'web-2'])
  await addSelector(scene, spec, metadata, api)
  await scene.start()
  await until(() => podsOf(scene)).toEqual(['web-1', 'web-2'])
  return scene
}
