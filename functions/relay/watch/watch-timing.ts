/**
 * Without an event, not even a bookmark, for this time a watch is dead; API servers send a bookmark a minute.
 */
export const INACTIVITY_MS = 80_000
export const WATCH_TIMING = { inactivityMs: INACTIVITY_MS } as const
