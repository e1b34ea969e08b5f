/** What warns. */
export interface Warner {
  warn(fields: object, message: string): void
}

/** What the queue library and its users log through: fields first, then the message. */
export interface Log extends Warner {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}
