import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './installed.ts'

interface Package {
  readonly scripts: Readonly<Record<string, string>>
  readonly allowScripts: Readonly<Record<string, boolean>>
}

interface LockedPackage {
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly dev?: boolean
  /** It is a workspace of ours. */
  readonly link?: boolean
  /** It comes within another package. */
  readonly inBundle?: boolean
}

const read = (file: string): Promise<string> => readFile(join(ROOT, file), 'utf8')
const { scripts, allowScripts }: Package = JSON.parse(await read('package.json'))
const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(await read('package-lock.json'))
const locked = Object.entries(packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && link !== true,
)
const withScripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true)

it('every package is locked by the hash of what it holds', () => {
  expect(locked.length).toBeGreaterThan(100)
  const free = locked.filter(
    ([, { integrity, inBundle }]) => inBundle !== true && !integrity?.startsWith('sha512-'),
  )
  expect(free).toEqual([])
})

it('of the packages that want to run a script at their installation only node does', async () => {
  expect(allowScripts).toEqual({ esbuild: false, node: true })
  expect(withScripts.map(([path]) => path.replace('node_modules/', ''))).toEqual(Object.keys(allowScripts))
  expect((await read('.npmrc')).split('\n')).toContain('strict-allow-scripts=true')
})

it('whoever installs the package runs no script of it or of what it depends on', () => {
  expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([])
  expect(withScripts.filter(([, { dev }]) => dev !== true)).toEqual([])
})
