import type { Owner, Preparation } from '../arena.ts'
import { churn } from './churn.ts'
import { cost } from './cost.ts'
import { create } from './create.ts'
import { rolling } from './rolling.ts'

export const WORK_NAMES = ['create', 'rolling', 'churn', 'selectors', 'cost'] as const
export type WorkName = (typeof WORK_NAMES)[number]

/** One thing that is played to every contender. */
export interface Work {
  /** Its sizes, such as `churn 50 × 20 at 50/s for 30 s`. */
  readonly title: string
  /** What selects the Pods; only Sliceflow knows EndpointSelectors. Default: Service. */
  readonly owner?: Owner
  /** Whether the contender is started only then. Default: before. */
  readonly isPreparedFirst?: boolean
  readonly prepare: Preparation
}

/** Pods of the Service that changes, and nodes of its cluster. */
export interface CostSize {
  readonly pods: number
  readonly nodes: number
}

/** Services or EndpointSelectors of churn, and Pods of each. */
export interface ChurnSize {
  readonly services: number
  readonly pods: number
}

export const DEFAULT_CHURN: ChurnSize = { services: 50, pods: 20 }

interface WorkOptions {
  readonly names: readonly WorkName[]
  /** Factor of the sizes and times of create, rolling and churn; 1 gives the README's figures. */
  readonly scale: number
  readonly sizes: readonly CostSize[]
  /** Default: DEFAULT_CHURN. */
  readonly churn?: ChurnSize
  /** Whether churn is prepared before the contender starts. Default: false. */
  readonly isPreparedFirst?: boolean
}

export function worksOf({
  names,
  scale,
  sizes,
  churn: churnSize = DEFAULT_CHURN,
  isPreparedFirst = false,
}: WorkOptions): Work[] {
  const scaled = (number: number): number => Math.max(1, Math.round(number * scale))
  const changes = { ...churnSize, rate: 50, seconds: scaled(30), isPreparedFirst }
  const works: Record<WorkName, readonly Work[]> = {
    create: [create({ namespaces: scaled(10), services: 20, pods: 10 })],
    rolling: [rolling({ pods: scaled(500), rate: 20 })],
    churn: [churn(changes)],
    selectors: [churn({ ...changes, owner: 'EndpointSelector' })],
    cost: sizes.map(cost),
  }
  return WORK_NAMES.filter((name) => names.includes(name)).flatMap((name) => works[name])
}
