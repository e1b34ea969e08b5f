import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Environment, EnvironmentError } from './environment.ts'

/** File beside the code, deployed with it, for large variables: a function's environment has 4 kB. */
export const DEPLOYMENT_FILE = 'deployment.json'

/**
 * Adds the variables of the deployment's file to an environment, where there is such a file. What the
 * environment sets itself stays.
 * @param folder that of the code
 * @param environment changed as it is, and returned: Lambda sets more variables in it with each call
 * @throws EnvironmentError for a file that cannot be read
 */
export function withDeploymentFile(
  folder: string,
  environment: Record<string, string | undefined> = process.env,
): Environment {
  const file = join(folder, DEPLOYMENT_FILE)
  for (const [variable, text] of Object.entries(readVariables(file))) environment[variable] ??= text
  return environment
}

function readVariables(file: string): Readonly<Record<string, string>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new EnvironmentError(`cannot read ${file}: ${(cause as Error).message}; deploy again`, { cause })
  }
}
