import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bundleCommand } from '../../infra/bundling/index.ts'
import { buildLibraries, type FolderOf } from '../../infra/packaging/index.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
const run = promisify(execFile)

/** An empty project of somebody else, in whose node_modules packages of ours are put. */
export interface Project extends AsyncDisposable {
  readonly folder: string
  /** Path of the declarations that the compiler has made of the sources. */
  readonly declarations: string
  write(file: string, content: string): Promise<void>
  /** Compiles with this tsconfig.json. @throws with what the compiler says */
  compile(options: object): Promise<void>
  /** Runs a file of the project, and resolves to what it prints. */
  run(file: string): Promise<string>
}

/** A package as npm packs it, and as it is installed. */
export interface Installed {
  readonly folder: string
  readonly tarball: Uint8Array
}

export async function createProject(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-package-'))
  const declarations = join(folder, 'declarations')
  const compile = async (options: object): Promise<void> => {
    const file = join(folder, 'tsconfig.json')
    await writeFile(file, JSON.stringify(options))
    await run(execPath, [TSC, '-p', file]).catch((error: { stdout?: string }) => {
      throw new Error(`failed to compile: ${error.stdout}`)
    })
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  // Without @types/ws and others that only this repository has.
  await link('@types/node', folder)
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
  return {
    folder,
    declarations,
    compile,
    write: (file, content) => writeFile(join(folder, file), content),
    run: async (file) => (await run(execPath, [file], { cwd: folder })).stdout,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

/**
 * Builds the packages of manifests' folders as their scripts `prepack` do, but for the types, which `npm run
 * types` checks, and for the command; packs each, and installs what is packed. Beside it are its
 * dependencies, and none of those that only its build needs.
 * @param reportOf folder of the report of what each library exports
 */
export async function install(
  project: Project,
  manifests: readonly string[],
  reportOf: FolderOf,
): Promise<ReadonlyMap<string, Installed>> {
  const builtOf = (manifest: string): string => join(project.folder, 'built', manifest)
  await buildLibraries(
    manifests,
    (manifest) => join(builtOf(manifest), 'dist'),
    project.declarations,
    reportOf,
  )
  for (const manifest of manifests) {
    const source = join(ROOT, manifest)
    for (const file of await readdir(source))
      if (file === 'package.json' || file.endsWith('.md'))
        await cp(join(source, file), join(builtOf(manifest), file))
  }
  const tarballs = await pack(manifests.map(builtOf), project.folder)
  const installed = new Map<string, Installed>()
  for (const [index, manifest] of manifests.entries())
    installed.set(manifest, await installPacked(project, tarballs[index] ?? ''))
  return installed
}

async function installPacked({ folder }: Project, packed: string): Promise<Installed> {
  const unpacked = join(folder, 'package')
  const tarball = await readFile(packed)
  await run('tar', ['xzf', packed, '-C', folder])
  const { name, dependencies = {} } = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'))
  const installed = join(folder, 'node_modules', name)
  await mkdir(dirname(installed), { recursive: true })
  await rename(unpacked, installed)
  for (const dependency of Object.keys(dependencies)) await link(dependency, installed)
  return { folder: installed, tarball }
}

/** Packs the packages in these folders, without their scripts. @returns the tarballs, in the same order */
async function pack(folders: readonly string[], into: string): Promise<string[]> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', into]
  const { stdout } = await run('npm', [...args, ...folders], { maxBuffer: 64 * 1024 * 1024 })
  return (JSON.parse(stdout) as { filename: string }[]).map(({ filename }) => join(into, filename))
}

/** The package `sliceflow` in a project: the constructs and the command, without the bundles of functions. */
export interface InstalledSliceflow extends Installed {
  /** Runs the installed command. */
  sliceflow(args: readonly string[], input?: string): Promise<string>
}

/** Brings what the package `sliceflow`, once installed, needs beside, and its command. */
export async function completeSliceflow(project: Project, installed: Installed): Promise<InstalledSliceflow> {
  for (const peer of ['aws-cdk-lib', 'constructs']) await link(peer, project.folder)
  const { folder } = installed
  await cp(join(ROOT, 'infra/rbac'), join(folder, 'infra/rbac'), { recursive: true })
  await bundleCommand(join(folder, 'dist/cli'))
  return {
    ...installed,
    async sliceflow(args, input = '') {
      const command = run(execPath, [join(folder, 'dist/cli/main.js'), ...args], { cwd: project.folder })
      command.child.stdin?.end(input)
      return (await command).stdout
    },
  }
}

async function link(name: string, folder: string): Promise<void> {
  const path = join(folder, 'node_modules', name)
  await mkdir(dirname(path), { recursive: true })
  await symlink(join(ROOT, 'node_modules', name), path)
}
