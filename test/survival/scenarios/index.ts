import type { Scenario } from '../scenario.ts'
import { discovery } from './discovery.ts'
import { drift } from './drift.ts'
import { mutations } from './mutations.ts'
import { network } from './network.ts'
import { numbers } from './numbers.ts'
import { packing } from './packing.ts'
import { pods } from './pods.ts'
import { refusals } from './refusals.ts'
import { restarts } from './restarts.ts'
import { secondTimes } from './second-times.ts'
import { services } from './services.ts'
import { tenants } from './tenants.ts'

/** Scenarios in the order of the table. */
export const SCENARIOS: readonly Scenario[] = [
  ...restarts,
  ...secondTimes,
  ...drift,
  ...pods,
  ...services,
  ...packing,
  ...numbers,
  ...refusals,
  ...mutations,
  ...tenants,
  ...discovery,
  ...network,
]
