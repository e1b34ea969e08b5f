import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { KEY_DIGEST_VERSION, seal } from '../../shared/changes/index.ts'
import { encodeMessage } from '../../shared/queue/index.ts'
import { RECORD_VERSION } from '../../shared/recording/index.ts'
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
const hint = { pods: ['web-0'], slices: ['web-1'], slicesVersion: '7' }
const message = JSON.parse(encodeMessage({ ...KEY, hint }))

it.each([
  ['message on a lane', `\`"v":${message.v}\``],
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
