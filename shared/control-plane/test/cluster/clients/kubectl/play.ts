import { setTimeout as sleep } from 'node:timers/promises'
import { createRawClient, type RawClient } from '../../../../../../test/support/raw-client.ts'
import { accepted } from '../../../conformance/subject.ts'
import { openSession } from './session.ts'
import type { Transcript } from './transcript.ts'

interface Scene {
  /** The program. */
  readonly kubectl: string
  /** YAML text of a user who may do everything. */
  readonly kubeconfig: string
  /** Made for the transcript. */
  readonly namespace: string
}

/** Runs the commands of a transcript one after the other; @returns it with what they print here. */
export async function play(transcript: Transcript, scene: Scene): Promise<Transcript> {
  const client = createRawClient(scene.kubeconfig)
  try {
    await makeNamespace(client, scene.namespace)
  } finally {
    client.close()
  }
  await using session = await openSession(scene)
  const steps = []
  for (const { command } of transcript.steps) steps.push({ command, output: await session.run(command) })
  return { ...transcript, steps }
}

const POLL_MS = 50
const TIMEOUT_MS = 60_000
/** Objects that controllers put into every namespace, and that transcripts show or use. */
const EQUIPMENT = ['serviceaccounts/default', 'configmaps/kube-root-ca.crt']

/** Resolves when the namespace has what controllers put into it; throws where none does. */
async function makeNamespace(client: RawClient, name: string): Promise<void> {
  accepted(await client.post('/api/v1/namespaces', { metadata: { name } }))
  const deadline = Date.now() + TIMEOUT_MS
  for (const path of EQUIPMENT) {
    while ((await client.get(`/api/v1/namespaces/${name}/${path}`)).status === 404) {
      if (Date.now() > deadline)
        throw new Error(`No controller made ${path} in namespace ${name}: does one run?`)
      await sleep(POLL_MS)
    }
  }
}
