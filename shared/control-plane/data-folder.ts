import { createPrivateKey } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { messageOf } from './apimachinery/errors/message.ts'
import { type Authority, certificateAuthority } from './auth/security/certificates.ts'
import { LazyServiceAccountTokens } from './auth/security/lazy-service-account-tokens.ts'
import { newServiceAccountKey } from './auth/security/service-account-key.ts'

/** Makes the data folder, for its owner alone, where there is none. Throws where it cannot be one. */
export function makeFolder(path: string): void {
  try {
    ensureFolder(resolve(path))
    refuseForeign(path)
  } catch (error) {
    throw new Error(`failed to open the data folder ${path}: ${messageOf(error)}`, { cause: error })
  }
}

/** Files of a data folder; SQLite has two beside that of the objects. */
const OWN = /^(objects\.sqlite|(front-proxy-)?ca\.(crt|key)$|sa\.key$)/
/** What a file system, or a tool, may have left in a folder that is empty to people. */
const NOBODYS = /^(\.|lost\+found$)/

/** Refuses a folder with files of others and no objects of ours: its name is mistyped. */
function refuseForeign(path: string): void {
  const names = readdirSync(path).filter((name) => !NOBODYS.test(name))
  const foreign = names.find((name) => !OWN.test(name))
  if (foreign === undefined || names.includes('objects.sqlite')) return
  throw new Error(
    `it is no data folder, and has files such as ${foreign}: name an empty folder, or a new one`,
  )
}

/**
 * Makes a folder and those above it. Node's own recursive mkdir never returns on file systems that refuse new
 * entries with ENOENT, such as /proc.
 */
function ensureFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  if (found) throw new Error(`${path} is no folder`)
  ensureFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** Opens the data folder's authority, or makes one: kubeconfigs stay valid over restarts. */
export function openAuthority(dataDir: string | undefined): Promise<Authority> {
  return openNamed(dataDir, 'ca', 'sliceflow-ca')
}

/** Opens a second authority, which certifies this server to those to which APIServices delegate. */
export function openFrontProxyAuthority(dataDir: string | undefined): Promise<Authority> {
  return openNamed(dataDir, 'front-proxy-ca', 'sliceflow-front-proxy-ca')
}

async function openNamed(dataDir: string | undefined, file: string, commonName: string): Promise<Authority> {
  if (dataDir === undefined) return await certificateAuthority(undefined, commonName)
  const files = { certificate: join(dataDir, `${file}.crt`), key: join(dataDir, `${file}.key`) }
  const key = readKey(files.key)
  if (key !== undefined) {
    return await certificateAuthority({ certificate: readFileSync(files.certificate, 'utf8'), key })
  }
  const authority = await certificateAuthority(undefined, commonName)
  // The key comes last: where there is one, there is its certificate.
  writeFileSync(files.certificate, authority.certificate, { flush: true })
  writeFileSync(files.key, authority.key, { mode: 0o600, flush: true })
  return authority
}

/** Opens the data folder's key: tokens stay valid over restarts. Without a folder it is made when needed. */
export async function openServiceAccountTokens(
  dataDir: string | undefined,
): Promise<LazyServiceAccountTokens> {
  if (dataDir === undefined) return new LazyServiceAccountTokens(newServiceAccountKey)
  const file = join(dataDir, 'sa.key')
  const found = readKey(file)
  const key = found ?? (await newServiceAccountKey())
  if (found === undefined) writeFileSync(file, key, { mode: 0o600, flush: true })
  return new LazyServiceAccountTokens(async () => key)
}

/** Reads a private key, PEM. An empty file is none: a start that was cut off, or a full disk, leaves one. */
function readKey(file: string): string | undefined {
  const key = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (key === '') return undefined
  try {
    createPrivateKey(key)
  } catch (error) {
    throw new Error(`failed to read ${file}: it is no private key; restore it, or remove it for a new one`, {
      cause: error,
    })
  }
  return key
}
