import type { Decision, RequestAttributes, TokenClaims, User } from '../access.ts'
import type { RequestAdmission } from '../admission/types.ts'
import type { ObjectReader } from '../object-reader.ts'

/** Facts of a request that a write needs. */
export interface WriteContext {
  readonly user: User
  readonly dryRun: boolean
  /** The manager that the write is tracked under. */
  readonly fieldManager: string
  /** True for a server-side apply: the submitted object says already who owns its fields. */
  readonly applied?: boolean
  /** Texts for `Warning` headers; strategies add to them. */
  readonly warnings: string[]
  readonly objects: ObjectReader
  /** Undefined: the write goes around admission, as the server's own do. */
  readonly admission?: RequestAdmission
  /** Whether a user may do something: what the server's authorizer says. */
  readonly authorize: (attributes: RequestAttributes) => Decision
  /** Returns the user of a bearer token; undefined if it is not valid. */
  readonly authenticate: (token: string) => Promise<User | undefined>
  /** Signs a token of a service account. */
  readonly issueToken: (claims: TokenClaims) => Promise<string>
  /** Milliseconds since 1970. */
  readonly now: number
}
