/** A log of warnings. */
export interface Warner {
  warn(fields: object, message: string): void
}

/** A log: fields first, then the message. */
export interface Log extends Warner {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}
