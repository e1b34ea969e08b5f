import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { SUPPORTED_MINORS, SUPPORTED_TEXT } from '../../cli/preflight/index.ts'
import { CONTROL_PLANE_MINOR, DEFAULT_MINOR, RELEASES } from '../cluster/binaries.ts'
import { pageWith, readPage, readResults } from './results.ts'

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

const { oldest, newest } = SUPPORTED_MINORS
const SUPPORTED = Array.from({ length: newest - oldest + 1 }, (_, index) => `1.${oldest + index}`)

it('the versions that preflight calls tested are those that the suites can run on, and did', async () => {
  expect(Object.keys(RELEASES)).toEqual(SUPPORTED)
  expect(DEFAULT_MINOR).toBe(SUPPORTED.at(-1))
  expect(await readPage()).toContain(`Sliceflow is tested with Kubernetes ${SUPPORTED_TEXT}.`)
  expect(Object.keys(await readResults())).toEqual(Object.values(RELEASES))
})

it.each(Object.entries(RELEASES))(
  'the Go module of %s names %s, and has its sums',
  async (minor, release) => {
    const module = await read(`test/cluster/binaries/${minor}/go.mod`)
    const sums = await read(`test/cluster/binaries/${minor}/go.sum`)
    expect(module).toContain(`k8s.io/kubernetes ${release}`)
    expect(module.match(/k8s\.io\/client-go => .*/)?.[0]).toBe(
      `k8s.io/client-go => k8s.io/client-go ${release.replace('v1', 'v0')}`,
    )
    expect(module).not.toMatch(/=> \.{0,2}\//)
    expect(sums).toContain(`k8s.io/kubernetes ${release} h1:`)
  },
)

it('the embedded control plane is of the release that it is compared with', async () => {
  const release = RELEASES[CONTROL_PLANE_MINOR]
  expect(await read('shared/control-plane/apiserver/http/root/version.ts')).toContain(`'${release}'`)
})

it('results are written into the page as they are read from it', async () => {
  const page = await readPage()
  expect(pageWith(await readResults(), page)).toBe(page)
  expect(page).toMatch(/\n\| reconciler \|( \d+ passed, [\d-]{10} \|){5}\n/)
})

it('SECURITY.md, the script and CI name the same versions', async () => {
  const { scripts } = JSON.parse(await read('package.json'))
  expect(scripts['test:cluster']).toContain(`binaries.ts ${CONTROL_PLANE_MINOR} ${DEFAULT_MINOR} &&`)
  expect(await read('SECURITY.md')).toContain(`| Kubernetes ${SUPPORTED_TEXT}: `)
  expect(await read('SECURITY.md')).toContain(`CI runs ${RELEASES[DEFAULT_MINOR]?.slice(1)}`)
  expect(await read('.github/workflows/ci.yml')).toContain(
    `go-version-file: test/cluster/binaries/${DEFAULT_MINOR}/go.mod`,
  )
})
