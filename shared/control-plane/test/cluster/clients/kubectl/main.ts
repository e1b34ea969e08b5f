/**
 * Plays transcripts on any server: `node shared/control-plane/test/cluster/clients/kubectl/main.ts
 * --kubeconfig FILE [--record] [transcripts…]`.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { exit, stdout } from 'node:process'
import { Command } from 'commander'
import { ensureBinaries } from '../../../../../../test/cluster/binaries.ts'
import { play } from './play.ts'
import { formatTranscript, parseTranscript } from './transcript.ts'
import { transcriptFile, transcriptNames } from './transcripts.ts'

const command = new Command('main.ts')
  .description(
    'Plays transcripts of kubectl on a server, in namespaces with their names, and shows what is different there.',
  )
  .argument('[transcripts...]', 'such as apply; default: all')
  .requiredOption('--kubeconfig <file>', 'of a user who may do everything')
  .option('--record', 'write what the server answers into the transcripts: for kube-apiserver only')
const [names, { kubeconfig, record }] = [
  command.parse().args,
  command.opts<{ kubeconfig: string; record?: true }>(),
]

const { kubectl = 'kubectl' } = await ensureBinaries()
let differences = 0
for (const name of names.length > 0 ? names : await transcriptNames()) {
  const expected = parseTranscript(await readFile(transcriptFile(name), 'utf8'))
  const scene = { kubectl, kubeconfig: await readFile(kubeconfig, 'utf8'), namespace: name }
  const played = await play(expected, scene)
  if (record) await writeFile(transcriptFile(name), formatTranscript(played))
  for (const [index, { command, output }] of played.steps.entries()) {
    const wanted = expected.steps[index]?.output
    if (output === wanted || record) continue
    differences++
    stdout.write(`${name}: $ ${command}\n--- expected\n${wanted}--- got\n${output}\n`)
  }
}
stdout.write(`${differences} commands are answered otherwise\n`)
exit(differences === 0 ? 0 : 1)
