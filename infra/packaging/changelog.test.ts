import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { nextVersion, notesOf, readChangelog, withRelease } from './changelog.ts'

const OURS = await readFile(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))

const withKinds = (...kinds: readonly string[]): string =>
  `# Changelog\n\n## Unreleased\n\n${kinds.map((kind) => `### ${kind}\n- Something.\n`).join('\n')}\n## 0.1.0\n\nAll.\n`

describe('the next version', () => {
  it.each([
    ['0.1.0', ['Fixed'], '0.1.1'],
    ['0.1.0', ['Security', 'Fixed'], '0.1.1'],
    ['0.1.0', ['Added', 'Fixed'], '0.2.0'],
    ['0.1.9', ['Changed'], '0.2.0'],
    ['1.2.3', ['Fixed'], '1.2.4'],
    ['1.2.3', ['Deprecated'], '1.3.0'],
    ['1.2.3', ['Fixed', 'Added'], '1.3.0'],
    ['1.2.3', ['Added', 'Changed'], '2.0.0'],
    ['1.2.3', ['Removed'], '2.0.0'],
  ])('after %s with %j is %s', (current, kinds, next) => {
    expect(nextVersion(withKinds(...kinds), current)).toBe(next)
  })

  it.each([
    ['nothing to release', withKinds(), '0.1.0', 'CHANGELOG.md has nothing below "## Unreleased"'],
    [
      'a kind that is none',
      withKinds('Improved'),
      '0.1.0',
      'Unreleased: "Improved" is not one of Removed, Changed',
    ],
    [
      'a version that is none',
      withKinds('Fixed'),
      '0.1',
      '"0.1" in package.json is not a version such as 0.1.0',
    ],
  ])('is refused for %s', (_, markdown, current, message) => {
    expect(() => nextVersion(markdown, current)).toThrow(message)
  })
})

it('releases what is unreleased, and leaves room for what comes', () => {
  const released = withRelease(withKinds('Fixed'), '0.1.1')
  expect(readChangelog(released).map(({ name, kinds }) => [name, kinds])).toEqual([
    ['Unreleased', []],
    ['0.1.1', ['Fixed']],
    ['0.1.0', []],
  ])
  expect(notesOf(released, '0.1.1')).toBe('### Fixed\n- Something.')
  expect(() => notesOf(released, '3.0.0')).toThrow('CHANGELOG.md has no heading "## 3.0.0"')
})

describe('CHANGELOG.md', () => {
  it('begins with what is unreleased, and then has the version of package.json', () => {
    expect(
      readChangelog(OURS)
        .map(({ name }) => name)
        .slice(0, 2),
    ).toEqual(['Unreleased', version])
  })

  it('has versions only, each once, the newest first', () => {
    const [, ...names] = readChangelog(OURS).map(({ name }) => name)
    expect(names.filter((name) => !/^\d+\.\d+\.\d+$/.test(name))).toEqual([])
    expect(names).toEqual([...new Set(names)].sort((a, b) => -a.localeCompare(b, 'en', { numeric: true })))
  })
})
