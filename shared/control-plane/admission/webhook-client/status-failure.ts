import { quoted } from '../../../kubernetes/index.ts'

const TEXTS: ReadonlyMap<number, string> = new Map([
  [400, 'the server rejected our request for an unknown reason'],
  [401, 'the server has asked for the client to provide credentials'],
  [404, 'the server could not find the requested resource'],
  [405, 'the server does not allow this method on the requested resource'],
  [409, 'the server reported a conflict'],
  [422, 'the server rejected our request due to an error in our request'],
  [429, 'the server has received too many requests and has asked us to try again later'],
  [503, 'the server is currently unable to handle the request'],
  [
    504,
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
])
/** The server says best what it does not allow, or which types it takes. */
const OWN_WORDS = new Set([403, 406, 415])
/** Characters of a body that an error quotes. */
const QUOTED = 1000

/**
 * Returns client-go's text for an answer without success.
 * @param message text of the body, or `unknown` if the body is no text
 */
export function statusFailure(code: number, message: string): string {
  const said = message.length > QUOTED ? `${message.slice(0, QUOTED)}...` : message
  const known = TEXTS.get(code) ?? (OWN_WORDS.has(code) ? said : undefined)
  if (known !== undefined) return known
  return code >= 500
    ? `an error on the server (${quoted(said)}) has prevented the request from succeeding`
    : `the server responded with the status code ${code} but did not return more information`
}
