import { type Resource, sleepUnlessAborted } from '../../kubernetes/index.ts'
import { objectAt, stringAt } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import type { ControllerClient } from './client/controller-client.ts'

const LEASES: Resource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
}
/** The Lease of kube-controller-manager: its controllers and ours never run at the same time. */
const LEASE = { namespace: 'kube-system', name: 'kube-controller-manager' }
/** kube-controller-manager's default times in milliseconds. This one: an unrenewed Lease is free after it. */
const LEASE_MS = 15_000
const RENEW_MS = 10_000
const RETRY_MS = 2_000

interface LeaderElectionOptions {
  readonly client: Pick<ControllerClient, 'create' | 'get' | 'update'>
  /** Identifies this process among all others. */
  readonly identity: string
  /** Ends everything. */
  readonly signal: AbortSignal
  /** Called with the reason why the Lease could not be had or renewed. It is tried again. */
  readonly onError: (error: unknown) => void
}

/**
 * One of several processes leads: it holds a Lease and renews it (upstream's leaderelection). Who cannot
 * renew it stops leading before another process may take it; clocks need not agree, as each process measures
 * by their own since when the Lease has not been renewed.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions
  #observed = ''
  #observedAt = 0

  constructor(options: LeaderElectionOptions) {
    this.#options = options
  }

  /** Resolves to true when this process leads, to false when the signal has aborted before. */
  async acquire(): Promise<boolean> {
    const { signal } = this.#options
    while (!signal.aborted) {
      if (await this.#try()) return true
      await sleepUnlessAborted(RETRY_MS, signal)
    }
    return false
  }

  /** Leads; resolves when that ends: the Lease could not be renewed in time, or the signal has aborted. */
  async hold(): Promise<void> {
    const { signal } = this.#options
    let renewed = performance.now()
    while (!signal.aborted && performance.now() - renewed < RENEW_MS) {
      const left = RENEW_MS - (performance.now() - renewed)
      await sleepUnlessAborted(Math.min(RETRY_MS, left), signal)
      const tried = performance.now()
      if (signal.aborted) return
      // A call that hangs must not keep a leader that is none any more.
      const isRenewed = await Promise.race([this.#try(), sleepUnlessAborted(left, signal).then(() => false)])
      if (isRenewed) renewed = tried
    }
  }

  /** Lets others lead at once. */
  async release(): Promise<void> {
    const { client, identity, onError } = this.#options
    try {
      const lease = await client.get(LEASES, LEASE)
      if (lease === undefined || stringAt(objectAt(lease, 'spec'), 'holderIdentity') !== identity) return
      const spec = { ...objectAt(lease, 'spec'), holderIdentity: '', leaseDurationSeconds: 1 }
      await client.update(LEASES, { ...lease, spec })
    } catch (error) {
      onError(error)
    }
  }

  async #try(): Promise<boolean> {
    const { client, onError } = this.#options
    try {
      const lease = await client.get(LEASES, LEASE)
      if (lease === undefined) await client.create(LEASES, this.#held(undefined))
      else if (this.#isFree(lease)) await client.update(LEASES, this.#held(lease))
      else return false
      return true
    } catch (error) {
      onError(error)
      return false
    }
  }

  #isFree(lease: KubeObject): boolean {
    const spec = objectAt(lease, 'spec')
    const observed = JSON.stringify(spec)
    if (observed !== this.#observed) {
      this.#observed = observed
      this.#observedAt = performance.now()
    }
    const holder = stringAt(spec, 'holderIdentity')
    return (
      holder === '' || holder === this.#options.identity || performance.now() - this.#observedAt >= LEASE_MS
    )
  }

  #held(lease: KubeObject | undefined): KubeObject {
    const { identity } = this.#options
    const spec = objectAt(lease, 'spec')
    const isHeld = stringAt(spec, 'holderIdentity') === identity
    const now = new Date().toISOString().replace('Z', '000Z')
    const transitions = typeof spec.leaseTransitions === 'number' ? spec.leaseTransitions : 0
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: lease?.metadata ?? LEASE,
      spec: {
        ...spec,
        holderIdentity: identity,
        leaseDurationSeconds: LEASE_MS / 1000,
        renewTime: now,
        ...(!isHeld && { acquireTime: now, leaseTransitions: lease === undefined ? 0 : transitions + 1 }),
      },
    }
  }
}
