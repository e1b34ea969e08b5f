import type {
  CoreV1Event,
  DiscoveryV1EndpointPort,
  V1Endpoint,
  V1EndpointConditions,
  V1EndpointHints,
  V1EndpointSlice,
  V1Endpoints,
  V1Namespace,
  V1Node,
  V1ObjectMeta,
  V1OwnerReference,
  V1Pod,
  V1Service,
  V1ServicePort,
  // Of its models alone: the declarations of all of it need @types/ws, which it does not bring.
} from '@kubernetes/client-node/dist/gen/models/all.js'

/** A Kubernetes object as it stands in JSON: client-node's type, with every timestamp an RFC 3339 string. */
export type JsonForm<T> = T extends Date
  ? string
  : T extends (infer Item)[]
    ? JsonForm<Item>[]
    : T extends object
      ? { [Key in keyof T]: JsonForm<T[Key]> }
      : T

/** The same as JSON has it, or as client-node answers it: a timestamp is an RFC 3339 string or a Date. */
export type AnyForm<T> = T extends Date
  ? string | Date
  : T extends (infer Item)[]
    ? AnyForm<Item>[]
    : T extends object
      ? { [Key in keyof T]: AnyForm<T[Key]> }
      : T

// Interfaces, as the compiler names them where something else is given.
export interface ObjectMeta extends JsonForm<V1ObjectMeta> {}
export interface OwnerReference extends JsonForm<V1OwnerReference> {}
export interface Service extends JsonForm<V1Service> {}
export interface ServicePort extends JsonForm<V1ServicePort> {}
export interface Pod extends JsonForm<V1Pod> {}
export interface Node extends JsonForm<V1Node> {}
export interface Namespace extends JsonForm<V1Namespace> {}
export interface CoreEvent extends JsonForm<CoreV1Event> {}
export interface EndpointSlice extends JsonForm<V1EndpointSlice> {}
export interface EndpointPort extends JsonForm<DiscoveryV1EndpointPort> {}
export interface Endpoints extends JsonForm<V1Endpoints> {}
export interface Endpoint extends JsonForm<V1Endpoint> {}
export interface EndpointConditions extends JsonForm<V1EndpointConditions> {}
export interface EndpointHints extends JsonForm<V1EndpointHints> {}

export interface AnyService extends AnyForm<V1Service> {}
export interface AnyPod extends AnyForm<V1Pod> {}
export interface AnyNode extends AnyForm<V1Node> {}
export interface AnyEndpointSlice extends AnyForm<V1EndpointSlice> {}
export interface AnyEndpoints extends AnyForm<V1Endpoints> {}

/** Type of a slice's addresses. Pods have IP addresses only; FQDN is for other sources. */
export type AddressType = 'IPv4' | 'IPv6' | 'FQDN'
