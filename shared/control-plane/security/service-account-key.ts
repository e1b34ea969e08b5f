import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'

/** A new private key for the tokens of service accounts, PEM. Made beside this thread: it takes a tenth of a second. */
export async function newServiceAccountKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
