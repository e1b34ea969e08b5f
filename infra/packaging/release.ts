import { readFile, writeFile } from 'node:fs/promises'
import { ChangelogError, nextVersion, notesOf, withRelease } from './changelog.ts'

const CHANGELOG = new URL('../../CHANGELOG.md', import.meta.url)
const inRoot = (file: string): URL => new URL(`../../${file}`, import.meta.url)
const { workspaces }: { workspaces: readonly string[] } = JSON.parse(
  await readFile(inRoot('package.json'), 'utf8'),
)
const MANIFESTS = [
  'package.json',
  'package-lock.json',
  ...workspaces.map((folder) => `${folder}/package.json`),
].map(inRoot)
/** Names of our packages, which have one version. */
const OURS = /^(sliceflow$|@sliceflow\/)/

const [argument = ''] = process.argv.slice(2)
try {
  if (argument === '') await prepare()
  else if (/^v\d/.test(argument)) await printNotes(argument.slice(1))
  else
    throw new ChangelogError(
      `"${argument}" is not a tag such as v0.2.0; without a tag the next release is prepared`,
    )
} catch (error) {
  if (!(error instanceof ChangelogError)) throw error
  process.stderr.write(`release: ${error.message}\n`)
  process.exitCode = 1
}

/** Gives what is unreleased a version, here and in the manifests. */
async function prepare(): Promise<void> {
  const [changelog, ...manifests] = await Promise.all(
    [CHANGELOG, ...MANIFESTS].map((file) => readFile(file, 'utf8')),
  )
  const { version } = JSON.parse(manifests[0] ?? '')
  const next = nextVersion(changelog ?? '', version)
  await writeFile(CHANGELOG, withRelease(changelog ?? '', next))
  for (const [index, file] of MANIFESTS.entries()) {
    // The lock has it of itself, and of each package.
    const manifest = JSON.parse(manifests[index] ?? '', (_, value) =>
      OURS.test(value?.name) && value.version === version ? { ...value, version: next } : value,
    )
    await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`)
  }
  process.stdout.write(
    `${next} is prepared. Look at it, then:\n  git commit -am "Release ${next}" && git tag -m "Release ${next}" v${next} && git push --follow-tags\n`,
  )
}

/**
 * Prints what a tagged version is for its users.
 * @throws ChangelogError where package.json has another one
 */
async function printNotes(tagged: string): Promise<void> {
  const { version } = JSON.parse(await readFile(MANIFESTS[0] ?? '', 'utf8'))
  if (version !== tagged)
    throw new ChangelogError(
      `the tag is v${tagged} and package.json has ${version}: tag the commit that \`npm run release\` led to`,
    )
  process.stdout.write(`${notesOf(await readFile(CHANGELOG, 'utf8'), tagged)}\n`)
}
