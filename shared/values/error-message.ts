/** Returns the message of what was caught, which may be anything; an error without one is named. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}
