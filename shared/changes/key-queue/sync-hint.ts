/**
 * Names the objects that a sync of a key has to read: the Pods that changed, and the EndpointSlices that hold
 * them or have room for them. The function reads each of these objects, and if they do not suffice, the whole
 * Service. Only `facts` may spare the read of a Pod.
 */
export interface SyncHint {
  /** Names of the Pods, in the Service's namespace and cluster; 1 to {@link HINTED_PODS}. */
  readonly pods: readonly string[]
  /** Names of the slices that hold the Pods, or have room for them; 1 to {@link HINTED_SLICES}. */
  readonly slices: readonly string[]
  /** The versions of these slices, in the same order, as far as the relay saw. Absent: they are not known. */
  readonly sliceVersions?: readonly string[]
  /** Pods that the Service selects, where the relay counts them: with `maximumEndpoints`. */
  readonly selected?: number
  /** Names of the Nodes of the Pods, where the Pods may be read. */
  readonly nodes?: readonly string[]
  /** What the relay has seen of the Pods. Absent: they are read. */
  readonly facts?: HintFacts
}

/**
 * What the relay had seen of Pods when it made the message. It is an optimisation: a function reads the Pods
 * unless it can show that the facts are at least as new as what the slices were written from, and it takes
 * neither a new endpoint nor another address from them, unless the message is its own.
 */
export interface PodsFacts {
  /** When the message was made, in milliseconds since the epoch by the relay's clock. */
  readonly at: number
  /** In the order of the Pods that are named; `null`: the Pod does not exist. */
  readonly pods: readonly (PodFacts | null)[]
  /** Slices lack some of the Pods, so the facts bring addresses: they count only in our own user's queue. */
  readonly addsEndpoints?: true
  /**
   * Of merged messages, which no queue carries: the relay had seen each of the Pods up to this version, if
   * not up to that of the message.
   */
  readonly podsVersion?: string
}

export interface HintFacts extends PodsFacts {
  /** Label selector by which the relay says which of the Pods the Service selects. */
  readonly selector: string
}

export interface PodFacts {
  readonly endpoint: EndpointFacts
  /** Its named ports, in the order in which they are searched. */
  readonly ports: readonly NamedPort[]
  /** Zone of its Node, empty if it has none. Absent: there is no such Node. */
  readonly zone?: string
  /** False: the Service does not select it. */
  readonly isSelected?: false
}

/** What enters an endpoint beside the Pod's name, ports and zone; a single address if it has no `podIPs`. */
export type EndpointFacts = readonly [
  uid: string | null,
  addresses: readonly string[] | string,
  nodeName: string,
  isReady: 0 | 1,
  isTerminating: 0 | 1,
  hostname: string,
  subdomain: string,
  networks: string,
]

export interface NamedPort {
  readonly name: string
  readonly protocol?: string | undefined
  readonly containerPort: number
}

/**
 * What a full sync may read at once, and from the API server's cache, instead of one after the other. It is
 * used only where versions show that this makes no difference.
 */
export interface ReadAhead {
  /** The version up to which the relay has seen the cluster's slices. */
  readonly slicesVersion: string
  /** The version up to which it has seen Pods, or that of the Service's newest slice, if that is newer. */
  readonly podsVersion: string
  /** Label selector of the Pods. Absent: no Pods, as the Service is gone. */
  readonly selector?: string
  /** Names of the Nodes of the Pods, if they are at most {@link HINTED_PODS}. */
  readonly nodes?: readonly string[]
  /** Names of all slices of the Service, and their versions; absent where one is not known. */
  readonly slices?: readonly string[]
  readonly sliceVersions?: readonly string[]
  /** All Pods that the selector takes, if what the relay has seen of them may do. Absent: they are read. */
  readonly selected?: { readonly pods: readonly string[]; readonly facts: PodsFacts }
}

/** Fields of a message beside its key and its cause. */
export interface KeyHints {
  /** Absent: a full sync is needed. */
  readonly hint?: SyncHint
  /** For a full sync. Absent: everything is read in order. */
  readonly readAhead?: ReadAhead
  /** The newest version, as far as the relay saw, at which a Node came, went or changed its zone. */
  readonly nodesVersion?: string
  /** The version of the Service, as far as the relay saw. */
  readonly serviceVersion?: string
  /** Every change of a Pod up to this version was known to the relay when it made the message. */
  readonly podsVersion?: string
  /**
   * The relay compares what is written of the Service with the Pods that it watches, and sends the key again
   * where that is not right: then the function need not read back what its writes were made of.
   */
  readonly relayVerifies?: true
}

/** Above this number of Pods one list of the Service's costs less than a read of each. */
export const HINTED_PODS = 64
/**
 * Characters of the facts of a message, which those of {@link HINTED_PODS} Pods seldom reach. SQS bills a
 * request for each 64 kB, and a read of each Pod instead costs more.
 */
export const MAX_FACTS_LENGTH = 20_000
/** Characters of a selector that a message may name. */
export const MAX_SELECTOR_LENGTH = 5_000
/** Endpoints of a Service of which all is read at once: a list out of a cache comes in one piece. */
export const MAX_READ_AHEAD = 500
/** Above this number of slices, of 100 endpoints each, a message and its sync would not be small any more. */
export const HINTED_SLICES = 12
