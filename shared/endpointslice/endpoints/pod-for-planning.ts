import { objectFault } from '../objects/validate.ts'
import { ANNOTATION_NETWORK_STATUS } from '../sources/networks.ts'
import type { Pod } from '../types.ts'

type PodSpec = NonNullable<Pod['spec']>
type Container = PodSpec['containers'][number]

/**
 * Returns the part of a pod that plan(), explain(), podsOnNetwork() and TriggerTimeTracker read, and its
 * labels. It is for lists of pods that are kept in memory, as it takes about a tenth of the whole. The plan
 * for such pods is the same as for the whole ones. A pod with a fault is returned as it is, so that what is
 * said of it stays the same, too.
 * @example
 * ```ts
 * const metadata = { name: 'web-0', namespace: 'shop', annotations: { note: 'long' } }
 * podForPlanning({ metadata, status: { phase: 'Running' } }).metadata?.annotations // => undefined
 * ```
 */
export function podForPlanning(pod: Pod): Pod {
  if (objectFault('Pod', pod) !== undefined) return pod
  const { metadata, spec, status } = pod
  return {
    metadata: metadataForPlanning(metadata),
    ...(spec && { spec: specForPlanning(spec) }),
    ...(status && { status: statusForPlanning(status) }),
  }
}

function metadataForPlanning(metadata: Pod['metadata']): Pod['metadata'] {
  const { name, namespace, uid, resourceVersion, labels, annotations, deletionTimestamp } = metadata ?? {}
  const networks = annotations?.[ANNOTATION_NETWORK_STATUS]
  return {
    name,
    namespace,
    uid,
    resourceVersion,
    labels,
    deletionTimestamp,
    ...(networks !== undefined && { annotations: { [ANNOTATION_NETWORK_STATUS]: networks } }),
  }
}

function specForPlanning({ nodeName, hostname, subdomain, containers, initContainers }: PodSpec): PodSpec {
  const sidecars = initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always')
  return {
    nodeName,
    hostname,
    subdomain,
    containers: withNamedPorts(containers),
    ...(sidecars?.length && { initContainers: withNamedPorts(sidecars) }),
  }
}

/** Returns the containers with named ports; a target port by name is found in these only. */
const withNamedPorts = (containers: readonly Container[] | undefined | null): Container[] =>
  (containers ?? []).flatMap(({ name, restartPolicy, ports }) => {
    const named = ports?.filter((port) => typeof port.name === 'string') ?? []
    if (named.length === 0) return []
    const planned = named.map((port) => ({
      name: port.name,
      containerPort: port.containerPort,
      protocol: port.protocol,
    }))
    return [{ name, restartPolicy, ports: planned }]
  })

function statusForPlanning({ phase, podIP, podIPs, conditions }: NonNullable<Pod['status']>): Pod['status'] {
  const ready = conditions?.find(({ type }) => type === 'Ready')
  return { phase, podIP, podIPs, ...(ready && { conditions: [ready] }) }
}
