import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  type ExtractorMessage,
  type IConfigFile,
} from '@microsoft/api-extractor'
import { exportedLibraries } from '../bundling/index.ts'

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

/** Makes something of the library that package.json exports by this name from this folder. */
type Outcome = (
  name: string,
  library: string,
) => Pick<IConfigFile, 'bundledPackages' | 'dtsRollup' | 'apiReport'>

/**
 * Makes one file of declarations for each exported library, of what it exports and nothing else. The types of
 * Kubernetes' objects are in it, so that users do not need client-node for them.
 * @param declarations where the compiler has put those of the sources
 * @param folder where the package's files go
 * @throws Error with what cannot be read
 */
export const rollUpDeclarations = (declarations: string, folder: string): Promise<void> =>
  extract(declarations, (_, library) => ({
    bundledPackages: ['@kubernetes/client-node'],
    dtsRollup: { enabled: true, untrimmedFilePath: join(folder, library, 'index.d.ts') },
  }))

/**
 * Writes down all that each exported library exports, and the types of ours that this leads to:
 * `views.api.md` of `sliceflow/views`.
 * @param declarations where the compiler has put those of the sources
 * @throws Error with what cannot be read
 */
export const reportExports = (declarations: string, folder: string): Promise<void> =>
  extract(declarations, (name) => ({
    apiReport: {
      enabled: true,
      reportFileName: `${name}.api.md`,
      reportFolder: folder,
      reportTempFolder: join(declarations, 'reports'),
      includeForgottenExports: true,
    },
  }))

async function extract(declarations: string, outcomeOf: Outcome): Promise<void> {
  const libraries = [...(await exportedLibraries())]
  const entryPoints = libraries.map(([, library]) => join(declarations, library, 'index.d.ts'))
  const configs = libraries.map(([name, library], index) =>
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
        ...outcomeOf(name, library),
      },
      configObjectFullPath: undefined,
      packageJsonFullPath: join(root, 'package.json'),
    }),
  )
  const [first] = configs
  if (first === undefined) throw new Error('package.json exports no library')
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
