/** The command as it is, but for its recorder: it records in every second lap only. */
import { registerHooks } from 'node:module'

const steady = new URL('../../../shared/recording/writing/recorder.ts', import.meta.url).href
const alternating = new URL('alternating-recorder.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    return resolved.url === steady && context.parentURL !== alternating
      ? { ...resolved, url: alternating }
      : resolved
  },
})
await import('../../../cli/main.ts')
