import type { KubeObject } from '../../apimachinery/objects.ts'
import type { TokenClaims, User } from '../../apiserver/registry/access.ts'
import type { ObjectReader } from '../../apiserver/registry/object-reader.ts'
import type { ServiceAccountTokens } from './jwt/service-account-tokens.ts'

/** Tokens of service accounts. A start waits neither for their key nor for what signs and verifies. */
export class LazyServiceAccountTokens {
  readonly #key: () => Promise<string>
  #opened: Promise<ServiceAccountTokens> | undefined

  /**
   * @param key resolves to the private key, PEM; called at the first use, and again if it has failed
   */
  constructor(key: () => Promise<string>) {
    this.#key = key
  }

  /** Returns the public keys as a JWK set. */
  async keys(): Promise<ServiceAccountTokens['keys']> {
    return (await this.#tokens()).keys
  }

  async issue(claims: TokenClaims): Promise<string> {
    return await (await this.#tokens()).issue(claims)
  }

  async issueForSecret(account: KubeObject, secretName: string): Promise<string> {
    return await (await this.#tokens()).issueForSecret(account, secretName)
  }

  async authenticate(token: string, objects: ObjectReader): Promise<User | undefined> {
    return await (await this.#tokens()).authenticate(token, objects)
  }

  async #tokens(): Promise<ServiceAccountTokens> {
    this.#opened ??= this.#open()
    try {
      return await this.#opened
    } catch (error) {
      this.#opened = undefined
      throw error
    }
  }

  async #open(): Promise<ServiceAccountTokens> {
    const [{ createServiceAccountTokens }, key] = await Promise.all([import('./jwt/index.ts'), this.#key()])
    return await createServiceAccountTokens(key)
  }
}
