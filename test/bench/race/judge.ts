/**
 * State of an address that a Service publishes, or ought to: such as `ready http:8080/TCP`; undefined: none.
 */
export type Publication = string | undefined

/**
 * Kind of change of an address by a write of its pod: `ready` or `not ready`, `added` if it is new and not
 * ready yet. `service`: any change by a write of its Service.
 */
export type ChangeKind = 'ready' | 'not ready' | 'added' | 'terminating' | 'gone' | 'service'

/** A write of the driver, by performance.now(). */
export interface WriteSpan {
  readonly begun: number
  readonly ended: number
}

/**
 * One change of a Service concerns all of its addresses, so it is counted apart from those of single pods.
 */
export interface Cause extends WriteSpan {
  readonly of: 'pod' | 'service'
}

export interface Judgement {
  /** Milliseconds from the end of a write to the watch event after which the address was right. */
  readonly latencies: ReadonlyMap<ChangeKind, readonly number[]>
  /** Changes overtaken by a newer one of the same address before they were seen; they are in no latency. */
  readonly superseded: number
  /** Number of times that an address was wrong or missing for longer than LATE_MS. */
  readonly late: number
}

/** Compares what is published with what is owed, address by address, as both change. */
export interface Judge {
  /** Notes that the address is to be published like this from the end of the write on. */
  owe(address: string, value: Publication, cause: Cause): void
  /** Notes that a watch event shows the address like this. */
  see(address: string, value: Publication, at: number): void
  /** Addresses that are not published as they ought to be. */
  readonly wrong: ReadonlySet<string>
  /** Forgets what was judged so far, not what is published and owed. */
  reset(): void
  judgement(): Judgement
}

/** A change that was seen. */
export interface Latency {
  readonly kind: ChangeKind
  /** End of the write, by performance.now(). */
  readonly since: number
  readonly milliseconds: number
}

export const LATE_MS = 2_000

interface Address {
  owed: Publication
  seen: Publication
  seenAt: number
  /** The change that was not seen yet. */
  open?: { readonly kind: ChangeKind; readonly since: number } | undefined
  wrongSince?: number | undefined
}

/** @param onLatency called for each observed change */
export function createJudge(onLatency: (latency: Latency) => void = () => undefined): Judge {
  const addresses = new Map<string, Address>()
  const wrong = new Set<string>()
  let latencies = new Map<ChangeKind, number[]>()
  let superseded = 0
  let late = 0

  function addressOf(name: string): Address {
    const known = addresses.get(name)
    if (known !== undefined) return known
    const address: Address = { owed: undefined, seen: undefined, seenAt: Number.NEGATIVE_INFINITY }
    addresses.set(name, address)
    return address
  }

  function record(kind: ChangeKind, since: number, seenAt: number): void {
    const milliseconds = seenAt - since
    onLatency({ kind, since, milliseconds })
    const values = latencies.get(kind)
    if (values === undefined) latencies.set(kind, [milliseconds])
    else values.push(milliseconds)
  }

  /** Notes whether the address is right now, and for how long it was not. */
  function note(name: string, address: Address, at: number): void {
    if (address.seen !== address.owed) {
      wrong.add(name)
      address.wrongSince ??= at
      return
    }
    if (address.wrongSince !== undefined && at - address.wrongSince > LATE_MS) late++
    address.wrongSince = undefined
    wrong.delete(name)
    if (address.seen === undefined) addresses.delete(name)
  }

  return {
    owe(name, value, { of, begun, ended }) {
      const address = addressOf(name)
      if (address.owed === value) return
      if (address.open !== undefined) superseded++
      const kind = of === 'service' ? of : kindOf(address.owed, value)
      address.owed = value
      address.open = undefined
      if (address.seen !== value) address.open = { kind, since: ended }
      // The watch was quicker than the answer to the write.
      else if (address.seenAt >= begun) record(kind, ended, address.seenAt)
      // It takes back a change that was not seen either: there is nothing to wait for.
      else superseded++
      note(name, address, ended)
    },
    see(name, value, at) {
      const address = addressOf(name)
      if (address.seen === value) return
      address.seen = value
      address.seenAt = at
      if (address.open !== undefined && value === address.owed) {
        record(address.open.kind, address.open.since, at)
        address.open = undefined
      }
      note(name, address, at)
    },
    wrong,
    reset() {
      latencies = new Map()
      superseded = 0
      late = 0
    },
    judgement: () => ({ latencies, superseded, late }),
  }
}

function kindOf(before: Publication, after: Publication): ChangeKind {
  if (after === undefined) return 'gone'
  const state = stateOf(after)
  return before === undefined && state === 'not ready' ? 'added' : state
}

function stateOf(value: string): 'ready' | 'not ready' | 'terminating' {
  if (value.startsWith('terminating')) return 'terminating'
  return value.startsWith('ready') ? 'ready' : 'not ready'
}
