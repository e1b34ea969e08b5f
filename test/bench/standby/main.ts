/**
 * A relay beside a standby under churn: what the standby sends while both live, and how late changes are when
 * one is killed, or lost with its queue as with its region.
 */

import { availableParallelism } from 'node:os'
import { env, stdout } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { ensureBinaries } from '../../cluster/binaries.ts'
import { count, createReport } from '../arguments.ts'
import { type PhaseResult, playPhase } from '../race/arena.ts'
import { buildSliceflow } from '../race/contenders.ts'
import { summarize } from '../race/latencies.ts'
import { churn } from '../race/works/churn.ts'
import { type Pair, startPair } from './pair.ts'

const options = new Command('npm run bench -- standby')
  .description(
    'Two `sliceflow run`, one with --relay-standby, and 50 changes a second on 50 Services × 20 pods of a fresh kube-apiserver: once with both alive, once with the active one killed (SIGKILL) after a third, and once with its queue lost as well, the standby in another region having its own.',
  )
  .option('--seconds <n>', 'of churn, each time', count, 30)
  .addHelpText(
    'after',
    '\nIt takes etcd and kube-apiserver from KUBEBUILDER_ASSETS, else builds them with Go once (10 minutes).\nExit codes: 0 all slices were right in the end, 1 they were not or something failed.',
  )
  .parse()
  .opts<{ readonly seconds: number }>()

const report = createReport()
const work = churn({ services: 50, pods: 20, rate: 50, seconds: options.seconds })

interface Played extends PhaseResult {
  readonly sent: Awaited<ReturnType<Pair['keysSent']>>
}

interface Play {
  readonly inTwoRegions: boolean
  /** Is done while the changes go on. */
  readonly during: (pair: Pair) => Promise<void>
}

async function play(what: string, { inTwoRegions, during }: Play): Promise<Played> {
  let pair: Pair | undefined
  let sent = { active: 0, standby: 0 }
  const result = await playPhase(
    async (arena) => {
      const phase = await work.prepare(arena)
      return async () => {
        if (pair === undefined) throw new Error('the pair was not started')
        const before = await pair.keysSent()
        await Promise.all([phase(), during(pair)])
        await arena.right()
        const after = await pair.keysSent()
        sent = { active: after.active - before.active, standby: after.standby - before.standby }
      }
    },
    {
      contender: what,
      report: (line) => report(`${what}: ${line}`),
      start: async (kubeconfig) => {
        pair = await startPair({ kubeconfig, inTwoRegions })
        return pair
      },
    },
  )
  return { ...result, sent }
}

const ms = (value: number): string => value.toFixed(0)

function row(what: string, { latencies, sent, late, cpuSeconds, memoryMb, differences }: Played): string {
  const { count, p50, p99, max } = summarize([...latencies.values()].flat())
  const active = sent.active < 0 ? '–' : String(sent.active)
  const wrong = differences.length === 0 ? '' : `; ${differences.length} wrong in the end`
  return `| ${what} | ${count} | ${ms(p50)}, ${ms(p99)}, ${ms(max)} ms${wrong} | ${late} | ${active} | ${sent.standby} | ${cpuSeconds.controller.toFixed(1)} s, ${memoryMb.toFixed(0)} MB |`
}

// Credentials for a queue that does not check them.
env.AWS_ACCESS_KEY_ID ??= 'local'
env.AWS_SECRET_ACCESS_KEY ??= 'local'
env.AWS_REGION ??= 'us-east-1'
await ensureBinaries(report)
await buildSliceflow()
async function kill(pair: Pair): Promise<void> {
  await sleep((options.seconds * 1000) / 3)
  await pair.killActive()
  report('killed')
}
const both = await play('both alive', { inTwoRegions: false, during: async () => undefined })
const killed = await play('active killed', { inTwoRegions: false, during: kill })
const lost = await play('region lost', { inTwoRegions: true, during: kill })
stdout.write(`${work.title}, ${availableParallelism()} processors; other processes, the active one among them, took ${(
  both.cpuSeconds.others + killed.cpuSeconds.others + lost.cpuSeconds.others
).toFixed(0)} s of them

| | changes seen | latency p50, p99, most | addresses wrong for over 2 s | keys of the active one | keys of the standby | the standby's processor and memory |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
${row('both alive', both)}
${row('the active one killed after a third', killed)}
${row('its region lost after a third: its queue as well', lost)}
`)
process.exitCode = [both, killed, lost].every(({ differences }) => differences.length === 0) ? 0 : 1
