import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, symlink } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { env, execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Files of a checkout that the pages' commands need. */
const CHECKOUT = ['package.json', 'node_modules', 'cli', 'functions', 'shared', 'infra', 'examples']
const BLOCK = /^```sh\n([\s\S]*?)^```$/gm
/** Commands that a page leaves running in a terminal of their own. */
const SERVES = /sliceflow -- (control-plane|run)\b/

/**
 * Returns the blocks of `sh` of a page, or of one of its sections: the lines that a reader types, one block
 * for each terminal.
 */
export async function terminalsOf(page: string, section?: string): Promise<string[]> {
  const text = await readFile(join(ROOT, page), 'utf8')
  const [, after = ''] = section === undefined ? ['', text] : text.split(`\n## ${section}\n`)
  const [part = ''] = section === undefined ? [text] : after.split('\n## ')
  return [...part.matchAll(BLOCK)].map(([, script = '']) => script)
}

/** Makes a folder like a checkout, without what commands leave in it. It is removed after the test. */
export async function openCheckout(kubectl: string): Promise<Checkout> {
  const folder = temporaryFolder()
  for (const name of CHECKOUT) await symlink(join(ROOT, name), join(folder, name))
  const path = [dirname(execPath), dirname(kubectl), env.PATH].join(delimiter)
  const open = (script: string): ChildProcess => {
    const child = spawn('sh', ['-ec', script], {
      cwd: folder,
      env: { ...env, PATH: path, KUBECONFIG: '', NO_COLOR: '1' },
      detached: true,
    })
    onTestFinished(() => end(child))
    return child
  }
  return {
    async type(script) {
      const child = open(script)
      let printed = ''
      let failed = ''
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        printed += text
      })
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        failed += text
      })
      const ended = once(child, 'close')
      if (SERVES.test(script)) {
        const ready = new Promise<void>((resolve) => {
          child.stdout?.on('data', () => /^ready/m.test(printed) && resolve())
        })
        const isReady = await Promise.race([ready.then(() => true), ended.then(() => false)])
        if (isReady) return printed
      }
      const [code] = await ended
      if (code !== 0) throw new Error(`failed with ${code}: ${script}\n${printed}${failed}`)
      return printed
    },
  }
}

export interface Checkout {
  /**
   * Types a script into a terminal of its own. Of a server it resolves once that says that it is ready, and
   * leaves it running until the test has ended; of others, when they have ended.
   * @returns what was printed on standard output
   * @throws Error with all that was printed where the script fails
   */
  type(script: string): Promise<string>
}

/** Ends a terminal with all that it has started. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = once(child, 'close')
  process.kill(-child.pid, 'SIGKILL')
  await ended
}
