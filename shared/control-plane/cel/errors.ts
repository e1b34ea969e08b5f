/** An expression that cannot be used, or that failed on a value. */
export class CelError extends Error {
  override readonly name: string = 'CelError'
}

/** An evaluation has cost more than it may. */
export class CostError extends CelError {
  override readonly name: string = 'CostError'
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}
