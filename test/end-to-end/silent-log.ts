import { createLogger } from '../../shared/telemetry/index.ts'

/** Log of parts whose messages no scenario checks. */
export const silentLog = createLogger({ write: () => {} })
