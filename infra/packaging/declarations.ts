import { join } from 'node:path'
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  type ExtractorMessage,
  type IConfigFile,
} from '@microsoft/api-extractor'
import { type Library, ROOT } from '../bundling/index.ts'

/** Options for reading declarations that are right: the compiler has made them of the sources. */
const READING = {
  target: 'es2024',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules/@types')],
  strict: true,
  skipLibCheck: true,
}

/** Name of the report beside a library of what it exports. */
export const API_REPORT = 'index.api.md'

/** Folder into which something about a library is written. */
export type FolderOf = (library: Library) => string

/** What is made of a library. */
type Outcome = (library: Library) => Pick<IConfigFile, 'bundledPackages' | 'dtsRollup' | 'apiReport'>

/** One file of declarations, of what the library exports and nothing else. */
const rollUp =
  (folderOf: FolderOf): Outcome =>
  (library) => ({
    bundledPackages: ['@kubernetes/client-node'],
    dtsRollup: { enabled: true, untrimmedFilePath: join(folderOf(library), 'index.d.ts') },
  })

/** All that the library exports, and the types of ours that this leads to. */
const report =
  (declarations: string, folderOf: FolderOf): Outcome =>
  (library) => ({
    apiReport: {
      enabled: true,
      reportFileName: API_REPORT,
      reportFolder: folderOf(library),
      reportTempFolder: join(declarations, 'reports', library.sources),
      includeForgottenExports: true,
    },
  })

/**
 * Makes one file of declarations for each library. The types of Kubernetes' objects are in it, so that users
 * do not need client-node for them.
 * @param declarations where the compiler has put those of the sources
 * @param folderOf where the files of the library go
 * @param reportOf folder, which must be there, of the report of what the library exports; default: no reports
 * @throws Error with what cannot be read
 */
export const rollUpDeclarations = (
  declarations: string,
  libraries: readonly Library[],
  folderOf: FolderOf,
  reportOf?: FolderOf,
): Promise<void> =>
  extract(declarations, libraries, [
    rollUp(folderOf),
    ...(reportOf === undefined ? [] : [report(declarations, reportOf)]),
  ])

async function extract(
  declarations: string,
  libraries: readonly Library[],
  outcomes: readonly Outcome[],
): Promise<void> {
  const entryPointOf = ({ sources }: Library): string => join(declarations, sources, 'index.d.ts')
  const entryPoints = libraries.map(entryPointOf)
  const configOf = (library: Library, outcomeOf: Outcome): ExtractorConfig =>
    ExtractorConfig.prepare({
      configObject: {
        projectFolder: ROOT,
        newlineKind: 'lf',
        mainEntryPointFilePath: entryPointOf(library),
        compiler: { overrideTsconfig: { compilerOptions: READING, files: entryPoints } },
        apiReport: { enabled: false },
        dtsRollup: { enabled: false },
        docModel: { enabled: false },
        tsdocMetadata: { enabled: false },
        ...outcomeOf(library),
      },
      configObjectFullPath: undefined,
      packageJsonFullPath: join(ROOT, library.manifest, 'package.json'),
    })
  const configs = outcomes.flatMap((outcomeOf) => libraries.map((library) => configOf(library, outcomeOf)))
  const [first] = configs
  if (first === undefined) throw new Error('no library is given')
  // One program for all of them.
  const compilerState = CompilerState.create(first, { additionalEntryPoints: entryPoints })
  for (const config of configs) {
    const problems: string[] = []
    const messageCallback = (message: ExtractorMessage): void => {
      message.handled = true
      if (message.category === 'Compiler') problems.push(message.formatMessageWithLocation(ROOT))
    }
    Extractor.invoke(config, { compilerState, localBuild: true, messageCallback })
    if (problems.length > 0) throw new Error(`failed to read declarations: ${problems.join('; ')}`)
  }
}
