import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { KeyText } from '../../../shared/changes/index.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { type CheckpointFile, type CheckpointFileOptions, createCheckpointFile } from './checkpoint.ts'

const HOUR = 60 * 60_000
const START = Date.UTC(2026, 7, 1)
const keysOf = (cluster: string, ...names: string[]): Map<KeyText, string> =>
  new Map(names.map((name) => [`${cluster}/shop/${name}` as KeyText, `digest of ${name}`]))

describe('the file of a checkpoint', () => {
  let directory: string
  let now: number

  beforeEach(async () => {
    directory = temporaryFolder()
    now = START
  })
  const fileOf = (cluster: string, options: Partial<CheckpointFileOptions> = {}): CheckpointFile =>
    createCheckpointFile({ directory, cluster, settings: 'digest of settings', now: () => now, ...options })

  it('holds the keys that were written last, in one file however often that was', async () => {
    const file = fileOf('a')
    for (const name of ['web', 'api', 'till']) await file.write(keysOf('a', name, 'common'))
    expect(await file.read()).toEqual({ keys: keysOf('a', 'till', 'common') })
    expect(await readdir(directory)).toHaveLength(1)
  })

  it('counts for the cluster alone that it was written of, whatever that is called', async () => {
    const of = (uid: string) => fileOf('a', { identity: async () => uid })
    await of('uid-1').write(keysOf('a', 'web'))
    expect(await of('uid-1').read()).toEqual({ keys: keysOf('a', 'web') })
    expect(await of('uid-2').read()).toEqual({ problem: 'it is of another cluster of this name' })
  })

  it('is one of each cluster, regardless of what their names have in common', async () => {
    const names = ['a/b', 'a_b', 'a?b', `arn:${'x'.repeat(200)}1`, `arn:${'x'.repeat(200)}2`, '../a', '.']
    for (const name of names) await fileOf(name).write(keysOf(name, name.length.toString()))
    for (const name of names)
      expect(await fileOf(name).read()).toEqual({ keys: keysOf(name, name.length.toString()) })
    expect(await readdir(directory)).toHaveLength(names.length)
  })

  it.each([
    ['arn:aws:eks:eu-west-1:1:cluster/prod', 'arn_aws_eks_eu-west-1_1_cluster_prod'],
    ['a?/?b', 'a_b'],
    [`${'x'.repeat(80)}-the-end`, `${'x'.repeat(72)}-the-end`],
  ])('is called by what a file can be called of %j', async (name, readable) => {
    await fileOf(name).write(keysOf(name, 'web'))
    const [file = ''] = await readdir(directory)
    expect([file.slice(0, readable.length), file.slice(readable.length)]).toEqual([
      readable,
      expect.stringMatching(/^-[0-9a-f]{8}\.json$/),
    ])
  })

  it('is made with its directory, and is gone when it was discarded, also a second time', async () => {
    const file = fileOf('a', { directory: join(directory, 'made', 'here') })
    expect(await file.read()).toEqual({ problem: 'there is none' })
    await file.write(keysOf('a', 'web'))
    for (let time = 0; time < 2; time++) {
      await file.discard()
      expect(await file.read()).toEqual({ problem: 'there is none' })
    }
    await file.write(keysOf('a', 'api'))
    expect(await file.read()).toEqual({ keys: keysOf('a', 'api') })
  })

  it.each([
    ['24 h old', 24 * HOUR, true],
    ['older', 24 * HOUR + 1, false],
    ['of a clock that was 24 h ahead', -24 * HOUR, true],
    ['of one that was further ahead', -24 * HOUR - 1, false],
  ])('counts or not when it is %s', async (_, ageMs, counts) => {
    const file = fileOf('a')
    await file.write(keysOf('a', 'web'))
    now = START + ageMs
    expect(await file.read()).toEqual(
      counts ? { keys: keysOf('a', 'web') } : { problem: 'it was written at 2026-08-01T00:00:00.000Z' },
    )
  })

  it('does not count for other settings', async () => {
    await fileOf('a').write(keysOf('a', 'web'))
    const settings = 'another digest'
    expect(await fileOf('a', { settings }).read()).toEqual({
      problem: 'it was made with other settings or queues',
    })
  })

  it.each([
    ['of another version', { version: 0 }, /^it is of version 0, not \d+$/],
    ['of another cluster', { cluster: 'z' }, /^it is of cluster z$/],
    ['of another form', { keys: 7 }, /^it is damaged$/],
  ])('does not count when it is %s', async (_, fields, problem) => {
    const file = fileOf('a')
    await file.write(keysOf('a', 'web'))
    const path = join(directory, String((await readdir(directory))[0]))
    await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), ...fields }))
    expect(await file.read()).toEqual({ problem: expect.stringMatching(problem) })
  })

  it('replaces no file that is none, and is readable for no other user', async () => {
    const file = fileOf('a')
    await file.write(keysOf('a', 'web'))
    const path = join(directory, String((await readdir(directory))[0]))
    expect((await stat(path)).mode & 0o077).toBe(0)
    await writeFile(path, '{"keep":"me"}')
    await expect(file.write(keysOf('a', 'api'))).rejects.toThrow('is not a checkpoint, and stays as it is')
    expect(await readFile(path, 'utf8')).toBe('{"keep":"me"}')
  })

  it('leaves nothing behind of a write that failed, and the one of before as it was', async () => {
    const file = fileOf('a')
    await file.write(keysOf('a', 'web'))
    const [name = ''] = await readdir(directory)
    const path = join(directory, name)
    const blocked = join(directory, 'blocked')
    await mkdir(blocked)
    const inTheWay = fileOf('a', { directory: blocked })
    await mkdir(join(blocked, name, 'full'), { recursive: true })
    for (let time = 0; time < 3; time++) await expect(inTheWay.write(keysOf('a', 'api'))).rejects.toThrow()
    expect(await readdir(blocked)).toEqual([name])
    expect(await file.read()).toEqual({ keys: keysOf('a', 'web') })
    await writeFile(path, '{')
    expect(await file.read()).toEqual({ problem: 'it is damaged' })
    expect(await inTheWay.read()).toMatchObject({
      problem: expect.stringMatching(/^it cannot be read: EISDIR/),
    })
  })
})
