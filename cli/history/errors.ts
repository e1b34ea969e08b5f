/** A recording cannot be read; the message says which, and what may help. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError'
}
