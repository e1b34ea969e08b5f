import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { once } from 'node:events'

/** Functions of a process, each of one argument at most, which go by messages as what they return does. */
type Functions = { readonly [name: string]: (argument: never) => unknown }
type Argument<F extends Functions, Name extends keyof F> = Parameters<F[Name]>[0]

interface Call {
  readonly call: number
  readonly name: string
  readonly argument?: unknown
}

type Message<Report> = { readonly call: number; readonly result: unknown } | { readonly report: Report }

/** A process whose functions can be called, and which may report something by itself. */
export interface Forked<F extends Functions, Report = never> {
  readonly child: ChildProcess
  /** @throws Error if the process ends before it has answered */
  call<Name extends keyof F & string>(
    name: Name,
    argument?: Argument<F, Name>,
  ): Promise<Awaited<ReturnType<F[Name]>>>
  /** Returns what ends it. */
  onReport(listener: (report: Report) => void): () => void
  /** Lets the process end. */
  stop(): void
}

/** Starts a module that serves functions, and gives it its options. */
export function forkModule<F extends Functions, Report = never>(
  module: URL | string,
  options: unknown,
  forkOptions: ForkOptions = {},
): Forked<F, Report> {
  const child = fork(module, [JSON.stringify(options)], forkOptions)
  // A listener for each call that is under way.
  child.setMaxListeners(0)
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`${module} ended with ${signal ?? code}`)
  })
  ended.catch(() => undefined)
  let calls = 0
  const listen = (listener: (message: Message<Report>) => void): (() => void) => {
    child.on('message', listener)
    return () => child.off('message', listener)
  }
  return {
    child,
    async call(name, argument) {
      const own: Call = { call: ++calls, name, argument }
      const { promise, resolve } = Promise.withResolvers<unknown>()
      const end = listen((message) => {
        if ('call' in message && message.call === own.call) resolve(message.result)
      })
      child.send(own)
      return (await Promise.race([promise, ended]).finally(end)) as never
    },
    onReport: (listener) =>
      listen((message) => {
        if ('report' in message) listener(message.report)
      }),
    stop: () => child.disconnect(),
  }
}

/** Returns the options that a process was started with. */
export const forkedOptions = <Options>(): Options => JSON.parse(process.argv[2] ?? '')

/** Answers calls, those that came before as well, until the starter lets this process end. */
export function serveFunctions<F extends Functions>(functions: F): void {
  process.on('message', async ({ call, name, argument }: Call) => {
    const result = await functions[name]?.(argument as never)
    process.send?.({ call, result })
  })
  process.on('disconnect', () => process.exit(0))
}

export const report = (report: unknown): void => void process.send?.({ report })
