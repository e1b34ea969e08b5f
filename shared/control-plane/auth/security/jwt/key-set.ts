import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from 'jose'
import { messageOf } from '../../../apimachinery/errors/message.ts'
import { readText } from '../../../apiserver/outgoing/read-text.ts'

/** Key sets have a few keys of some kilobytes each. */
const LARGEST = 1024 * 1024

/** Source of an issuer's public keys: a file or an `https:` URL of a JSON Web Key Set, or the set itself. */
export type KeySetSource = string | JSONWebKeySet

/**
 * Opens the keys of a set. Those of a URL are fetched when a token asks for one that is not known, at most
 * every 30 seconds, and again after 10 minutes. Throws for files that cannot be read and for URLs without
 * TLS.
 * @param certificateAuthority PEM of the authority of the URL's server; default: those that Node trusts
 */
export function openKeySet(source: KeySetSource, certificateAuthority?: string): JWTVerifyGetKey {
  if (typeof source !== 'string') return createLocalJWKSet(source)
  if (source.startsWith('https://')) {
    return createRemoteJWKSet(new URL(source), {
      [customFetch]: (url, { signal }) => fetchOver(url, certificateAuthority, signal),
    })
  }
  if (/^[a-z]+:\/\//i.test(source)) {
    throw new Error(`failed to read the key set ${source}: keys are taken over https: only`)
  }
  return createLocalJWKSet(readKeySet(source))
}

/** Reads a key set from a file. Errors do not show what is in it, as it may be the wrong file. */
function readKeySet(file: string): JSONWebKeySet {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is no JSON' : messageOf(error)
    throw new Error(`failed to read the key set ${file}: ${why}`)
  }
}

/** Fetches over HTTPS with an authority, which Node's fetch does not take. */
function fetchOver(url: string, ca: string | undefined, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { signal, ...(ca === undefined ? {} : { ca }) }, (response) => {
      readText(response, LARGEST).then((text) => {
        resolve(new Response(text, { status: response.statusCode ?? 502 }))
      }, reject)
    })
    sending.on('error', reject)
    sending.end()
  })
}
