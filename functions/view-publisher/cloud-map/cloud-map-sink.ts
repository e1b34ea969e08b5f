import pLimit from 'p-limit'
import type { ServiceKey } from '../../../shared/changes/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { type Sink, SinkError } from '../sink.ts'
import type { Instance, InstanceRegistry } from './instance-registry.ts'
import { cloudMapServiceOf, instancesOf, ownershipOf } from './view-instances.ts'

interface CloudMapSinkOptions {
  readonly registry: InstanceRegistry
  /** Calls of one delivery in flight at once; default 8. */
  readonly concurrency?: number
}

/**
 * Keeps the instances of a Service in line with its views. What is registered is the state that it compares
 * with; instances of other clusters and of other people in the same Cloud Map service are left alone.
 */
export function createCloudMapSink({ registry, concurrency = 8 }: CloudMapSinkOptions): Sink {
  return {
    name: `Cloud Map ${registry.name}`,
    holdsState: true,
    async deliver({ key, views, signal }) {
      const service = cloudMapServiceOf(key)
      const limit = pLimit(concurrency)
      const wanted = new Map(instancesOf(key, views).map((instance) => [instance.id, instance]))
      const registered = (await registry.list(service, signal)).filter((instance) => isOurs(instance, key))
      const present = new Map(registered.map((instance) => [instance.id, instance]))
      const missing = [...wanted.values()].filter((instance) => !isLike(present.get(instance.id), instance))
      const leftOver = registered.filter(({ id }) => !wanted.has(id))
      // New ones first: a Service that moves is never without instances.
      const registering = missing.map((instance) => limit(() => registry.register(service, instance, signal)))
      const added = await Promise.allSettled(registering)
      // Old ones leave also where new ones failed: they may be what takes up the quota. One of them stays as
      // long as nothing else is there.
      const isWithout = wanted.size > 0 && added.filter(isFailed).length === wanted.size
      const leaving = leftOver.slice(isWithout ? 1 : 0)
      const removing = leaving.map(({ id }) => limit(() => registry.deregister(service, id, signal)))
      const removed = await Promise.allSettled(removing)
      throwIfAny(added, key, 'register')
      throwIfAny(removed, key, 'deregister')
    },
  }
}

function isOurs({ attributes }: Instance, key: ServiceKey): boolean {
  return Object.entries(ownershipOf(key)).every(([name, value]) => attributes[name] === value)
}

/** Compares an instance with the wanted one. Cloud Map may add attributes that begin with AWS_. */
function isLike(present: Instance | undefined, { attributes: wanted }: Instance): boolean {
  if (present === undefined) return false
  const added = Object.keys(present.attributes).filter((name) => wanted[name] === undefined)
  return (
    added.every((name) => name.startsWith('AWS_')) &&
    Object.entries(wanted).every(([name, value]) => present.attributes[name] === value)
  )
}

const isFailed = (result: PromiseSettledResult<unknown>): result is PromiseRejectedResult =>
  result.status === 'rejected'

function throwIfAny(results: readonly PromiseSettledResult<unknown>[], key: ServiceKey, verb: string): void {
  const failures = results.filter(isFailed)
  const [first] = failures
  if (first === undefined) return
  const { cluster, namespace, service } = key
  const reason = errorMessage(first.reason)
  throw new SinkError(
    `failed to ${verb} ${failures.length} of ${results.length} instances of ${namespace}/${service} of cluster ${cluster}: ${reason}`,
    { cause: first.reason },
  )
}
