import {
  type Authorize,
  decide,
  type Registry,
  type TokenClaims,
  type User,
  type WriteContext,
} from '../registry/index.ts'
import type { Exchange } from './exchange.ts'
import type { WriteOptions } from './write-options.ts'

/** What all who serve writes need of the server. */
export interface WriteServices {
  readonly registry: Registry
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly isKnownKind: (apiVersion: string, kind: string) => boolean
  readonly authorize: Authorize
  /** Who a bearer token stands for; undefined where it is no good. */
  readonly userOfToken: (token: string) => Promise<User | undefined>
  readonly issueToken: (claims: TokenClaims) => Promise<string>
}

/** What a write knows of its request. */
export function writeContext(
  { user, warnings }: Pick<Exchange, 'user' | 'warnings'>,
  { dryRun, fieldManager }: Pick<WriteOptions, 'dryRun' | 'fieldManager'>,
  { registry, now, authorize, userOfToken, issueToken }: WriteServices,
): WriteContext {
  return {
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
