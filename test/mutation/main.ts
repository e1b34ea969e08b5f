/** Single faults put into the main job's code; see README.md. */
import { globSync, readFileSync } from 'node:fs'
import { argv, stderr } from 'node:process'
import { Stryker } from '@stryker-mutator/core'
import { Command } from 'commander'
import { createRandom } from '../support/random.ts'
import { wholeNumber } from '../support/whole-number.ts'

interface Options {
  readonly sample?: number
  readonly seed: number
  readonly concurrency: number
}

/** Folders in which faults are made. */
const FOLDERS = [
  'functions/{environment,reconcile,relay,audit}',
  'shared/{changes,clusters,endpointslice,kubernetes,queue,reconciler,settings,telemetry}',
]
/** Lines of one place of a sample: a function or so. */
const WINDOW = 12
/** The share that must be noticed. */
const LEAST = 90

const command = new Command('main.ts')
  .description(`Puts single faults into the code, and fails when less than ${LEAST} % of them are noticed.`)
  .argument('[files...]', 'globs of sources; default: all of the main job')
  .option('--sample <places>', `only ${WINDOW} lines each at so many places, drawn by the seed`, wholeNumber)
  .option('--seed <seed>', 'of the sample', wholeNumber, 1)
  .option('--concurrency <n>', 'faults that are tried side by side', wholeNumber, 2)
  .parse(argv)
const { sample, seed, concurrency } = command.opts<Options>()

function filesOf(globs: readonly string[]): readonly string[] {
  const found = globs.flatMap((glob) => globSync(glob))
  return found
    .filter((file) => file.endsWith('.ts') && !/\.(test|fixtures|arbitraries)\.ts$|\/test\//.test(file))
    .sort()
}

/** Draws lines. Every line is equally likely. */
function draw(files: readonly string[], places: number): readonly string[] {
  const windows = files.flatMap((file) => {
    const { length } = readFileSync(file, 'utf8').split('\n')
    const starts = Array.from({ length: Math.ceil(length / WINDOW) }, (_, index) => index * WINDOW + 1)
    return starts.map((start) => `${file}:${start}-${start + WINDOW - 1}`)
  })
  const random = createRandom(seed)
  return windows
    .map((window) => ({ window, rank: random.fraction() }))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, places)
    .map(({ window }) => window)
}

const given = command.args.length > 0 ? command.args : FOLDERS.map((folder) => `${folder}/**/*.ts`)
const files = filesOf(given)
if (files.length === 0) {
  stderr.write(`no sources are at ${given.join(', ')}\n`)
  process.exit(2)
}
const stryker = new Stryker({
  configFile: 'test/mutation/stryker.config.json',
  mutate: [...(sample === undefined ? files : draw(files, sample))],
  concurrency,
})
const results = await stryker.runMutationTest()
const of = (...states: readonly string[]): number =>
  results.filter(({ status }) => states.includes(status)).length
const noticed = of('Killed', 'Timeout')
const score = (100 * noticed) / Math.max(1, noticed + of('Survived', 'NoCoverage'))
stderr.write(`${noticed} of ${results.length} were noticed: ${score.toFixed(1)} %\n`)
if (score < LEAST) process.exitCode = 1
