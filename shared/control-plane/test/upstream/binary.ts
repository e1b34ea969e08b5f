import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CONTROL_PLANE_MINOR, goModule, RELEASES } from '../../../../test/cluster/binaries.ts'
import { buildGoProgram, isExecutable, programCache } from '../../../../test/support/go-program.ts'

/** The module of the servers of that release has what the tests need, too. */
const GO_MODULE = goModule(CONTROL_PLANE_MINOR)
/** The release that the Go module names: that of the embedded control plane. */
const RELEASE = RELEASES[CONTROL_PLANE_MINOR]
const PACKAGE = 'k8s.io/kubernetes/test/e2e'

/**
 * Returns the path of upstream's `e2e.test`. If it is missing it is built first, which takes some minutes,
 * once a machine.
 * @param report gets a line for every step of a build
 * @throws BinariesError if Go is missing or the build fails
 */
export async function ensureUpstreamTests(report: (line: string) => void): Promise<string> {
  const sums = await readFile(join(GO_MODULE, 'go.sum'))
  const key = createHash('sha256').update(sums).digest('hex').slice(0, 12)
  const path = programCache(`kubernetes-${RELEASE}-e2e`, key, 'e2e.test')
  if (await isExecutable(path)) return path
  report(`building ${PACKAGE}`)
  const version = `-X k8s.io/component-base/version.gitVersion=${RELEASE}`
  await buildGoProgram({
    module: GO_MODULE,
    command: ['test', '-c', '-vet=off'],
    target: PACKAGE,
    path,
    flags: ['-ldflags', `-s -w ${version}`],
  })
  return path
}
