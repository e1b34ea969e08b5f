/**
 * A deployment that cannot be, found out at synth; the message says what, where and what to do.
 * @example
 * ```ts
 * try {
 *   new Sliceflow(stack, 'Wrong', { clusters: [] })
 * } catch (error) {
 *   if (!(error instanceof DeploymentError)) throw error
 *   console.error(error.message)
 * }
 * ```
 */
export class DeploymentError extends Error {
  override readonly name = 'DeploymentError'
}
