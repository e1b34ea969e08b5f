import type { Endpoint } from '../../endpointslice/index.ts'

/** States of an endpoint in the drawing, each abbreviated by a letter. */
export const STATES = { r: 'ready', u: 'not ready', t: 'terminating' } as const

export function stateOf({ conditions }: Endpoint): keyof typeof STATES {
  if (conditions?.terminating) return 't'
  return conditions?.ready === false ? 'u' : 'r'
}
