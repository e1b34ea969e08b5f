/** A deployment that cannot be, found out at synth; the message says what, where and what to do. */
export class DeploymentError extends Error {
  override readonly name = 'DeploymentError'
}
