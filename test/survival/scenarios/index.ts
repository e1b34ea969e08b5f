import type { Scenario } from '../scenario.ts'
import { drift } from './drift.ts'
import { network } from './network.ts'
import { numbers } from './numbers.ts'
import { packing } from './packing.ts'
import { pods } from './pods.ts'
import { refusals } from './refusals.ts'
import { restarts } from './restarts.ts'
import { services } from './services.ts'

/** In the order of the table. */
export const SCENARIOS: readonly Scenario[] = [
  ...restarts,
  ...drift,
  ...pods,
  ...services,
  ...packing,
  ...numbers,
  ...refusals,
  ...network,
]
