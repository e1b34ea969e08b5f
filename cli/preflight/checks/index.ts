import type { Check } from '../check.ts'
import { CONNECTION_CHECKS, PRIORITY_CHECKS } from './connection.ts'
import { CREDENTIALS_CHECKS, IDENTITY_CHECKS } from './credentials.ts'
import { FLEET_CHECKS } from './fleet.ts'
import { PERMISSION_CHECKS } from './permissions.ts'
import { SLICE_CHECKS } from './slices.ts'

/** Every check, in the order in which they are made of a cluster. */
export const CHECKS: readonly Check[] = [
  ...CONNECTION_CHECKS,
  ...CREDENTIALS_CHECKS,
  ...PERMISSION_CHECKS,
  ...IDENTITY_CHECKS,
  ...FLEET_CHECKS,
  ...SLICE_CHECKS,
  ...PRIORITY_CHECKS,
]
