/** A log of warnings. */
export interface Warner {
  warn(fields: object, message: string): void
}

/** A log for the queue library and its users: fields first, then the message. */
export interface Log extends Warner {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}
