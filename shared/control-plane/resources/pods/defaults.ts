import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { integerAt, isObject, objectAt, objectsAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'

const GRACE = 30
const FILE_MODE = 0o644
const HOUR = 3600
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe']
const HOOKS = ['postStart', 'preStop']
/** Members of a volume whose files have a mode. */
const WITH_MODE = ['secret', 'configMap', 'downwardAPI', 'projected']

/** Fills in what a Pod leaves open (upstream: SetDefaults_Pod, SetDefaults_PodSpec and what they reach). */
export function setPodDefaults(pod: KubeObject): void {
  const spec: JsonObject = { ...objectAt(pod, 'spec') }
  for (const container of containersOf(spec)) setContainerDefaults(container, spec.hostNetwork === true)
  for (const volume of objectsAt(spec, 'volumes')) setVolumeDefaults(volume)
  spec.restartPolicy ??= 'Always'
  spec.terminationGracePeriodSeconds ??= GRACE
  spec.dnsPolicy ??= 'ClusterFirst'
  spec.securityContext ??= {}
  spec.schedulerName ??= 'default-scheduler'
  spec.enableServiceLinks ??= true
  pod.spec = spec
  syncAddresses(pod)
}

function containersOf(spec: JsonObject): JsonObject[] {
  return [
    ...objectsAt(spec, 'initContainers'),
    ...objectsAt(spec, 'containers'),
    ...objectsAt(spec, 'ephemeralContainers'),
  ]
}

function setContainerDefaults(container: JsonObject, hostNetwork: boolean): void {
  container.terminationMessagePath ??= '/dev/termination-log'
  container.terminationMessagePolicy ??= 'File'
  container.imagePullPolicy ??= tagOf(stringAt(container, 'image')) === 'latest' ? 'Always' : 'IfNotPresent'
  for (const port of objectsAt(container, 'ports')) {
    port.protocol ??= 'TCP'
    if (hostNetwork) port.hostPort ??= port.containerPort
  }
  for (const variable of objectsAt(container, 'env')) setFieldRef(objectAt(variable, 'valueFrom'))
  for (const name of PROBES) if (isObject(container[name])) setProbeDefaults(objectAt(container, name))
  for (const hook of HOOKS) setRequestDefaults(objectAt(objectAt(container, 'lifecycle'), hook))
  const resources = objectAt(container, 'resources')
  if (isObject(resources.limits))
    resources.requests = { ...resources.limits, ...objectAt(resources, 'requests') }
}

/** Returns the tag of an image; `latest` if it has neither tag nor digest. */
function tagOf(image: string): string {
  if (image.includes('@')) return ''
  return /:([^/:]+)$/.exec(image)?.[1] ?? 'latest'
}

function setProbeDefaults(probe: JsonObject): void {
  probe.timeoutSeconds ??= 1
  probe.periodSeconds ??= 10
  probe.successThreshold ??= 1
  probe.failureThreshold ??= 3
  setRequestDefaults(probe)
  const { grpc } = probe
  if (isObject(grpc)) grpc.service ??= ''
}

/** Sets the defaults of a probe or a hook by HTTP. */
function setRequestDefaults({ httpGet }: JsonObject): void {
  if (!isObject(httpGet)) return
  httpGet.path ??= '/'
  httpGet.scheme ??= 'HTTP'
}

function setFieldRef(source: JsonObject): void {
  const { fieldRef } = source
  if (isObject(fieldRef)) fieldRef.apiVersion ??= 'v1'
}

function setVolumeDefaults(volume: JsonObject): void {
  if (Object.keys(volume).length === 1) volume.emptyDir = {}
  for (const member of WITH_MODE) {
    const source = volume[member]
    if (isObject(source)) source.defaultMode ??= FILE_MODE
  }
  const { hostPath } = volume
  if (isObject(hostPath)) hostPath.type ??= ''
  const projected = objectsAt(objectAt(volume, 'projected'), 'sources')
  for (const source of projected) {
    const { serviceAccountToken } = source
    if (isObject(serviceAccountToken)) serviceAccountToken.expirationSeconds ??= HOUR
  }
  const items = [volume, ...projected].flatMap((source) =>
    objectsAt(objectAt(source, 'downwardAPI'), 'items'),
  )
  for (const item of items) setFieldRef(item)
}

/** Makes `podIP` and the first of `podIPs` the same. If they differ, `podIP` counts. */
export function syncAddresses(pod: KubeObject): void {
  const status = objectAt(pod, 'status')
  const first = stringAt(status, 'podIP')
  const list = objectsAt(status, 'podIPs')
  if (first === '' && list.length > 0) pod.status = { ...status, podIP: stringAt(list[0], 'ip') }
  if (first !== '' && stringAt(list[0], 'ip') !== first) pod.status = { ...status, podIPs: [{ ip: first }] }
  const hosts = objectsAt(status, 'hostIPs')
  const host = stringAt(status, 'hostIP')
  if (host !== '' && stringAt(hosts[0], 'ip') !== host) {
    pod.status = { ...objectAt(pod, 'status'), hostIPs: [{ ip: host }] }
  }
}

/** Returns the quality of service by requests and limits: Guaranteed, Burstable or BestEffort. */
export function qosClassOf(pod: KubeObject): string {
  const containers = containersOf(objectAt(pod, 'spec')).map((container) => objectAt(container, 'resources'))
  const computed = (resources: JsonObject, part: string): JsonObject => objectAt(resources, part)
  const any = containers.some(
    (resources) =>
      Object.keys(computed(resources, 'requests')).length +
        Object.keys(computed(resources, 'limits')).length >
      0,
  )
  if (!any) return 'BestEffort'
  const guaranteed = containers.every((resources) => {
    const limits = computed(resources, 'limits')
    const requests = computed(resources, 'requests')
    return ['cpu', 'memory'].every(
      (name) => limits[name] !== undefined && String(limits[name]) === String(requests[name]),
    )
  })
  return guaranteed ? 'Guaranteed' : 'Burstable'
}

export function graceOf(pod: KubeObject): number | bigint {
  return integerAt(objectAt(pod, 'spec'), 'terminationGracePeriodSeconds') ?? GRACE
}
