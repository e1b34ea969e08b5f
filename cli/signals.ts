/** Resolves to the first of SIGTERM and SIGINT; a second one ends the process at once. */
export function untilTerminated(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const first = (signal: NodeJS.Signals): void => {
      for (const name of ['SIGTERM', 'SIGINT'] as const) {
        process.removeListener(name, first)
        process.once(name, () => process.exit(1))
      }
      resolve(signal)
    }
    process.on('SIGTERM', first)
    process.on('SIGINT', first)
  })
}
