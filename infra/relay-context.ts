import { type Form, formed, optional, type RawContext } from './context-values.ts'

/** Image of the relay that somebody has built. */
export interface RelayContext {
  readonly relayImage?: string
  readonly cpuArchitecture?: 'ARM64' | 'X86_64'
}

/** The keys of the context, each a flag of the command too, and what they are. */
export const RELAY_KEYS = {
  relayImage:
    'a built image of the relay, of any registry, REGISTRY/NAME@sha256:DIGEST; deploy then needs no Docker',
  cpuArchitecture: 'ARM64 or X86_64: of the relay’s task and image (default: ARM64)',
} as const

const IMAGE: Form = {
  pattern: /^[a-z0-9][\w.:-]*(\/[a-z0-9][\w.-]*)+(:[\w.-]+)?(@sha256:[0-9a-f]{64})?$/,
  what: 'an image with its registry, such as registry.example.org/sliceflow-relay@sha256:DIGEST',
}
const ARCHITECTURE: Form = { pattern: /^(ARM64|X86_64)$/, what: 'ARM64 or X86_64' }

/**
 * Reads what the context says of the relay's image.
 * @throws DeploymentError for a value of another form
 */
export function readRelay(context: RawContext): RelayContext {
  return {
    ...optional('relayImage', formed(context, 'relayImage', IMAGE)),
    ...optional(
      'cpuArchitecture',
      formed(context, 'cpuArchitecture', ARCHITECTURE) as RelayContext['cpuArchitecture'],
    ),
  }
}
