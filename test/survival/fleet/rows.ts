import { ENDINGS } from './endings.ts'
import { HARDSHIPS } from './hardships.ts'
import { PORTS } from './ports.ts'
import type { FleetRow } from './row.ts'

export const FLEET_ROWS: readonly FleetRow[] = [...ENDINGS, ...PORTS, ...HARDSHIPS]
