import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bundleCommand, bundleLibraries } from '../../infra/bundling/index.ts'
import { rollUpDeclarations } from '../../infra/packaging/index.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
const run = promisify(execFile)

/** A program of somebody else, with the package in its node_modules. */
export interface Program {
  readonly folder: string
  /** Path of the installed package. */
  readonly installed: string
  /** Path of the declarations that the compiler has made of the sources. */
  readonly declarations: string
  write(file: string, content: string): Promise<void>
  /** Compiles with this tsconfig.json. @throws with what the compiler says */
  compile(options: object): Promise<void>
  /** Runs a file of the program, and resolves to what it prints. */
  run(file: string): Promise<string>
  /** Runs the installed command `sliceflow`. */
  sliceflow(args: readonly string[], input?: string): Promise<string>
  remove(): Promise<void>
}

/**
 * Builds the package as `npm run build` does, but for the types, which `npm run types` checks, and the
 * bundles of functions. Beside it are its dependencies, and none of those that only its build needs.
 */
export async function installPackage(): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-package-'))
  const installed = join(folder, 'node_modules/sliceflow')
  const declarations = join(folder, 'declarations')
  const compile = async (options: object): Promise<void> => {
    const file = join(folder, 'tsconfig.json')
    await writeFile(file, JSON.stringify(options))
    await run(execPath, [TSC, '-p', file]).catch((error: { stdout?: string }) => {
      throw new Error(`failed to compile: ${error.stdout}`)
    })
  }
  await mkdir(installed, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await cp(join(ROOT, 'package.json'), join(installed, 'package.json'))
  await cp(join(ROOT, 'infra/rbac'), join(installed, 'infra/rbac'), { recursive: true })
  // Without @types/ws and others that only this repository has.
  for (const shared of ['@types/node', 'aws-cdk-lib', 'constructs']) await link(shared, folder)
  const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  for (const dependency of Object.keys(dependencies)) await link(dependency, installed)
  await compile({
    extends: join(ROOT, 'tsconfig.build.json'),
    compilerOptions: {
      rootDir: ROOT,
      outDir: declarations,
      noCheck: true,
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
  })
  // As in the checkout, where a build has them: what they import is found.
  await symlink(join(ROOT, 'node_modules'), join(declarations, 'node_modules'))
  await rollUpDeclarations(declarations, join(installed, 'dist'))
  await bundleLibraries(join(installed, 'dist'))
  await bundleCommand(join(installed, 'dist/cli'))
  return {
    folder,
    installed,
    declarations,
    compile,
    write: (file, content) => writeFile(join(folder, file), content),
    run: async (file) => (await run(execPath, [file], { cwd: folder })).stdout,
    async sliceflow(args, input = '') {
      const command = run(execPath, [join(installed, 'dist/cli/main.js'), ...args], { cwd: folder })
      command.child.stdin?.end(input)
      return (await command).stdout
    },
    remove: () => rm(folder, { recursive: true }),
  }
}

async function link(name: string, folder: string): Promise<void> {
  const path = join(folder, 'node_modules', name)
  await mkdir(dirname(path), { recursive: true })
  await symlink(join(ROOT, 'node_modules', name), path)
}
