import type { Check } from '../check.ts'
import { CONNECTION_CHECKS } from './connection.ts'
import { CREDENTIALS_CHECKS } from './credentials.ts'
import { PERMISSION_CHECKS } from './permissions.ts'

/** Every check, in the order in which they are made of a cluster. */
export const CHECKS: readonly Check[] = [...CONNECTION_CHECKS, ...CREDENTIALS_CHECKS, ...PERMISSION_CHECKS]
