import { type Authorize, decide, type TokenClaims, type User } from '../../../registry/access.ts'
import type { AdmissionPlugin } from '../../../registry/admission/types.ts'
import type { WriteContext } from '../../../registry/definition/write-context.ts'
import type { Registry } from '../../../registry/registry.ts'
import type { Exchange } from '../../exchange.ts'
import type { WriteOptions } from '../write-options.ts'

/** Parts of the server that everything which serves writes needs. */
export interface WriteServices {
  readonly registry: Registry
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly isKnownKind: (apiVersion: string, kind: string) => boolean
  readonly authorize: Authorize
  /** Plugins in the order in which they see requests. */
  readonly admission: readonly AdmissionPlugin[]
  /** Returns the user of a bearer token; undefined if it is not valid. */
  readonly userOfToken: (token: string) => Promise<User | undefined>
  readonly issueToken: (claims: TokenClaims) => Promise<string>
}

/** Options of a write that its context has. */
type ContextOptions = Pick<WriteOptions, 'dryRun' | 'fieldManager' | 'sent'>

/** Makes the context of a write from its request. */
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
