import {
  DeregisterInstanceCommand,
  GetOperationCommand,
  InstanceNotFound,
  OperationNotFound,
  paginateListInstances,
  RegisterInstanceCommand,
  type ServiceDiscoveryClient,
} from '@aws-sdk/client-servicediscovery'
import { type Backoff, backoffDelay, sleepUnlessAborted } from '../../../shared/kubernetes/index.ts'
import { SinkError } from '../sink.ts'
import { createCloudMapServices } from './cloud-map-services.ts'
import type { Instance, InstanceRegistry } from './instance-registry.ts'

interface CloudMapRegistryOptions {
  readonly client: ServiceDiscoveryClient
  /** Id of the Cloud Map namespace (`ns-…`). */
  readonly namespaceId: string
  /** Delay between polls of a running operation; default: 50 ms, doubling to 2 s. */
  readonly backoff?: Backoff
}

const OPERATION_BACKOFF: Backoff = { baseMs: 50, capMs: 2_000 }
/** Creates a registry of a Cloud Map namespace. Missing services are created without DNS records. */
export function createCloudMapRegistry({
  client,
  namespaceId,
  backoff = OPERATION_BACKOFF,
}: CloudMapRegistryOptions): InstanceRegistry {
  const { idOf, makeService, withService } = createCloudMapServices(client, namespaceId)

  /**
   * Waits until an operation is done. Registering and deregistering go on after they are answered.
   * @param what verb and object, for the error
   * @throws SinkError when it failed
   */
  async function untilDone(operation: string | undefined, what: string, signal: AbortSignal): Promise<void> {
    if (operation === undefined) return
    for (let attempt = 0; ; attempt++) {
      const { status, error } = await stateOf(client, operation, signal)
      if (status === 'SUCCESS') return
      if (status === 'FAIL') throw new SinkError(`failed to ${what}: ${error}`)
      await sleepUnlessAborted(backoffDelay(attempt, backoff), signal)
      signal.throwIfAborted()
    }
  }

  return {
    name: namespaceId,
    async list(service, signal) {
      const id = await idOf(service, signal)
      if (id === undefined) return []
      const found = await withService(id, service, async (ServiceId) => {
        const instances: Instance[] = []
        for await (const { Instances = [] } of paginateListInstances({ client }, { ServiceId })) {
          signal.throwIfAborted()
          for (const { Id = '', Attributes = {} } of Instances)
            instances.push({ id: Id, attributes: Attributes })
        }
        return instances
      })
      return found ?? []
    },
    async register(service, { id: InstanceId, attributes }, signal) {
      const what = `register instance ${InstanceId} of ${service} in Cloud Map namespace ${namespaceId}`
      const register = async (ServiceId: string): Promise<true> => {
        const command = new RegisterInstanceCommand({ ServiceId, InstanceId, Attributes: { ...attributes } })
        const { OperationId } = await client.send(command, { abortSignal: signal })
        await untilDone(OperationId, what, signal)
        return true
      }
      signal.throwIfAborted()
      const id = (await idOf(service, signal)) ?? (await makeService(service))
      if (await withService(id, service, register)) return
      await register(await makeService(service))
    },
    async deregister(service, InstanceId, signal) {
      const what = `deregister instance ${InstanceId} of ${service} in Cloud Map namespace ${namespaceId}`
      const id = await idOf(service, signal)
      if (id === undefined) return
      await withService(id, service, async (ServiceId) => {
        try {
          const command = new DeregisterInstanceCommand({ ServiceId, InstanceId })
          const { OperationId } = await client.send(command, { abortSignal: signal })
          await untilDone(OperationId, what, signal)
        } catch (error) {
          if (!(error instanceof InstanceNotFound)) throw error
        }
      })
    },
  }
}

async function stateOf(client: ServiceDiscoveryClient, OperationId: string, abortSignal: AbortSignal) {
  try {
    const { Operation } = await client.send(new GetOperationCommand({ OperationId }), { abortSignal })
    return { status: Operation?.Status, error: Operation?.ErrorMessage }
  } catch (error) {
    // Operations are forgotten some time after they have ended.
    if (error instanceof OperationNotFound) return { status: 'SUCCESS', error: undefined } as const
    throw error
  }
}
