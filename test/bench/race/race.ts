import { playPhase } from './arena.ts'
import { CONTENDERS, type ContenderName, type ContenderOptions, startContender } from './contenders.ts'
import { type Result, resultOf } from './result.ts'
import type { Work } from './works/index.ts'

interface RaceOptions extends ContenderOptions {
  readonly works: readonly Work[]
  readonly contenders: readonly ContenderName[]
  readonly rounds: number
  /** Milliseconds of a round trip to the API server; default: it is on the same machine. */
  readonly roundTripMs?: number | undefined
  readonly report: (line: string) => void
}

/** Plays every work to every contender, each on a fresh cluster; every second round in the opposite order. */
export async function* race(options: RaceOptions): AsyncGenerator<Result> {
  for (let round = 1; round <= options.rounds; round++) {
    for (const work of options.works) {
      const order = CONTENDERS.filter(
        (name) => options.contenders.includes(name) && (name === 'sliceflow' || isOfServices(work)),
      )
      if (round % 2 === 0) order.reverse()
      for (const contender of order) yield await playOne(work, { contender, round }, options)
    }
  }
}

const isOfServices = ({ owner = 'Service' }: Work): boolean => owner === 'Service'

async function playOne(
  work: Work,
  which: Pick<Result, 'contender' | 'round'>,
  options: RaceOptions,
): Promise<Result> {
  const { roundTripMs } = options
  const { title, owner, isPreparedFirst, prepare } = work
  const own = { ...options, endpointSelectors: !isOfServices(work) }
  const name = `#${which.round} ${which.contender}, ${title}`
  const report = (line: string): void => options.report(`${name}: ${line}`)
  report('starting etcd, kube-apiserver and the controller')
  const start = (kubeconfig: string) => startContender(which.contender, kubeconfig, own)
  const arena = { contender: which.contender, start, owner, isPreparedFirst, roundTripMs, report }
  const phase = await playPhase(prepare, arena)
  const result = resultOf(phase, { work: title, roundTripMs: roundTripMs ?? 0, ...which })
  const { latency, sliceWrites, seconds, cpuSeconds, load } = result
  report(
    `ready p50 ${latency.ready?.p50} ms, p99 ${latency.ready?.p99} ms, ${sliceWrites} slice writes in ${seconds} s; other processes used ${cpuSeconds.others} s of CPU, load ${load}`,
  )
  for (const difference of result.differences.slice(0, DIFFERENCES_SHOWN)) report(`wrong: ${difference}`)
  return result
}

const DIFFERENCES_SHOWN = 10
