import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { KEY_DIGEST_VERSION, seal } from '../../shared/changes/index.ts'
import { encodeMessage } from '../../shared/queue/index.ts'
import { RECORD_VERSION } from '../../shared/recording/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { ROOT } from './installed.ts'

/** The column `version` of the formats, by their names. */
let versions: ReadonlyMap<string, string>

beforeAll(async () => {
  const page = await readFile(join(ROOT, 'docs/upgrading.md'), 'utf8')
  const [, formats = ''] = page.split('\n## Formats\n')
  versions = new Map(
    [...formats.matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)].map(([, what = '', version = '']) => [
      what,
      version,
    ]),
  )
})

const sealed = seal({ addressType: 'IPv4', endpoints: [], metadata: { name: 'web-1', namespace: 'shop' } })
const KEY = { cluster: 'eu-1', namespace: 'shop', service: 'web' }
const hint = { pods: ['web-0'], slices: ['web-1'] }
const message = JSON.parse(encodeMessage({ ...KEY, hint }))
const ofSelector = JSON.parse(encodeMessage({ ...KEY, ownerKind: 'EndpointSelector' }))

it.each([
  ['message on a lane', `\`"v":${message.v}\``],
  ['message of an EndpointSelector', `\`"v":${ofSelector.v}\``],
  ['hint in a message', `\`"v":${message.hint.v}\``],
  [
    'seal, `sliceflow.dev/seal`',
    `\`${/^\d+\./.exec(sealed.metadata?.annotations?.['sliceflow.dev/seal'] ?? '')}\``,
  ],
  ['checkpoint of a relay', `\`${KEY_DIGEST_VERSION}\``],
  ['record of a recording', `\`"v":${RECORD_VERSION}\``],
])('the upgrade page has the version of the %s', (what, version) => {
  expect(versions.get(what)).toBe(version)
})

const BLOCK = /^```sh\n([\s\S]*?)^```$/gm
/** What the lines ask of the machine, but for its files. */
const MACHINE =
  'sudo() { "$@"; }; systemctl() { :; }; npm() { :; }; install() { :; }; tee() { cat > /dev/null; }\n'

/** Types the lines of a page that copy the image, where another version is installed. */
async function filesAfter(page: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(join(ROOT, page), 'utf8')
  const blocks = [...text.matchAll(BLOCK)].map(([, script = '']) => script)
  const [script = ''] = blocks.filter((block) => block.includes('/opt/sliceflow/\n'))
  const folder = temporaryFolder()
  const files = { 'dist/image/main.js': 'new', 'infra/systemd/sliceflow.service': 'new unit' }
  const before = { 'opt/sliceflow/main.js': 'old', 'etc/systemd/system/sliceflow.service': 'old unit' }
  for (const [file, content] of Object.entries({ ...files, ...before })) {
    await mkdir(join(folder, file, '..'), { recursive: true })
    await writeFile(join(folder, file), content)
  }
  const lines = MACHINE + script.replaceAll(/ \/(opt|etc)\//g, ` ${folder}/$1/`)
  await promisify(execFile)('bash', ['-euc', lines], { cwd: folder })
  const after = (await readdir(folder, { recursive: true })).filter((file) => /^(opt|etc)\/.*\./.test(file))
  const contents = after.map(async (file) => [file, await readFile(join(folder, file), 'utf8')] as const)
  return Object.fromEntries(await Promise.all(contents))
}

it.each(['docs/upgrading.md', 'docs/without-aws.md'])(
  'the lines of %s replace an older version of the systemd unit',
  async (page) => {
    expect(await filesAfter(page)).toEqual({
      'opt/sliceflow/main.js': 'new',
      'etc/systemd/system/sliceflow.service': 'new unit',
    })
  },
)
