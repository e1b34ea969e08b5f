import { defineConfig } from 'vitest/config'

/** `unit` needs nothing but Node; `cluster` needs the servers that test/cluster builds and starts. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'shared/**/*.test.ts',
            'functions/**/*.test.ts',
            'infra/**/*.test.ts',
            'test/**/*.test.ts',
          ],
          exclude: ['test/cluster/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // What is waited for comes sooner, unless the machine is busy with other tests.
          expect: { poll: { timeout: 15_000 } },
          // CDK's validator takes 5 s a template; `npm run lint:templates` runs it.
          env: { CDK_VALIDATION: 'false' },
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 60_000 } },
          fileParallelism: false,
        },
      },
    ],
  },
})
