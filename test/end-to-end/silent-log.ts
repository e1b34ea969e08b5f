import { createLogger } from '../../shared/telemetry/index.ts'

/** For parts whose log no scenario looks at. */
export const silentLog = createLogger({ write: () => {} })
