import { keyFields, type ServiceKey } from '../changes/index.ts'
import {
  type EndpointSelector,
  LABEL_MANAGED_BY,
  projectedUid,
  projectionOf,
  projectionText,
  type Service,
} from '../endpointslice/index.ts'
import {
  type ApiClient,
  ApiError,
  apiVersionOf,
  ConflictError,
  ENDPOINT_SELECTORS,
  ForbiddenError,
  isNamespaceTerminating,
  NotFoundError,
  type ObjectRef,
  SERVICES,
} from '../kubernetes/index.ts'
import type { Settings } from '../settings/index.ts'
import type { Log } from '../telemetry/index.ts'
import { readObject } from './read/read-object.ts'
import { reportEvent, type ServiceEvent } from './service-events.ts'

/** Attempts at one projection whose objects keep changing; then the key goes back to the queue. */
const ATTEMPTS = 5
/** Status of an object that the definition does not allow. */
const INVALID = 422
const API = apiVersionOf(ENDPOINT_SELECTORS)
const NOT_SERVED = `the cluster does not serve EndpointSelectors of ${API}`

interface Projecting {
  readonly client: ApiClient
  /** Of an EndpointSelector. */
  readonly key: ServiceKey
  readonly settings: Pick<Settings, 'managedBy'> & Partial<Pick<Settings, 'serviceProjection'>>
  readonly logger: Log
  readonly signal: AbortSignal
}

/**
 * Keeps the EndpointSelector that stands for a Service (KEP-6116, the setting `serviceProjection`), in our
 * API only: in that of the API server the in-tree controller does so. For the key of an EndpointSelector:
 * 1. Read it, and then the Service of its name: the last writer has read the newer Service.
 * 2. One that the Service's reference does not make its projection is left alone, with an Event on the
 *    Service.
 * 3. Otherwise create it, or update it where it differs. One without a Service that is projected is deleted
 *    if this deployment made it; so is each one of ours once the setting is off.
 * @throws KubernetesError when a read or write failed; it then has to be tried again
 */
export async function projectService(projecting: Projecting): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryToProject(projecting)
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt === ATTEMPTS) throw error
    }
  }
}

async function tryToProject(projecting: Projecting): Promise<void> {
  const { client, key, settings, signal } = projecting
  const ref = { namespace: key.namespace, name: key.service }
  const found = await readSelector(ref, projecting)
  if (found === 'unserved') return
  const isOne = found !== undefined && projectedUid(found) !== undefined
  const service = settings.serviceProjection && (await readObject(client, SERVICES, ref, { signal }))
  const wanted = service ? projectionOf(service) : undefined
  if (!service || wanted === undefined) return isOne ? remove(found, projecting) : undefined
  const writing = { ...projecting, service }
  if (found === undefined) return create(wanted, writing)
  if (projectedUid(found) === projectedUid(wanted)) return update(found, wanted, writing)
  // Of an older Service of the name.
  if (isOne && isOurs(found, projecting)) {
    await remove(found, projecting)
    return create(wanted, writing)
  }
  return reportEvent(projecting, service, collision(key))
}

/** Where the kind is not served there is nothing to project to, and nothing to delete. */
async function readSelector(
  ref: ObjectRef,
  { client, settings, logger, signal }: Projecting,
): Promise<EndpointSelector | undefined | 'unserved'> {
  try {
    return await readObject(client, ENDPOINT_SELECTORS, ref, { signal })
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    const fields = { cluster: client.cluster, ...ref }
    if (settings.serviceProjection) logger.warn(fields, `cannot project a Service: ${NOT_SERVED}`)
    return 'unserved'
  }
}

interface Writing extends Projecting {
  readonly service: Service
}

async function create(wanted: EndpointSelector, writing: Writing): Promise<void> {
  const { client, key, settings, logger, signal } = writing
  const metadata = { ...wanted.metadata, labels: { [LABEL_MANAGED_BY]: settings.managedBy } }
  try {
    await client.create(ENDPOINT_SELECTORS, { apiVersion: API, ...wanted, metadata }, { signal })
    logger.debug(keyFields(key), 'created the EndpointSelector that stands for the Service')
  } catch (error) {
    // The Service goes as well; the relay sends its key again if it is still to be.
    if (isNamespaceTerminating(error)) return
    if (error instanceof NotFoundError)
      return logger.warn(
        keyFields(key),
        `cannot project the Service: its namespace is gone, or ${NOT_SERVED}`,
      )
    await refused(error, writing)
  }
}

async function update(found: EndpointSelector, wanted: EndpointSelector, writing: Writing): Promise<void> {
  if (projectionText(found) === projectionText(wanted)) return
  const { client, key, logger, signal } = writing
  try {
    await client.update(ENDPOINT_SELECTORS, { ...found, spec: wanted.spec }, { signal })
    logger.debug(keyFields(key), 'updated the EndpointSelector that stands for the Service')
  } catch (error) {
    await refused(error, writing)
  }
}

/** Deletes a projection of this deployment: nothing would update it any more. */
async function remove(found: EndpointSelector, projecting: Projecting): Promise<void> {
  if (!isOurs(found, projecting)) return
  const { client, settings, logger, signal } = projecting
  const { namespace = '', name = '', uid, resourceVersion } = found.metadata ?? {}
  const fields = { cluster: client.cluster, namespace, endpointSelector: name }
  try {
    const preconditions = { uid, resourceVersion }
    await client.delete(ENDPOINT_SELECTORS, { namespace, name }, { preconditions, signal })
    logger.debug(fields, 'deleted the EndpointSelector that stood for a Service')
  } catch (error) {
    if (error instanceof NotFoundError) return
    // With the setting its permissions may have gone, and slices need none of them.
    if (!(error instanceof ForbiddenError) || settings.serviceProjection) throw error
    logger.warn(
      { ...fields, err: error },
      'an EndpointSelector that stood for a Service stays, and nothing updates it: sliceflow offboard deletes it',
    )
  }
}

const isOurs = ({ metadata }: EndpointSelector, { settings }: Projecting): boolean =>
  metadata?.labels?.[LABEL_MANAGED_BY] === settings.managedBy

/** Says on the Service what the definition does not allow of it. @throws what else a write failed with */
async function refused(error: unknown, writing: Writing): Promise<void> {
  if (!(error instanceof ApiError) || error.code !== INVALID) throw error
  await reportEvent(writing, writing.service, {
    type: 'Warning',
    reason: 'ProjectionRefused',
    message: `no EndpointSelector stands for the Service, as the API server refuses it: ${error.message}`,
  })
}

const collision = ({ namespace, service }: ServiceKey): ServiceEvent => ({
  type: 'Warning',
  reason: 'ProjectionConflict',
  message: `the EndpointSelector ${namespace}/${service} (${API}) does not stand for this Service and stays as it is; delete it or give it another name, and one that does is made`,
})
