import type { Endpoint } from '../../endpointslice/index.ts'

/** The states in which an endpoint is drawn, each by a letter. */
export const STATES = { r: 'ready', u: 'not ready', t: 'terminating' } as const

export function stateOf({ conditions }: Endpoint): keyof typeof STATES {
  if (conditions?.terminating) return 't'
  return conditions?.ready === false ? 'u' : 'r'
}
