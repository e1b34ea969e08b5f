import { accepted } from '../../../conformance/subject.ts'
import { createRawClient } from '../../../support/raw-client.ts'
import { openSession } from './session.ts'
import type { Transcript } from './transcript.ts'

export interface Scene {
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
    accepted(await client.post('/api/v1/namespaces', { metadata: { name: scene.namespace } }))
  } finally {
    client.close()
  }
  await using session = await openSession(scene)
  const steps = []
  for (const { command } of transcript.steps) steps.push({ command, output: await session.run(command) })
  return { ...transcript, steps }
}
