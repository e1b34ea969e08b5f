import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { at, endpoint, write } from '../../history/lines.fixtures.ts'
import { type Ran, runSliceflow } from '../../program.fixtures.ts'

const run = (...args: string[]): Promise<Ran> => runSliceflow('simulate', ...args)

async function simulate(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args)
  expect(code, stderr).toBe(0)
  return stdout
}

const READY = { conditions: { ready: true, serving: true, terminating: false } }
const UNREADY = { conditions: { ready: false, serving: false, terminating: false } }

describe('sliceflow simulate', () => {
  it('prints the figures of the KEP for machines', async () => {
    const json = JSON.parse(await simulate('--preset', 'kep-small', '-o', 'json'))
    expect(Object.keys(json)).toEqual(['preset', 'policies'])
    expect(json.policies).toMatchObject({
      endpoints: { create: { writes: 1 }, update: { writes: 1, watchEvents: 10 } },
      single: { create: { writes: 20, watchEvents: 200 } },
      'in-tree': { rolling: { bytesSent: expect.any(Number), bytesStored: expect.any(Number) } },
    })
  })

  it('plays a workload to each policy, window and slice size', async () => {
    const args = ['--workload', 'rolling', '--endpoints', '20', '--nodes', '5', '--policy', 'in-tree,compact']
    const matrix = [...args, '--coalescing-window', 'auto,0', '--max-endpoints-per-slice', '10,50']
    const { runs } = JSON.parse(await simulate(...matrix, '-o', 'json'))
    expect(runs).toHaveLength(8)
    const { policy, run } = runs[0]
    expect(policy).toBe('in-tree')
    expect(run).toMatchObject({ changes: 60, watchEvents: 5 * run.writes })
    expect((await simulate(...matrix)).split('\n')).toHaveLength(12)
  })

  it('compares two settings, and each rate of changes', async () => {
    const size = ['--endpoints', '50', '--nodes', '5', '--duration', '600']
    const settings = ['coalescingWindow=0', 'coalescingWindow=5,maxEndpointsPerSlice=25']
    const compared = JSON.parse(await simulate(...size, '--compare', ...settings, '-o', 'json'))
    expect(compared.runs).toMatchObject([
      { coalescingWindow: 0, maxEndpointsPerSlice: 100 },
      { coalescingWindow: 5, maxEndpointsPerSlice: 25 },
    ])
    const rates = await simulate(...size, '--policy', 'in-tree', '--mean-change', '600,60')
    expect(rates).toMatch(/every 600 s\n.*\n\n.*\nin-tree.*\n\neach Pod changes every 60 s/)
  })

  it('makes a page of what it prints, as of the tables of the KEP', async () => {
    const folder = temporaryFolder()
    const report = join(folder, 'report.html')
    const size = ['--workload', 'rolling', '--endpoints', '20', '--nodes', '5', '--report', report]
    const { runs } = JSON.parse(await simulate(...size, '-o', 'json'))
    const page = await readFile(report, 'utf8')
    for (const { policy, run } of runs) expect(page).toContain(`<title>${policy}: ${run.writes}</title>`)
    const kep = await simulate('--preset', 'kep-small', '--policy', 'in-tree,single', '--report', report)
    expect(kep).toMatch(/A rolling update of all endpoints\npolicy .*\nin-tree .*\nsingle /)
    expect(await readFile(report, 'utf8')).toContain('A rolling update of all endpoints: writes')
  })

  it.each([
    ['/nowhere/report.html', 'ENOENT'],
    [import.meta.filename, 'is not a report, and stays as it is'],
  ])('says before it simulates that a page cannot be made in %s', async (report, problem) => {
    const { code, stderr } = await run('--recording', '/nowhere/recording', '--report', report)
    expect(code).toBe(2)
    expect(stderr).toContain(`failed to write the report ${report}: `)
    expect(stderr).toContain(problem)
  })

  describe('of a recording', () => {
    /** Writes a recording in which 20 Pods become ready and unready in turn, one a second. */
    async function recorded(...more: readonly string[]): Promise<string> {
      const folder = temporaryFolder()
      const pods = Array.from({ length: 20 }, (_, index) => index + 1)
      const made = write(0, 'web-a - 100', { came: pods.map((number) => endpoint(number)) })
      const turns = pods.map((number, index) =>
        write(10 + index, `web-a ${100 + index} ${101 + index}`, {
          changed: [{ addresses: [`10.1.2.${number}`], target: `web-${number}`, from: READY, to: UNREADY }],
          message: { sentAt: at(10 + index - 0.02), receiveCount: 1 },
        }),
      )
      const file = join(folder, 'record.ndjson')
      const lines = [made, ...turns].map((line) => JSON.stringify(line))
      await writeFile(file, [...lines.slice(0, 5), ...more, ...lines.slice(5)].join('\n'))
      return file
    }

    it('plays what was recorded to each policy, and compares settings and advises by it', async () => {
      const file = await recorded()
      const { runs } = JSON.parse(await simulate('--recording', file, '--nodes', '5', '-o', 'json'))
      expect(runs.map(({ policy }: { policy: string }) => policy)).toContain('compact')
      for (const { run } of runs) expect(run).toMatchObject({ changes: 21 + 20, watchEvents: 5 * run.writes })
      const settings = ['coalescingWindow=0', 'coalescingWindow=60']
      const [quick, slow] = JSON.parse(
        await simulate('--recording', file, '--compare', ...settings, '-o', 'json'),
      ).runs
      expect(quick.run.writes).toBe(21)
      expect(slow.run.writes).toBeLessThan(21)
      expect(await simulate('--recording', file, '--advise')).toMatch(/^--coalescing-window .* --packing /)
    })

    it('names the lines that cannot be read once, and goes on', async () => {
      const file = await recorded('nonsense')
      const { code, stdout, stderr } = await run('--recording', file, '--policy', 'in-tree,compact')
      expect(code).toBe(0)
      expect(stdout).toContain('41 changes')
      expect(stderr).toBe(`${file}, line 6: it is not JSON, or is cut off after 8 characters\n`)
    })

    it('says so where there is nothing to simulate, or where it cannot be', async () => {
      const file = await recorded()
      const empty = `${file}.empty`
      await writeFile(empty, 'nonsense\n')
      expect(await run('--recording', empty)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /line 1: it is not JSON.*\nsliceflow: the recording has no write of a slice/,
        ),
      })
      expect(await run('--recording', file, '--scale')).toMatchObject({ code: 2 })
      expect(await run('--recording', file, '--workload', 'rolling')).toMatchObject({ code: 2 })
    })
  })

  it('reports what 1 to 10,000 clusters lead to', async () => {
    const report = join(temporaryFolder(), 'report.html')
    const args = ['--services', '100', '--endpoints', '5', '--duration', '60', '--scale', '-o', 'json']
    const { rows } = JSON.parse(await simulate(...args, '--report', report))
    expect(await readFile(report, 'utf8')).toContain('relay memory, 10,000 clusters: ')
    expect(rows.map(({ clusters }: { clusters: number }) => clusters)).toEqual([1, 10, 100, 1000, 10_000])
    expect(rows[4]).toMatchObject({ services: 1_000_000, uses: expect.any(Array) })
  })
})
