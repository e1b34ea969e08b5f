import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { createStatusRecord, type LaneStatus } from '../local/index.ts'
import { serveStatus } from '../relay.fixtures.ts'
import { assertRelay, readRelay } from './read-relay.ts'
import { writeRunFile } from './run-file.ts'

const LANES: LaneStatus[] = [
  { lane: 'live', queue: 'http://127.0.0.1:1/live', deadLetters: 'http://127.0.0.1:1/dead' },
  { lane: 'sweep', queue: 'http://127.0.0.1:1/sweep' },
]

describe('the state directory of a run', () => {
  let folder: string
  beforeEach(() => {
    folder = temporaryFolder()
  })

  it('reports its lanes where the run serves nothing', async () => {
    const directory = join(folder, 'made', 'when missing')
    await writeRunFile(directory, { lanes: LANES })
    expect(await readRelay(directory)).toEqual({ url: directory, lanes: LANES })
    expect((await stat(join(directory, 'run.json'))).mode & 0o077).toBe(0)
  })

  it('keeps a file of others that has this name', async () => {
    await writeFile(join(folder, 'run.json'), '{"scripts":{}}')
    await expect(writeRunFile(folder, { lanes: LANES })).rejects.toThrow(
      'is not the file of a run, and stays',
    )
    expect(await readFile(join(folder, 'run.json'), 'utf8')).toBe('{"scripts":{}}')
  })

  it('leads to what the run serves', async () => {
    const url = await serveStatus(createStatusRecord(['eu-1']).document)
    await writeRunFile(folder, { url, lanes: LANES })
    expect(await readRelay(folder)).toMatchObject({ url, clusters: [{ name: 'eu-1' }] })
  })

  it('reports the lanes of a run that has ended', async () => {
    await writeRunFile(folder, { url: 'http://127.0.0.1:1', lanes: LANES })
    expect(await readRelay(folder)).toMatchObject({
      error: expect.stringMatching(/^no answer/),
      lanes: LANES,
    })
  })

  it.each([
    ['nothing', undefined, /^no run has left its run.json there \(ENOENT.*: give the directory of/],
    ['no JSON', 'lanes', /^no run has left its run.json there \(Unexpected token/],
    ['another version', '{"version":2,"lanes":[]}', /^its run.json cannot be read: /],
    [
      'a queue that is no URL of HTTP',
      JSON.stringify({ version: 1, lanes: [{ lane: 'live', queue: 'file:///etc/passwd' }] }),
      /^its run.json cannot be read: /,
    ],
  ])('with %s in it is rejected', async (_, text, problem) => {
    if (text !== undefined) await writeFile(join(folder, 'run.json'), text)
    expect(await readRelay(folder)).toEqual({ url: folder, error: expect.stringMatching(problem) })
  })

  it('or a URL is what --relay takes', () => {
    for (const place of [folder, 'http://127.0.0.1:9090', 'https://relay']) assertRelay(place)
    for (const place of ['ftp://relay', join(folder, 'missing'), ''])
      expect(() => assertRelay(place)).toThrow(`--relay: "${place}" is neither the URL of a run`)
  })

  it('that cannot be written is reported by its name', async () => {
    await writeFile(join(folder, 'file'), '')
    await expect(writeRunFile(join(folder, 'file'), { lanes: LANES })).rejects.toThrow(
      /^failed to write run.json into the state directory .*file: /,
    )
  })
})
