import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildGoProgram, isExecutable, programCache } from '../../support/go-program.ts'

const MODULE = fileURLToPath(new URL('./programs', import.meta.url))
const DASHBOARD_CHECK = './check-dashboard'
const PROMTOOL = 'github.com/prometheus/prometheus/cmd/promtool'

/** Paths of the programs that check what Prometheus and Grafana are to load. */
export interface Programs {
  readonly promtool: string
  /** Takes a dashboard on its standard input. */
  readonly checkDashboard: string
}

/**
 * Builds those that are missing: some minutes, once a machine and version.
 * @throws BinariesError if Go is missing or a build fails
 */
export async function ensurePrograms(): Promise<Programs> {
  const hash = createHash('sha256')
  for (const file of ['go.mod', 'go.sum', `${DASHBOARD_CHECK}/main.go`])
    hash.update(await readFile(join(MODULE, file)))
  const folder = programCache('prometheus', hash.digest('hex').slice(0, 12))
  return {
    promtool: await ensure(PROMTOOL, join(folder, 'promtool')),
    checkDashboard: await ensure(DASHBOARD_CHECK, join(folder, 'check-dashboard')),
  }
}

async function ensure(target: string, path: string): Promise<string> {
  if (!(await isExecutable(path)))
    await buildGoProgram({ module: MODULE, target, path, flags: ['-ldflags', '-s -w'] })
  return path
}
