import type { Instance, InstanceRegistry } from './instance-registry.ts'

/** Creates a registry in this process. */
export function createMemoryRegistry(): InstanceRegistry {
  const services = new Map<string, Map<string, Instance>>()
  return {
    name: 'memory',
    async list(service, signal) {
      signal.throwIfAborted()
      return [...(services.get(service)?.values() ?? [])]
    },
    async register(service, { id, attributes }, signal) {
      signal.throwIfAborted()
      const instances = services.get(service) ?? new Map<string, Instance>()
      services.set(service, instances)
      instances.set(id, { id, attributes: { ...attributes } })
    },
    async deregister(service, id, signal) {
      signal.throwIfAborted()
      services.get(service)?.delete(id)
    },
  }
}
