import { access, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { env } from 'node:process'
import { BinariesError, programCache } from '../support/go-program.ts'
import { runProgram } from './run-program.ts'

const VERSION = '4.0.2'
/** The variable with the client's path. */
export const CLIENT_VARIABLE = 'SLICEFLOW_TEST_LAMBDA_CLIENT'

/**
 * Installs AWS' own runtime interface client for Node.js, by which a function's code is loaded and called on
 * Lambda, into the cache where it is missing: it builds curl and a client in C++, in some two minutes.
 * Returns the path of its program.
 * @throws BinariesError if a compiler or CMake is missing
 */
export async function ensureRuntimeInterfaceClient(report: (line: string) => void): Promise<string> {
  const folder = programCache(`aws-lambda-ric-${VERSION}`)
  const installed = join(folder, 'node_modules', 'aws-lambda-ric')
  const program = join(installed, 'index.mjs')
  if (await isThere(join(installed, 'rapid-client.node'))) return program
  report(`building aws-lambda-ric ${VERSION} in ${folder}`)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"private": true}')
  const headers = await nodeHeaders()
  try {
    await runProgram(
      'npm',
      [
        'install',
        '--prefix',
        folder,
        '--no-audit',
        '--no-fund',
        // It runs scripts, which npm run in this project would hand on a refusal of.
        '--strict-allow-scripts=false',
        // Else node-gyp downloads them.
        ...(headers === undefined ? [] : [`--nodedir=${headers}`]),
        `aws-lambda-ric@${VERSION}`,
      ],
      'install npm, CMake, make and a C++ compiler',
    )
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
  if (await isThere(join(installed, 'rapid-client.node'))) return program
  throw new BinariesError(`failed to build ${installed}: npm may not run scripts of packages`)
}

/** Finds headers of a Node.js on the PATH; any version will do, as the client uses Node-API. */
async function nodeHeaders(): Promise<string | undefined> {
  for (const folder of (env.PATH ?? '').split(':').filter(Boolean)) {
    const prefix = dirname(resolve(folder))
    if (await isThere(join(prefix, 'include', 'node', 'node_api.h'))) return prefix
  }
  return undefined
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
