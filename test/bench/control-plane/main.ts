import { argv, exit, stderr, stdout } from 'node:process'
import { parseArgs } from 'node:util'
import { type Figures, measure } from './measure.ts'
import { buildCommand, SUBJECTS, type SubjectName } from './subjects.ts'

const USAGE = `node test/bench/control-plane/main.ts [--objects N] [--only memory|SQLite|kube-apiserver]... [--json]

Measures the control plane in memory and on SQLite, then kube-apiserver with etcd, each in processes of its own on this machine: start to
ready; resident memory with 1,000 and with N objects of 1 kB (default 50,000); creates a second by 16 clients up to 10,000;
a list of those; events a second to 100 watchers. Ours is the command as it is installed, which this builds into dist/cli and starts once
before, so that Node has it compiled. The clients take their share of the processors, of each the same.
--json prints the figures as JSON. Exit codes: 0 every goal met, 1 not, 2 usage error.`

interface Row {
  readonly name: string
  readonly figure: keyof Figures
  readonly unit: string
  readonly goal: string
  /** Reports whether our figure reaches its goal, given that of kube-apiserver if it was measured. */
  readonly isMet: (ours: number, theirs: number | undefined) => boolean
}

const noSlower = (ours: number, theirs = 0): boolean => ours >= theirs
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
    isMet: noSlower,
  },
  {
    name: 'list of 10,000',
    figure: 'listMs',
    unit: 'ms',
    goal: 'no slower',
    isMet: (ours, theirs = Number.POSITIVE_INFINITY) => ours <= theirs,
  },
  {
    name: 'events to 100 watchers',
    figure: 'eventsPerSecond',
    unit: '/s',
    goal: 'no slower',
    isMet: noSlower,
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

function readArguments(): { objects: number; names: SubjectName[]; json: boolean } {
  const { values } = parseArgs({
    args: argv.slice(2),
    options: {
      objects: { type: 'string' },
      only: { type: 'string', multiple: true },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    stdout.write(`${USAGE}\n`)
    exit(0)
  }
  const objects = Number(values.objects ?? 50_000)
  if (!(objects >= 10_000)) throw new Error('--objects must be 10000 or more')
  const known = Object.keys(SUBJECTS) as SubjectName[]
  const unknown = values.only?.find((name) => !known.some((item) => item === name))
  if (unknown !== undefined) throw new Error(`there is no subject ${unknown}`)
  return {
    objects,
    names: known.filter((name) => values.only?.includes(name) ?? true),
    json: values.json ?? false,
  }
}

let settings: ReturnType<typeof readArguments>
try {
  settings = readArguments()
} catch (error) {
  stderr.write(`${(error as Error).message}\n\n${USAGE}\n`)
  exit(2)
}
await buildCommand()
const results: Results = {}
for (const name of settings.names) {
  const subject = await SUBJECTS[name]()
  try {
    results[name] = await measure(subject, settings.objects)
    stderr.write(`measured ${name}\n`)
  } finally {
    await subject.stop()
  }
}
const { text, missed } = tableOf(results)
stdout.write(settings.json ? `${JSON.stringify(results, undefined, 2)}\n` : `${text}\n`)
process.exitCode = missed === 0 ? 0 : 1
