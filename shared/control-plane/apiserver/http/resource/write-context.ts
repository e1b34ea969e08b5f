import {
  type AdmissionPlugin,
  type Authorize,
  decide,
  type Registry,
  type TokenClaims,
  type User,
  type WriteContext,
} from '../../registry/index.ts'
import type { Exchange } from '../exchange.ts'
import type { WriteOptions } from './write-options.ts'

/** What all who serve writes need of the server. */
export interface WriteServices {
  readonly registry: Registry
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly isKnownKind: (apiVersion: string, kind: string) => boolean
  readonly authorize: Authorize
  /** In the order in which they see requests. */
  readonly admission: readonly AdmissionPlugin[]
  /** Who a bearer token stands for; undefined where it is no good. */
  readonly userOfToken: (token: string) => Promise<User | undefined>
  readonly issueToken: (claims: TokenClaims) => Promise<string>
}

/** What of the options of a write counts in its context. */
export type ContextOptions = Pick<WriteOptions, 'dryRun' | 'fieldManager' | 'sent'>

/** What a write knows of its request. */
export function writeContext(
  { user, warnings, annotations, lifetime }: Pick<Exchange, 'user' | 'warnings' | 'annotations' | 'lifetime'>,
  { dryRun, fieldManager, sent }: ContextOptions,
  { registry, now, authorize, admission, userOfToken, issueToken }: WriteServices,
): WriteContext {
  return {
    admission: {
      plugins: admission,
      options: sent,
      lifetime,
      // Upstream keeps what was said first, too.
      annotate: (key, value) => {
        if (!annotations.has(key)) annotations.set(key, value)
      },
    },
    user,
    dryRun,
    fieldManager,
    warnings,
    objects: registry.objects,
    authorize: (attributes) => decide(authorize, attributes),
    authenticate: userOfToken,
    issueToken,
    now: now(),
  }
}
