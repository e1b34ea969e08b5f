import { fileURLToPath } from 'node:url'
import { ensureGoProgram } from '../../../../../../test/support/go-program.ts'

const MODULE = fileURLToPath(new URL('./program', import.meta.url))

/**
 * Returns the path of the program beside this file, which is built first if it is missing.
 * @throws BinariesError if Go is missing or the build fails
 */
export const ensureClientGoProgram = (): Promise<string> => ensureGoProgram('client-go', MODULE)
