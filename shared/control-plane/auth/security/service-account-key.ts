import { generateKeyPair } from 'node:crypto'

const FORM = {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const

/** Makes a private key for service account tokens, PEM, beside this thread: it takes a tenth of a second. */
export function newServiceAccountKey(): Promise<string> {
  return new Promise((resolve, reject) => {
    generateKeyPair('rsa', FORM, (error, _, privateKey) => {
      if (error) reject(error)
      else resolve(privateKey)
    })
  })
}
