import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bundleCommand } from '../../infra/bundling/index.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
const run = promisify(execFile)

/** A program of somebody else, with the package in its node_modules. */
export interface Program {
  readonly folder: string
  /** Where the package is. */
  readonly installed: string
  write(file: string, content: string): Promise<void>
  /** Compiles with this tsconfig.json. @throws with what the compiler says */
  compile(options: object): Promise<void>
  /** Runs a file of the program, and resolves to what it prints. */
  run(file: string): Promise<string>
  /** The installed command `sliceflow`. */
  sliceflow(args: readonly string[], input?: string): Promise<string>
  remove(): Promise<void>
}

/** Builds the package as `npm run build` does, but for the types, which `npm run types` checks, and the bundles of functions. */
export async function installPackage(): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-package-'))
  const installed = join(folder, 'node_modules/sliceflow')
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
  await mkdir(join(folder, 'node_modules/@types'))
  for (const shared of ['@types/node', 'aws-cdk-lib', 'constructs'])
    await symlink(join(ROOT, 'node_modules', shared), join(folder, 'node_modules', shared))
  await symlink(join(ROOT, 'node_modules'), join(installed, 'node_modules'))
  await compile({
    extends: join(ROOT, 'tsconfig.build.json'),
    compilerOptions: {
      rootDir: ROOT,
      outDir: join(installed, 'dist'),
      noCheck: true,
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
  })
  await bundleCommand(join(installed, 'dist/cli'))
  return {
    folder,
    installed,
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
