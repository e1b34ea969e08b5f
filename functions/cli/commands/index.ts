import type { CommandEntry } from '../command-entry.ts'
import { alerts } from './alerts/index.ts'
import { completion } from './completion/index.ts'
import { controlPlane } from './control-plane/index.ts'
import { cost } from './cost/index.ts'
import { crds } from './crds/index.ts'
import { deadLetters } from './dead-letters/index.ts'
import { demo } from './demo/index.ts'
import { explain } from './explain/index.ts'
import { history } from './history/index.ts'
import { offboard } from './offboard/index.ts'
import { plan } from './plan/index.ts'
import { preflight } from './preflight/index.ts'
import { rbac } from './rbac/index.ts'
import { release } from './release/index.ts'
import { run } from './run/index.ts'
import { simulate } from './simulate/index.ts'
import { status } from './status/index.ts'
import { version } from './version/index.ts'
import { views } from './views/index.ts'

/** Every command, in the order of the help. Each is a folder here, whose index.ts has its entry. */
export const COMMANDS: readonly CommandEntry[] = [
  run,
  preflight,
  demo,
  status,
  explain,
  history,
  release,
  offboard,
  deadLetters,
  plan,
  simulate,
  cost,
  rbac,
  crds,
  alerts,
  views,
  controlPlane,
  completion,
  version,
]
