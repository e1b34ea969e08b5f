import { execFileSync } from 'node:child_process'
import { rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { at, write } from '../lines.fixtures.ts'
import { openRecording } from './open-recording.ts'

it('reads each file once, the oldest first, also where they are moved on meanwhile', async () => {
  const file = join(temporaryFolder(), 'record.ndjson')
  const put = (name: string, seconds: number): Promise<void> =>
    writeFile(name, `${JSON.stringify(write(seconds, 'web-a - 1'))}\n`)
  for (const [name, seconds] of [
    [`${file}.2`, 1],
    [`${file}.1`, 2],
    [file, 3],
  ] as const)
    await put(name, seconds)
  const times: string[] = []
  for await (const { time } of openRecording({ from: [file], onProblem: expect.unreachable })) {
    if (times.length === 0) {
      for (const [from, to] of [
        [`${file}.1`, `${file}.2`],
        [file, `${file}.1`],
      ] as const)
        await rename(from, to)
      await put(file, 4)
    }
    times.push(time)
  }
  expect(times).toEqual([1, 2, 3].map(at))
})

it('reads each file once, also where it is named beside the one that it was rotated from', async () => {
  const file = join(temporaryFolder(), 'record.ndjson')
  await writeFile(`${file}.1`, `${JSON.stringify(write(1, 'web-a - 1'))}\n`)
  await writeFile(file, `${JSON.stringify(write(2, 'web-a - 1'))}\n`)
  const times: string[] = []
  const from = [file, `${file}.1`]
  for await (const { time } of openRecording({ from, onProblem: expect.unreachable })) times.push(time)
  expect(times).toEqual([1, 2].map(at))
})

it('reads the older files of one that a link leads to', async () => {
  const [file, link] = ['record.ndjson', 'link'].map((name) => join(temporaryFolder(), name))
  await writeFile(`${file}.1`, `${JSON.stringify(write(1, 'web-a - 1'))}\n`)
  await writeFile(`${file}`, `${JSON.stringify(write(2, 'web-a - 1'))}\n`)
  await symlink(`${file}`, `${link}`)
  const times: string[] = []
  for await (const { time } of openRecording({ from: [`${link}`], onProblem: expect.unreachable }))
    times.push(time)
  expect(times).toEqual([1, 2].map(at))
})

it('reads what a file was rotated into that could not be made again', async () => {
  const file = join(temporaryFolder(), 'record.ndjson')
  await writeFile(`${file}.1`, `${JSON.stringify(write(1, 'web-a - 1'))}\n`)
  const times: string[] = []
  for await (const { time } of openRecording({ from: [file], onProblem: expect.unreachable }))
    times.push(time)
  expect(times).toEqual([at(1)])
})

it('refuses a pipe that is read again, and reads one otherwise', async () => {
  const pipe = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const text = `${JSON.stringify(write(1, 'web-a - 1'))}\n`
  const read = async (isReadAgain: boolean): Promise<string[]> => {
    const written = writeFile(pipe, text).catch((error: NodeJS.ErrnoException) => error.code)
    const lines = openRecording({ from: [pipe], isReadAgain, onProblem: expect.unreachable })
    const times: string[] = []
    for await (const { time } of lines) times.push(time)
    await written
    return times
  }
  expect(await read(false)).toEqual([at(1)])
  await expect(read(true)).rejects.toThrow(`${pipe} is no file, and is read more than once`)
})
