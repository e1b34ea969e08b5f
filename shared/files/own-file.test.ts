import { execFileSync } from 'node:child_process'
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { assertOwnFile, type FileKind, ForeignFileError, replaceOwnFile } from './index.ts'

const KIND: FileKind = { name: 'a poem', begins: /^roses/, mode: 0o600 }

let folder: string
let file: string
beforeEach(async () => {
  folder = temporaryFolder()
  file = join(folder, 'file')
})

const replace = (text = 'roses are red') => replaceOwnFile(file, text, KIND)

describe('a file of the project', () => {
  it.each([undefined, '', 'roses'])('is written where there was %j', async (before) => {
    if (before !== undefined) await writeFile(file, before, { mode: 0o644 })
    await replace()
    expect(await readFile(file, 'utf8')).toBe('roses are red')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['file'])
  })

  it.each(['{"a":1}', 'a roses', ' ', '\0'.repeat(100_000)])('is not written over %j', async (foreign) => {
    await writeFile(file, foreign)
    await expect(replace()).rejects.toThrow(ForeignFileError)
    await expect(replace()).rejects.toThrow(`${file} is not a poem, and stays as it is`)
    expect(await readFile(file, 'utf8')).toBe(foreign)
    expect(await readdir(folder)).toEqual(['file'])
  })

  it('is refused where its directory is not there', async () => {
    await expect(assertOwnFile(join(folder, 'nowhere', 'file'), KIND)).rejects.toThrow('ENOENT')
  })

  it('is not written over a directory', async () => {
    await mkdir(file)
    await expect(replace()).rejects.toThrow('is a directory, not a poem')
  })

  it.skipIf(process.getuid?.() === 0)('is not written over one that is read-only', async () => {
    await writeFile(file, 'roses')
    await chmod(file, 0o400)
    await expect(replace()).rejects.toThrow('EACCES')
    expect(await readFile(file, 'utf8')).toBe('roses')
  })

  it.skipIf(process.getuid?.() === 0)('is not written where no file can be made beside it', async () => {
    await writeFile(file, 'roses')
    await chmod(folder, 0o500)
    onTestFinished(() => chmod(folder, 0o700))
    await expect(assertOwnFile(file, KIND)).rejects.toThrow('EACCES')
  })

  it.each(['roses', undefined])('is written where a link leads, and the link stays: to %s', async (text) => {
    if (text !== undefined) await writeFile(join(folder, 'target'), text)
    await symlink('target', file)
    await replace()
    expect((await lstat(file)).isSymbolicLink()).toBe(true)
    expect(await readFile(join(folder, 'target'), 'utf8')).toBe('roses are red')
    await writeFile(join(folder, 'target'), 'of others')
    await expect(replace()).rejects.toThrow(ForeignFileError)
  })

  it('is not written where a link leads to no folder, or to itself', async () => {
    await symlink('none/target', file)
    await expect(assertOwnFile(file, KIND)).rejects.toThrow('ENOENT')
    await symlink('circle', join(folder, 'circle'))
    await expect(assertOwnFile(join(folder, 'circle'), KIND)).rejects.toThrow('ELOOP')
  })

  it('may be a device, or a pipe that nobody reads yet', async () => {
    await replaceOwnFile('/dev/null', 'roses', KIND)
    execFileSync('mkfifo', [file])
    expect(await assertOwnFile(file, KIND)).toBe('')
  })
})
