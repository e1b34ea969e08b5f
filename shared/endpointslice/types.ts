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

export type ObjectMeta = JsonForm<V1ObjectMeta>
export type OwnerReference = JsonForm<V1OwnerReference>
export type Service = JsonForm<V1Service>
export type ServicePort = JsonForm<V1ServicePort>
export type Pod = JsonForm<V1Pod>
export type Node = JsonForm<V1Node>
export type Namespace = JsonForm<V1Namespace>
export type CoreEvent = JsonForm<CoreV1Event>
export type EndpointSlice = JsonForm<V1EndpointSlice>
export type EndpointPort = JsonForm<DiscoveryV1EndpointPort>
export type Endpoints = JsonForm<V1Endpoints>
export type Endpoint = JsonForm<V1Endpoint>
export type EndpointConditions = JsonForm<V1EndpointConditions>
export type EndpointHints = JsonForm<V1EndpointHints>

/** Type of a slice's addresses. Pods have IP addresses only; FQDN is for other sources. */
export type AddressType = 'IPv4' | 'IPv6' | 'FQDN'
