import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, constants, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exit, stderr } from 'node:process'
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'

/** Debian's. */
const CHROMIUM = '/usr/bin/chromium'
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Chromium is not there, and cannot be installed. */
export class ChromiumError extends Error {
  override readonly name = 'ChromiumError'
}

/**
 * Installs Chromium with apt-get where it is not.
 * @throws ChromiumError where that fails, as without root or Debian
 */
export async function ensureChromium(): Promise<void> {
  if (await isThere()) return
  stderr.write('installing chromium with apt-get\n')
  await aptGet('update')
  const outcome = await aptGet('install', '-y', '--no-install-recommends', 'chromium')
  if (outcome === 0 && (await isThere())) return
  throw new ChromiumError(
    `there is no ${CHROMIUM}, and "apt-get install chromium" failed (${outcome}): install it as root on Debian`,
  )
}

/** Resolves with its exit code, or why it could not be started. */
async function aptGet(...args: readonly string[]): Promise<number | string> {
  const child = spawn('apt-get', args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  const [outcome] = await once(child, 'close').catch((error: Error) => [error.message])
  return outcome
}

const isThere = (): Promise<boolean> =>
  access(CHROMIUM, constants.X_OK).then(
    () => true,
    () => false,
  )

/** A browser without a past, which leaves nothing behind. */
export interface Browser extends AsyncDisposable {
  readonly context: BrowserContext
}

export async function openBrowser(options: BrowserContextOptions = {}): Promise<Browser> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-chromium-'))
  const context = await chromium.launchPersistentContext(folder, {
    ...options,
    executablePath: CHROMIUM,
    args: FLAGS,
  })
  return {
    context,
    async [Symbol.asyncDispose]() {
      await context.close()
      await rm(folder, { recursive: true })
    },
  }
}

if (import.meta.main) {
  try {
    await ensureChromium()
  } catch (error) {
    if (!(error instanceof ChromiumError)) throw error
    stderr.write(`${error.message}\n`)
    exit(1)
  }
}
