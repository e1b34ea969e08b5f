import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { type CdkCall, deploymentProgram, HELP } from './program.ts'
import { ROOT } from './project-context.ts'

const BLOCK = /^```sh\n([\s\S]*?)^```$/gm
const CALL = /^(?:\$ )?npm run (?:-s )?((?:synth|diff|deploy|destroy)\b.*)$/

/** Returns every call of the deployment in blocks of the pages and in the help. */
function documented(): string[] {
  const pages = globSync('**/*.md', { cwd: ROOT, exclude: (path) => /node_modules|dist|cdk\.out/.test(path) })
  const texts = pages.flatMap((page) => [...readFileSync(join(ROOT, page), 'utf8').matchAll(BLOCK)])
  return [...texts.map(([, script = '']) => script), HELP]
    .flatMap((text) => text.replaceAll(/\\\n/g, ' ').split('\n'))
    .flatMap((line) => CALL.exec(line.trim())?.[1]?.replace(/ +#.*$/, '') ?? [])
}

/** Splits a line as a shell does. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')

it('finds them', () => {
  expect(documented().length).toBeGreaterThan(8)
})

it.each([...new Set(documented())])(
  'calls CDK for "npm run %s", with nothing that it would refuse',
  async (line) => {
    vi.stubEnv('INIT_CWD', ROOT)
    const calls: CdkCall[] = []
    const [command = '', dashes, ...flags] = wordsOf(line)
    expect([undefined, '--']).toContain(dashes)
    await deploymentProgram(async (call) => void calls.push(call)).parseAsync([command, ...flags], {
      from: 'user',
    })
    vi.unstubAllEnvs()
    expect(calls).toMatchObject([{ command, isExample: flags.length === 0, more: [] }])
    expect(calls[0]?.context.join('\n')).toContain('clusters=[{')
  },
)
