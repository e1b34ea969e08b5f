import { createLogger } from '../../shared/telemetry/index.ts'

/** Log of parts whose messages no scenario looks at. */
export const silentLog = createLogger({ write: () => {} })
