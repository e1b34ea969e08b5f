import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { openPage } from './readme.ts'

const page = await openPage(fileURLToPath(new URL('../../shared/views/README.md', import.meta.url)))

describe('the page of views', () => {
  afterAll(() => page.close())

  it('has commands', () => {
    expect(page.commands.length).toBeGreaterThan(5)
  })

  it.each(page.commands)('says what this prints: $command', async ({ command, output }) => {
    expect((await page.run(command)).trimEnd()).toBe(output)
  })
})
