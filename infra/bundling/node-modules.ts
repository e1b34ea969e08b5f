import { relative } from 'node:path'
import { getBuiltinModule } from 'node:process'
import type { Plugin } from 'esbuild'
import { ROOT } from './options.ts'

const NAMESPACE = 'node'
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

/**
 * Has modules take of these modules of Node only the names that they import. An `import` asks for the value
 * of each name that the module has, and some load what is behind them: that of `node:http` loads undici and
 * the streams of browsers, for 14 MB of memory and a third of the time of a start; the others take 3 to 4 MB.
 */
export const nodeModules: Plugin = {
  name: 'node-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?(fs|http|process|util)$/ }, ({ path, kind, importer }) => {
      if (kind !== 'import-statement') return undefined
      // One for each importer: shared, it would be a file of its own where code is split.
      return {
        path: `node:${path.replace('node:', '')}`,
        suffix: `?${relative(ROOT, importer)}`,
        namespace: NAMESPACE,
        sideEffects: false,
      }
    })
    onLoad({ filter: /./, namespace: NAMESPACE }, ({ path }) => {
      const names = Object.keys(getBuiltinModule(path) ?? {}).filter((name) => IDENTIFIER.test(name))
      const lines = [
        // A Node that is too old to have this function still reaches the message that says so.
        `const builtin = /* @__PURE__ */ process.getBuiltinModule?.('${path}')`,
        'export default builtin',
        ...names.map((name) => `export const ${name} = /* @__PURE__ */ (() => builtin?.${name})()`),
      ]
      return { contents: lines.join('\n') }
    })
  },
}
