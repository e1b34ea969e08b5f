import { defineConfig } from 'vitest/config'

/**
 * The unit suite of the main job. What waits in vain has failed, and must not take a minute for each mutant.
 */
export default defineConfig({
  test: {
    include: ['cli/**/*.test.ts', 'functions/**/*.test.ts', 'shared/**/*.test.ts'],
    exclude: ['shared/control-plane/**', 'shared/views/**', 'shared/*/test/cluster/**'],
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    expect: { poll: { timeout: 5_000 } },
  },
})
