import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at, endpoint, gone, write } from '../../cli/history/lines.fixtures.ts'
import { type Browser, openBrowser } from './chromium.ts'
import { colourOf, contrast } from './colours.ts'
import { crowdedTexts, cutTables } from './crowded-texts.ts'

const MAIN = join(import.meta.dirname, '../../cli/main.ts')
const HOSTILE = '</script><img src=x onerror=document.title="run">'
const RECORDING = [
  write(1, 'web-a - 1', { came: [endpoint(1), endpoint(2), endpoint(3)] }),
  write(2, `${HOSTILE.replaceAll(' ', '\u00a0')} - 2`, { came: [endpoint(4)] }),
  write(60, 'web-a 1 3', { went: [{ endpoint: endpoint(1), cause: 'Deleted' }] }),
  gone(90, 'web-a', '3'),
]
/** Its times are as far apart as makes many labels. */
const LONG_RECORDING = [
  ...RECORDING.slice(0, 2),
  ...[4, 9, 17, 30, 42].map((hours, index) =>
    write(hours * 3600, `web-a ${index === 0 ? 1 : hours - 1} ${hours}`, {
      came: [endpoint(hours + 10)],
      trigger: at(hours * 3600 - 1.5),
    }),
  ),
]
const PAGES = {
  'a simulation': ['simulate', '--workload', 'rolling', '--endpoints', '60', '--nodes', '5'],
  'batch windows': [
    ...['simulate', '--services', '50', '--endpoints', '20', '--duration', '60', '--mean-change', '50'],
    ...['--policy', 'in-tree,compact', '--batch-window', '0,1,2,5'],
  ],
  'a fleet': ['simulate', '--services', '50', '--endpoints', '20', '--duration', '600', '--scale'],
  'a preset': ['simulate', '--preset', 'kep-small'],
  'a Service': ['history', 'eu-1', 'shop/web', '--from', 'record.ndjson'],
  'a Service over two days': ['history', 'eu-1', 'shop/web', '--from', 'long-record.ndjson'],
} as const

let folder: string
let browser: Browser

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sliceflow-pages-'))
  const textOf = (lines: readonly unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  await writeFile(join(folder, 'record.ndjson'), textOf(RECORDING))
  await writeFile(join(folder, 'long-record.ndjson'), textOf(LONG_RECORDING))
  for (const [name, args] of Object.entries(PAGES))
    await promisify(execFile)(process.execPath, [MAIN, ...args, '--report', `${name}.html`], { cwd: folder })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

/** Shows a page. Returns it with the browser's complaints. */
async function show(name: string, width = 1400): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!/^(file|data):/.test(request.url())) complaints.push(`asks for ${request.url()}`)
  })
  await page.setViewportSize({ width, height: 800 })
  await page.goto(pathToFileURL(join(folder, `${name}.html`)).href)
  return { page, complaints }
}

describe.each(Object.keys(PAGES))('the page of %s', (name) => {
  it.each([360, 800, 1400])('has its charts drawn %i pixels wide, and scrolls down alone', async (width) => {
    const { page, complaints } = await show(name, width)
    const figures = await page.locator('figure').count()
    expect(figures).toBeGreaterThan(0)
    expect(await page.locator('figure > div > svg:visible').count()).toBe(figures)
    for (const chart of await page.locator('figure > div > svg:visible').all()) {
      const box = await chart.boundingBox()
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
      expect(await chart.locator('circle, rect, text').count()).toBeGreaterThan(2)
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(await crowdedTexts(page)).toEqual([])
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
    if (width < 480) expect(await cutTables(page)).toEqual([])
    expect(await page.getByRole('rowheader').count()).toBeGreaterThan(0)
    expect(complaints).toEqual([])
    await page.close()
  })

  it('differs from text to ground enough to be read, in both themes', async () => {
    const { page } = await show(name)
    const grounds: (string | undefined)[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const ground = await colourOf(page.locator('body'), 'backgroundColor')
      grounds.push(ground)
      for (const place of ['h1', 'p', 'summary', 'th'])
        expect(contrast(await colourOf(page.locator(place).first(), 'color'), ground)).toBeGreaterThanOrEqual(
          4.5,
        )
      for (const mark of await page.locator('.wide circle:visible').all())
        expect(contrast(await colourOf(mark, 'fill'), ground)).toBeGreaterThan(3)
    }
    expect(new Set(grounds).size).toBe(2)
    await page.close()
  })

  it('leads the keyboard to each table, and opens it', async () => {
    const { page } = await show(name)
    const summaries = await page.locator('summary').count()
    const reached = new Set<string>()
    for (let presses = 0; presses < 10 * summaries && reached.size < summaries; presses++) {
      await page.keyboard.press('Tab')
      const focused = page.locator('summary:focus')
      if ((await focused.count()) === 0) continue
      reached.add(await focused.innerText())
      if ((await page.locator('details:has(> summary:focus)').getAttribute('open')) === null)
        await page.keyboard.press('Enter')
    }
    expect(reached.size).toBe(summaries)
    expect(await page.locator('table:visible').count()).toBe(summaries)
    await page.close()
  })

  it('names each figure, chart and table', async () => {
    const { page } = await show(name)
    const titles = await page.locator('h2').allInnerTexts()
    for (const name of titles) {
      const figure = page.getByRole('figure', { name, exact: true })
      expect(await figure.getByRole('img', { name: /\w/ }).count()).toBeGreaterThan(0)
      if ((await figure.locator('details[open]').count()) === 0) await figure.locator('summary').click()
      expect(
        await figure
          .getByRole('region', { name: `Table: ${name}` })
          .getByRole('rowheader')
          .count(),
      ).toBeGreaterThan(0)
    }
    await page.close()
  })
})

it('runs nothing of a hostile name', async () => {
  const { page } = await show('a Service')
  expect(await page.locator('img').count()).toBe(0)
  expect(await page.title()).toBe('What happened to eu-1 shop/web')
  expect(await page.locator('main').innerText()).toContain('onerror=document.title')
  await page.close()
})
