import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureBinaries } from '../../../../../../test/cluster/binaries.ts'
import type { Server, ServerOfClients } from '../servers.ts'
import { play } from './play.ts'
import { formatTranscript, parseTranscript } from './transcript.ts'
import { transcriptFile, transcriptNames } from './transcripts.ts'

/** A session has up to ninety commands, each a process. */
const TIMEOUT_MS = 600_000

/**
 * Plays transcripts on a server. Each server has a file: they run side by side.
 * @param played names of transcripts; default: all
 */
export function describeKubectl([serverName, set, start]: Server, played?: readonly string[]): void {
  describe(`kubectl on ${serverName} with the set ${set}`, async () => {
    let kubectl: string
    let server: ServerOfClients

    beforeAll(async () => {
      const binaries = await ensureBinaries()
      if (binaries.kubectl === undefined) throw new Error('KUBEBUILDER_ASSETS has no kubectl')
      kubectl = binaries.kubectl
      server = await start()
    })
    afterAll(() => server?.stop())

    for (const name of played ?? (await transcriptNames())) {
      const text = await readFile(transcriptFile(name), 'utf8')
      const transcript = parseTranscript(text)
      it.skipIf((transcript.needs ?? set) !== set)(name, { timeout: TIMEOUT_MS }, async () => {
        const answers = await play(transcript, { kubectl, kubeconfig: server.kubeconfig, namespace: name })
        expect(formatTranscript(answers)).toBe(text)
      })
    }
  })
}
