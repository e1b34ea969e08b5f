import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startControlPlane } from '../../control-plane/process.ts'
import { startApiServer } from '../api-server.ts'
import { ensureBinaries } from '../binaries.ts'
import { startControllerManager } from '../controller-manager.ts'
import { CONTROLLERS } from './controllers.ts'
import { play } from './play.ts'
import { formatTranscript, parseTranscript } from './transcript.ts'
import { transcriptFile, transcriptNames } from './transcripts.ts'

interface Started {
  readonly kubeconfig: string
  stop(): Promise<unknown>
}

const embedded = async (resources: string): Promise<Started> => {
  const { kubeconfig, end } = await startControlPlane('--resources', resources)
  return { kubeconfig, stop: () => end('SIGTERM') }
}

const real = async (): Promise<Started> => {
  const server = await startApiServer()
  const manager = await startControllerManager({
    kubeconfig: server.kubeconfig.path,
    controllers: CONTROLLERS,
    flags: [`--root-ca-file=${join(server.folder, 'ca.crt')}`],
  })
  const stop = async (): Promise<void> => {
    await manager.stop()
    await server.stop()
  }
  return { kubeconfig: server.kubeconfig.text, stop }
}

describe.each([
  ['kube-apiserver', 'services', real],
  ['the embedded control plane', 'services', () => embedded('services')],
  ['the embedded control plane', 'generic', () => embedded('generic')],
] as const)('kubectl on %s with the set %s', async (_, set, start) => {
  let kubectl: string
  let server: Started

  beforeAll(async () => {
    const binaries = await ensureBinaries()
    if (binaries.kubectl === undefined) throw new Error('KUBEBUILDER_ASSETS has no kubectl')
    kubectl = binaries.kubectl
    server = await start()
  })
  afterAll(() => server?.stop())

  for (const name of await transcriptNames()) {
    const text = await readFile(transcriptFile(name), 'utf8')
    const transcript = parseTranscript(text)
    test.skipIf((transcript.needs ?? set) !== set)(name, async () => {
      const played = await play(transcript, { kubectl, kubeconfig: server.kubeconfig, namespace: name })
      expect(formatTranscript(played)).toBe(text)
    })
  }
})
