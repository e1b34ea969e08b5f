import { readFile } from 'node:fs/promises'
import { pythonProgram, run } from './python-program.ts'

/** A version for everybody, as with cfn-lint. */
const CHECKOV = '3.3.30'
const PAGE = new URL('README.md', import.meta.url)

interface Report {
  readonly results: {
    readonly failed_checks: readonly {
      readonly check_id: string
      readonly check_name: string
      readonly file_path: string
      readonly resource: string
    }[]
  }
}

/**
 * Checks templates with checkov's rules. Each finding must be answered on the page, and each answer must have
 * a finding.
 * @throws Error naming the others
 */
export async function checkWithCheckov(paths: readonly string[]): Promise<void> {
  const files = paths.flatMap((path) => ['-f', path])
  const args = ['--framework', 'cloudformation', '--skip-download', '--soft-fail', '--compact', '--quiet']
  const program = await pythonProgram('checkov', CHECKOV)
  const text = await run(program, [...args, '-o', 'json', ...files], { captured: true })
  const reports: readonly Report[] = [JSON.parse(text)].flat()
  const found = reports.flatMap(({ results }) => results.failed_checks)
  const answered = new Set(
    [...(await readFile(PAGE, 'utf8')).matchAll(/^\| (CKV\w*) \|/gm)].map(([, id = '']) => id),
  )
  const unanswered = found
    .filter(({ check_id }) => !answered.has(check_id))
    .map(
      ({ check_id, check_name, file_path, resource }) =>
        `${check_id} (${check_name}): ${file_path} ${resource}`,
    )
  const ids = new Set(found.map(({ check_id }) => check_id))
  const outdated = [...answered]
    .filter((id) => !ids.has(id))
    .map((id) => `${id}: infra/lint/README.md answers it, and nothing is found`)
  const problems = [...unanswered, ...outdated]
  if (problems.length > 0) throw new Error(`checkov:\n${problems.join('\n')}`)
  process.stdout.write(
    `checkov: ${found.length} findings of ${ids.size} rules, each answered in infra/lint/README.md\n`,
  )
}
