import { stderr, stdout } from 'node:process'
import { Command, Option } from 'commander'
import { count } from '../arguments.ts'
import { type Figures, measure } from './measure.ts'
import { buildCommand, SUBJECTS, type SubjectName } from './subjects.ts'

const NAMES = Object.keys(SUBJECTS) as SubjectName[]

const options = new Command('npm run bench -- control-plane')
  .description(
    'Measures the control plane in memory and on SQLite, then kube-apiserver with etcd, each in processes of its own on this machine: start to ready; resident memory with 1,000 objects of 1 kB and with more; creates a second by 16 clients up to 10,000; a list of those; events a second to 100 watchers. Ours is the command as it is installed, which this builds into dist/cli and starts once before, so that Node has it compiled. The clients take their share of the processors, of each the same.',
  )
  .option('--objects <n>', 'of the larger measurement of memory, 10000 or more', count, 50_000)
  .addOption(new Option('--only <names...>', 'not all of them').choices(NAMES).default(NAMES, 'all'))
  .addHelpText('after', '\nExit codes: 0 every goal met, 1 not.')
  .parse()
  .opts<{ readonly objects: number; readonly only: readonly SubjectName[] }>()

interface Row {
  readonly name: string
  readonly figure: keyof Figures
  readonly unit: string
  readonly goal: string
  /** Reports whether our figure reaches its goal, given that of kube-apiserver if it was measured. */
  readonly isMet: (ours: number, theirs: number | undefined) => boolean
}

const noFewer = (ours: number, theirs = 0): boolean => ours >= theirs
const noLonger = (ours: number, theirs = Number.POSITIVE_INFINITY): boolean => ours <= theirs
const quarter = (ours: number, theirs = Number.POSITIVE_INFINITY): boolean => ours <= theirs / 4

const ROWS: readonly Row[] = [
  { name: 'start to ready', figure: 'startMs', unit: 'ms', goal: '500 ms', isMet: (ours) => ours <= 500 },
  { name: 'memory with 1,000 objects', figure: 'smallMb', unit: 'MB', goal: 'a quarter', isMet: quarter },
  { name: 'memory with all objects', figure: 'largeMb', unit: 'MB', goal: 'a quarter', isMet: quarter },
  {
    name: 'creates by 16 clients',
    figure: 'createsPerSecond',
    unit: '/s',
    goal: 'no slower',
    isMet: noFewer,
  },
  { name: 'list of 10,000', figure: 'listMs', unit: 'ms', goal: 'no slower', isMet: noLonger },
  {
    name: 'events to 100 watchers',
    figure: 'eventsPerSecond',
    unit: '/s',
    goal: 'no slower',
    isMet: noFewer,
  },
]

type Results = Partial<Record<SubjectName, Figures>>

function tableOf(results: Results): { text: string; missed: number } {
  const names = Object.keys(results) as SubjectName[]
  let missed = 0
  const lines = ROWS.map(({ name, figure, unit, goal, isMet }) => {
    const theirs = results['kube-apiserver']?.[figure]
    const cells = names.map((subject) => {
      const value = results[subject]?.[figure]
      if (value === undefined) return ''
      const isMissed = subject !== 'kube-apiserver' && !isMet(value, theirs)
      if (isMissed) missed++
      return `${value.toLocaleString('en', { maximumFractionDigits: 0 })} ${unit}${isMissed ? ' (missed)' : ''}`
    })
    return `| ${name} | ${cells.join(' | ')} | ${goal} |`
  })
  const head = `| | ${names.join(' | ')} | goal |\n| --- |${names.map(() => ' ---: |').join('')} --- |`
  return { text: `${head}\n${lines.join('\n')}`, missed }
}

await buildCommand()
const results: Results = {}
for (const name of NAMES.filter((each) => options.only.includes(each))) {
  const subject = await SUBJECTS[name]()
  try {
    results[name] = await measure(subject, Math.max(10_000, options.objects))
    stderr.write(`measured ${name}\n`)
  } finally {
    await subject.stop()
  }
}
const { text, missed } = tableOf(results)
stdout.write(`${text}\n`)
process.exitCode = missed === 0 ? 0 : 1
