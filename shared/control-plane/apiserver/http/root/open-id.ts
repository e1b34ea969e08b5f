import { type Exchange, header } from '../exchange.ts'
import { acceptedType, notAcceptableHere } from '../media-types.ts'
import { sendText, setHeader } from '../respond.ts'

/** Issuer of service accounts' tokens, for those who verify them by themselves (KEP-1393). */
export interface TokenIssuer {
  readonly issuer: string
  /** Returns the URL of this server; undefined until it listens. */
  readonly url: () => string | undefined
  /** The public keys as a JWK set. */
  readonly keys: () => Promise<{ readonly keys: readonly { readonly alg?: string }[] }>
}

const KEY_SET_PATH = '/openid/v1/jwks'

/** Serves `/.well-known/openid-configuration` (OpenID Connect Discovery 1.0). */
export async function serveConfiguration(
  exchange: Exchange,
  { issuer, url, keys }: TokenIssuer,
): Promise<void> {
  const { keys: known } = await keys()
  const document = {
    issuer,
    jwks_uri: `${url() ?? ''}${KEY_SET_PATH}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(known.map(({ alg }) => alg))],
  }
  sendPublic(exchange, document, 'application/json')
}

/** Serves `/openid/v1/jwks` (RFC 7517). */
export async function serveKeySet(exchange: Exchange, { keys }: TokenIssuer): Promise<void> {
  sendPublic(exchange, await keys(), 'application/jwk-set+json')
}

function sendPublic(exchange: Exchange, document: object, type: string): void {
  const { request, response } = exchange
  if (acceptedType(header(request, 'accept'), [type]) === undefined) throw notAcceptableHere([type])
  setHeader(response, 'cache-control', 'public, max-age=3600')
  sendText(exchange, 200, JSON.stringify(document), type)
}
