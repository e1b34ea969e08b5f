/** Base of everything that this library throws on purpose. */
export class EndpointSliceError extends Error {
  override readonly name: string = 'EndpointSliceError'
}

/** An option of plan() or apply() that is out of range or not of its form. */
export class InvalidOptionError extends EndpointSliceError {
  override readonly name = 'InvalidOptionError'
  /** The option's name, such as `maxEndpointsPerSlice`. */
  readonly option: string

  constructor(option: string, expected: string, got: unknown) {
    super(`invalid option ${option}: expected ${expected}, got ${JSON.stringify(got)}`)
    this.option = option
  }
}
