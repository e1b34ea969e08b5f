import { beforeAll, describe, expect, it } from 'vitest'
import { TestServer } from '../../testing/test-client.ts'
import { DIFFERENCES } from './recordings/differences.ts'
import { asRecorded, normalise } from './recordings/normalise.ts'
import { type RecordedRequest, type RecordedStep, readRecording } from './recordings/recording.ts'
import { type Answer, replay } from './recordings/replay.ts'
import { onlyServed } from './recordings/served.ts'

const TOKENS = {
  'bob-token': { username: 'bob', uid: 'uid-bob', groups: ['devs'] },
  'admin-token': { username: 'admin', uid: 'uid-admin', groups: ['system:masters'] },
}

type Recorded = RecordedRequest & Required<Pick<RecordedRequest, 'name' | 'want'>>

interface Replayed {
  readonly answers: ReadonlyMap<string, Answer>
  /** Address and port of the server. */
  readonly own: { readonly address: string; readonly port: number }
}

/** Makes the requests of a section again, on a server of its own. */
async function replayed(section: string): Promise<Replayed> {
  await using scene = await TestServer.start({
    authorization: 'RBAC',
    apis: { crds: true, apiServices: true },
    authentication: { tokens: TOKENS, anonymous: true },
    controllers: ['clusterrole-aggregation'],
  })
  const { body } = await scene.client.get('/api/v1/namespaces/default/endpoints/kubernetes')
  const own = { address: body.subsets?.[0].addresses[0].ip ?? 'none', port: Number(scene.url.port) }
  return { own, answers: await replay(readRecording(section), scene) }
}

/** Sections are played side by side: some answers take seconds, in which a server only waits. */
const sections = new Map<string, Replayed>()
beforeAll(async () => {
  const names = Object.keys(DIFFERENCES)
  await Promise.all(names.map(async (name) => sections.set(name, await replayed(name))))
}, 120_000)

/**
 * Some 650 requests with the answers of kube-apiserver 1.36.4, and those between them that made what they are
 * about, made again: a difference that is not known fails, and so does a known one that is gone.
 */
describe.each(Object.entries(DIFFERENCES))('the recorded requests: %s', (section, differences) => {
  const recorded = recordedOf(readRecording(section))
  const answerTo = (name: string): Answer | undefined => sections.get(section)?.answers.get(name)

  const shown = ({ status, body }: Answer): string => {
    const own = sections.get(section)?.own ?? { address: 'none', port: 0 }
    return JSON.stringify({ status, body: normalise(asRecorded(onlyServed(body), own)) })
  }

  const differs = ({ name, want }: Recorded): boolean => {
    const answer = answerTo(name)
    return answer === undefined || shown(answer) !== shown(want)
  }

  it('are answered as kube-apiserver does, but for the differences that are known', () => {
    const unknown = recorded.filter((step) => differs(step) && !Object.hasOwn(differences, step.name))
    const details = unknown.map(({ name, want }) => {
      const answer = answerTo(name)
      return { name, want: shown(want), have: answer && shown(answer) }
    })
    expect(details).toEqual([])
  })

  it('still have every difference that is known', () => {
    const gone = recorded.filter((step) => Object.hasOwn(differences, step.name) && !differs(step))
    const known = new Set(recorded.map(({ name }) => name))
    const missing = Object.keys(differences).filter((name) => !known.has(name))
    expect({ gone: gone.map(({ name }) => name), missing }).toEqual({ gone: [], missing: [] })
  })
})

function recordedOf(steps: readonly RecordedStep[]): readonly Recorded[] {
  return steps.filter((step): step is Recorded => 'name' in step && step.want !== undefined)
}
