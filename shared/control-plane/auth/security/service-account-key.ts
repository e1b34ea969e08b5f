import { generateKeyPair } from 'node:crypto'

const FORM = {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const

/**
 * Makes a private key for the tokens of service accounts, PEM. It works beside this thread, as it takes a
 * tenth of a second.
 */
export function newServiceAccountKey(): Promise<string> {
  return new Promise((resolve, reject) => {
    generateKeyPair('rsa', FORM, (error, _, privateKey) => {
      if (error) reject(error)
      else resolve(privateKey)
    })
  })
}
