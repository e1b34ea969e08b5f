import type { Console, ConsoleOptions } from '../../console/index.ts'
import { UsageError } from '../../usage.ts'

/** Environment variable of the token. No flag, as other users of a machine can read a process's flags. */
const TOKEN = 'SLICEFLOW_CONSOLE_TOKEN'

/**
 * Serves the page of `--console`, and prints its URL; undefined if no port is given.
 * @throws UsageError where the token cannot be one @throws Error where the port is taken
 */
export async function openConsole(
  port: number | undefined,
  options: Omit<ConsoleOptions, 'token'>,
): Promise<Console | undefined> {
  if (port === undefined) return undefined
  // Loaded when it is wanted: it costs nothing otherwise.
  const { createConsole, isToken } = await import('../../console/index.ts')
  const token = process.env[TOKEN]
  if (token !== undefined && !isToken(token))
    throw new UsageError(`${TOKEN}: it must be 22 to 128 random letters, digits, "-" or "_"`)
  const page = await createConsole({ ...options, token })
  const url = await page.listen(port)
  // Not logged, as the URL gives access to the page.
  process.stderr.write(`console: ${url}\n`)
  return page
}
