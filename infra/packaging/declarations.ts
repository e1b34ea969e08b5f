import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  type ExtractorMessage,
  type IConfigFile,
} from '@microsoft/api-extractor'
import type { Library } from '../bundling/index.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Options for reading declarations that are right: the compiler has made them of the sources. */
const READING = {
  target: 'es2024',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
  strict: true,
  skipLibCheck: true,
}

/** What is made of a library. */
type Outcome = (library: Library) => Pick<IConfigFile, 'bundledPackages' | 'dtsRollup' | 'apiReport'>

/**
 * Makes one file of declarations for each library, of what it exports and nothing else. The types of
 * Kubernetes' objects are in it, so that users do not need client-node for them.
 * @param declarations where the compiler has put those of the sources
 * @param folderOf where the files of the library go
 * @throws Error with what cannot be read
 */
export const rollUpDeclarations = (
  declarations: string,
  libraries: readonly Library[],
  folderOf: (library: Library) => string,
): Promise<void> =>
  extract(declarations, libraries, (library) => ({
    bundledPackages: ['@kubernetes/client-node'],
    dtsRollup: { enabled: true, untrimmedFilePath: join(folderOf(library), 'index.d.ts') },
  }))

/** Name of the report beside a library of what it exports. */
export const API_REPORT = 'index.api.md'

/**
 * Writes down all that each library exports, and the types of ours that this leads to.
 * @param declarations where the compiler has put those of the sources
 * @param folderOf where the report of the library goes
 * @throws Error with what cannot be read
 */
export const reportExports = (
  declarations: string,
  libraries: readonly Library[],
  folderOf: (library: Library) => string,
): Promise<void> =>
  extract(declarations, libraries, (library) => ({
    apiReport: {
      enabled: true,
      reportFileName: API_REPORT,
      reportFolder: folderOf(library),
      reportTempFolder: join(declarations, 'reports', library.sources),
      includeForgottenExports: true,
    },
  }))

async function extract(
  declarations: string,
  libraries: readonly Library[],
  outcomeOf: Outcome,
): Promise<void> {
  const entryPoints = libraries.map(({ sources }) => join(declarations, sources, 'index.d.ts'))
  const configs = libraries.map((library, index) =>
    ExtractorConfig.prepare({
      configObject: {
        projectFolder: root,
        newlineKind: 'lf',
        mainEntryPointFilePath: entryPoints[index] ?? '',
        compiler: { overrideTsconfig: { compilerOptions: READING, files: entryPoints } },
        apiReport: { enabled: false },
        dtsRollup: { enabled: false },
        docModel: { enabled: false },
        tsdocMetadata: { enabled: false },
        ...outcomeOf(library),
      },
      configObjectFullPath: undefined,
      packageJsonFullPath: join(root, library.manifest, 'package.json'),
    }),
  )
  const [first] = configs
  if (first === undefined) throw new Error('no library is given')
  // One program for all of them.
  const compilerState = CompilerState.create(first, { additionalEntryPoints: entryPoints })
  for (const config of configs) {
    const problems: string[] = []
    const messageCallback = (message: ExtractorMessage): void => {
      message.handled = true
      if (message.category === 'Compiler') problems.push(message.formatMessageWithLocation(root))
    }
    Extractor.invoke(config, { compilerState, localBuild: true, messageCallback })
    if (problems.length > 0) throw new Error(`failed to read declarations: ${problems.join('; ')}`)
  }
}
