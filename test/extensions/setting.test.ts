import { expect, it, vi } from 'vitest'
import { createProgram } from '../../cli/create-program.ts'
import { COMMANDS } from '../../cli/index.ts'
import { readSettings } from '../../functions/environment/index.ts'
import { settingsEnvironment } from '../../infra/constructs/environment.ts'
import { valuesSchema } from '../../infra/helm/values-schema.fixtures.ts'
import { settingsTable } from '../../infra/settings/documentation.fixtures.ts'
import { parseDeploymentSettings } from '../../infra/settings/index.ts'
import { createLogger } from '../../shared/telemetry/index.ts'

/** The schemas with one entry more, which is all that a new setting changes of what exists. */
vi.mock(import('../../shared/settings/process-settings.ts'), async (original) => {
  const { PROCESS_SCHEMAS } = await original()
  const { integer, settingsAbout } = await import('../../shared/settings/setting.ts')
  const quietHours = settingsAbout('Rates:')(integer(0, 23, 'hours'), 5, 'HOURS', 'hours of quiet, 0 to 23')
  return { PROCESS_SCHEMAS: { ...PROCESS_SCHEMAS, quietHours } }
})

const logger = createLogger({ write: () => undefined })

it('is a flag under its heading, with a variable that stands in for it', async () => {
  const { commands } = await createProgram(COMMANDS, ({ name }) => name === 'run')
  const run = commands.find((command) => command.name() === 'run')
  const option = run?.options.find(({ long }) => long === '--quiet-hours')
  expect(option).toMatchObject({
    ...{ flags: '--quiet-hours <hours>', description: 'hours of quiet, 0 to 23 (default: 5)' },
    ...{ envVar: 'SLICEFLOW_QUIET_HOURS', helpGroupHeading: 'Rates:' },
  })
})

it('is a variable of the functions’ environment, which names what is wrong and what is meant', () => {
  expect(readSettings({ SLICEFLOW_QUIET_HOURS: '7' }, logger)).toMatchObject({ quietHours: 7 })
  expect(readSettings({}, logger)).toMatchObject({ quietHours: 5 })
  expect(() => readSettings({ SLICEFLOW_QUIET_HOURS: '24' }, logger)).toThrow(
    'SLICEFLOW_QUIET_HOURS: "24" is not a whole number of hours from 0 to 23; the nearest is 23',
  )
})

it('is a prop of the constructs, which set the variable', () => {
  const settings = parseDeploymentSettings({ quietHours: 9 } as object)
  expect(settings).toMatchObject({ quietHours: 9 })
  expect(settingsEnvironment(settings)).toMatchObject({ SLICEFLOW_QUIET_HOURS: '9' })
})

it('is a value of the Helm chart and a row of the table of settings', () => {
  expect(valuesSchema().properties).toMatchObject({
    settings: {
      properties: {
        quietHours: { type: 'integer', minimum: 0, maximum: 23, description: 'hours of quiet, 0 to 23' },
      },
    },
  })
  expect(settingsTable()).toContain('| `quietHours` | HOURS | `5` | hours of quiet, 0 to 23 |')
})
