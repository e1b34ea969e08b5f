/** A version of CHANGELOG.md, or what comes with the next one. */
interface Release {
  /** Name of the release, such as `0.1.0`, or `Unreleased`. */
  readonly name: string
  /** The headings of the third level, such as `Added`. */
  readonly kinds: readonly string[]
  readonly text: string
}

/** CHANGELOG.md, or package.json beside it, is not as it must be; the message says what to mend. */
export class ChangelogError extends Error {
  override readonly name = 'ChangelogError'
}

const UNRELEASED = 'Unreleased'
const HEADING = /^## (.+)$/m
const VERSION = /^(\d+)\.(\d+)\.(\d+)$/
/** Kinds of Keep a Changelog, by the part of the version that they raise once it is 1.0.0 or newer. */
const RAISES: Readonly<Record<string, number>> = {
  Removed: 0,
  Changed: 0,
  Deprecated: 1,
  Added: 1,
  Fixed: 2,
  Security: 2,
}

/**
 * Reads the releases of a CHANGELOG.md, as they stand there.
 * @throws ChangelogError where one has a kind that is none
 */
export function readChangelog(markdown: string): Release[] {
  const [, ...parts] = markdown.split(HEADING)
  const releases: Release[] = []
  for (let index = 0; index < parts.length; index += 2) {
    const [name = '', text = ''] = parts.slice(index, index + 2)
    const kinds = [...text.matchAll(/^### (.+)$/gm)].map(([, kind = '']) => kind)
    const unknown = kinds.find((kind) => RAISES[kind] === undefined)
    if (unknown !== undefined)
      throw new ChangelogError(`${name}: "${unknown}" is not one of ${Object.keys(RAISES).join(', ')}`)
    releases.push({ name, kinds, text: text.trim() })
  }
  return releases
}

/** Returns what a version is for its users. @throws ChangelogError where it is not there */
export function notesOf(markdown: string, version: string): string {
  const release = readChangelog(markdown).find(({ name }) => name === version)
  if (release === undefined) throw new ChangelogError(`CHANGELOG.md has no heading "## ${version}"`)
  return release.text
}

/**
 * Determines the version that comes after `current`, by what is unreleased (semver.org): what is removed or
 * changed raises the first part, what is added the second, a fix the third. Before 1.0.0 the first two count
 * as the second.
 * @throws ChangelogError where nothing is unreleased, or `current` is no version
 */
export function nextVersion(markdown: string, current: string): string {
  const { kinds = [] } = readChangelog(markdown).find(({ name }) => name === UNRELEASED) ?? {}
  if (kinds.length === 0) throw new ChangelogError(`CHANGELOG.md has nothing below "## ${UNRELEASED}"`)
  const [, ...parts] = (VERSION.exec(current) ?? []).map(Number)
  const [major, minor, patch] = parts
  if (major === undefined || minor === undefined || patch === undefined)
    throw new ChangelogError(`"${current}" in package.json is not a version such as 0.1.0`)
  const raised = Math.min(...kinds.map((kind) => RAISES[kind] ?? 0))
  if (raised === 2) return `${major}.${minor}.${patch + 1}`
  return raised === 0 && major > 0 ? `${major + 1}.0.0` : `${major}.${minor + 1}.0`
}

/** Returns CHANGELOG.md with what was unreleased below the heading of a version. */
export const withRelease = (markdown: string, version: string): string =>
  markdown.replace(`## ${UNRELEASED}\n`, `## ${UNRELEASED}\n\n## ${version}\n`)
