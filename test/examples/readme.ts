import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { env, execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A command of a page, and what the page says that it prints. */
export interface Shown {
  readonly command: string
  readonly output: string
}

/** A page in Markdown whose code blocks can be run. */
export interface Page {
  readonly commands: readonly Shown[]
  /** Runs a command where the page's files are; resolves to what it prints. */
  run(command: string): Promise<string>
  close(): Promise<void>
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Fenced block: the words after the three backticks, and the text between them. */
const BLOCK = /^```(\w+)(?: file=(\S+))?\n([\s\S]*?)^```$/gm

/**
 * Writes the blocks with `file=NAME` into a folder of their own, and finds the commands in the blocks of
 * `sh`: lines that begin with `$ `, each followed by its output. `sliceflow` is the command, `sliceflow/…`
 * the libraries of this checkout.
 */
export async function openPage(path: string): Promise<Page> {
  const text = await readFile(path, 'utf8')
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-page-'))
  const bin = join(folder, 'bin')
  const modules = join(folder, 'node_modules/@sliceflow/views')
  await mkdir(bin)
  await mkdir(modules, { recursive: true })
  await symlink(join(ROOT, 'examples'), join(folder, 'examples'))
  await symlink(execPath, join(bin, 'node'))
  const command = join(bin, 'sliceflow')
  await writeFile(command, `#!/bin/sh\nexec node ${join(ROOT, 'cli/main.ts')} "$@"\n`)
  await chmod(command, 0o755)
  // Behind a link, so that Node sees the files where they are and strips their types.
  await symlink(join(ROOT, 'shared/views'), join(modules, 'sources'))
  const exports = { '.': './sources/index.ts' }
  await writeFile(
    join(modules, 'package.json'),
    JSON.stringify({ name: '@sliceflow/views', type: 'module', exports }),
  )
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))

  const commands: Shown[] = []
  for (const [, language, file, content = ''] of text.matchAll(BLOCK)) {
    if (file !== undefined) await writeFile(join(folder, file), content)
    else if (language === 'sh') commands.push(...commandsOf(content))
  }
  return {
    commands,
    async run(line) {
      const environment = { ...env, PATH: `${bin}${delimiter}${env.PATH}` }
      const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd: folder, env: environment })
      return stdout
    },
    close: () => rm(folder, { recursive: true }),
  }
}

function commandsOf(content: string): Shown[] {
  return content
    .split(/^\$ /m)
    .filter((part) => part !== '')
    .map((part) => {
      const [command = '', ...lines] = part.split('\n')
      return { command, output: lines.join('\n').trimEnd() }
    })
}
