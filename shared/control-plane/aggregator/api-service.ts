import { conditionOf, withCondition } from '../apimachinery/conditions.ts'
import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import { numberAt, objectAt, stringAt } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import type { ServicePortReference } from './service-address/resolve.ts'

export const GROUP = 'apiregistration.k8s.io'
export const RESOURCE = `apiservices.${GROUP}`
/** Port of a Service if its reference names none. */
export const DEFAULT_PORT = 443

/** `status.conditions[?].type=Available`, without its time. */
export interface Availability {
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

/** Availability of an APIService without a Service: this server serves it. */
export const LOCAL: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
}

export interface Priorities {
  /** Groups with a higher one come first. */
  readonly groupPriorityMinimum: number
  /** Within a group, versions with a higher one come first. */
  readonly versionPriority: number
}

/** Group and version of an APIService. */
export interface GroupVersion {
  readonly group: string
  readonly version: string
}

export const specOf = (apiService: KubeObject): JsonObject => objectAt(apiService, 'spec')

export function groupVersionOf(apiService: KubeObject): GroupVersion {
  const spec = specOf(apiService)
  return { group: stringAt(spec, 'group'), version: stringAt(spec, 'version') }
}

export function prioritiesOf(apiService: KubeObject): Priorities {
  const spec = specOf(apiService)
  return {
    groupPriorityMinimum: numberAt(spec, 'groupPriorityMinimum') ?? 0,
    versionPriority: numberAt(spec, 'versionPriority') ?? 0,
  }
}

export const nameOf = ({ group, version }: GroupVersion): string => `${version}.${group}`

/** Returns the path below which a group-version is served; that of the core group is `/api/v1`. */
export const pathOf = ({ group, version }: GroupVersion): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`

/** Returns the Service whose server serves the group-version; undefined if this server does. */
export function serviceOf(apiService: KubeObject): ServicePortReference | undefined {
  const spec = specOf(apiService)
  if (spec.service === undefined || spec.service === null) return undefined
  const service = objectAt(spec, 'service')
  return {
    namespace: stringAt(service, 'namespace'),
    name: stringAt(service, 'name'),
    port: numberAt(service, 'port') ?? DEFAULT_PORT,
  }
}

/** Returns the condition `Available`; undefined before the first check. */
export function availabilityOf(apiService: KubeObject): Availability | undefined {
  const condition = conditionOf(apiService, 'Available')
  if (!condition) return undefined
  const status = stringAt(condition, 'status')
  return {
    status: status === 'True' || status === 'False' ? status : 'Unknown',
    reason: stringAt(condition, 'reason'),
    message: stringAt(condition, 'message'),
  }
}

export function isAvailable(apiService: KubeObject): boolean {
  return availabilityOf(apiService)?.status === 'True'
}

/** Returns the object with the condition `Available`. `now`: milliseconds since 1970. */
export function withAvailability(
  apiService: KubeObject,
  availability: Availability,
  now: number,
): KubeObject {
  return withCondition(apiService, { type: 'Available', ...availability }, now)
}
