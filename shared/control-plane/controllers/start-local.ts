import type { Registry } from '../apiserver/registry/registry.ts'
import { createLocalClients } from './client/local-client.ts'
import { API_CONTROLLERS, type ApiControllerName, type ControllerName } from './names.ts'
import { startPolicyStatus } from './policy-status.ts'
import { type ControllerServices, startControllers } from './start.ts'

interface LocalControllerServices extends Omit<ControllerServices, 'clientOf'> {
  readonly registry: Registry
}

/** Starts controllers in the server's process; returns the function that ends them. */
export function startLocalControllers(
  names: readonly ControllerName[],
  { registry, ...services }: LocalControllerServices,
): () => void {
  const stop = startControllers(names.filter(isApiController), {
    ...services,
    clientOf: createLocalClients(registry),
  })
  const stopPolicies = names.includes('validatingadmissionpolicy-status')
    ? startPolicyStatus(registry, services.onError)
    : () => undefined
  return () => {
    stop()
    stopPolicies()
  }
}

const isApiController = (name: ControllerName): name is ApiControllerName =>
  (API_CONTROLLERS as readonly string[]).includes(name)
