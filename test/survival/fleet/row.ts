import type { FleetScene, SceneMember } from '../../end-to-end/fleet/fleet-scene.ts'

/** Three clusters with a namespace of the row's own; the third has no IPv6. */
export interface FleetPlay {
  readonly scene: FleetScene
  readonly first: SceneMember
  readonly second: SceneMember
  readonly third: SceneMember
}

/** Case that users of other implementations of the Multi-Cluster Services API met, and what must hold. */
export interface FleetRow {
  readonly id: string
  /** Threads of issue trackers, by commas. */
  readonly source: string
  readonly says: string
  /** Throws where it does not hold. No Sliceflow is started before. */
  play(fleet: FleetPlay): Promise<void>
}
