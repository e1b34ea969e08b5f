import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  type ConsoleScene,
  openConsoleScene,
  putSlice,
  sliceOfWeb,
} from '../../cli/console/console.fixtures.ts'
import { type Browser, openBrowser } from './chromium.ts'
import { colourOf, contrast } from './colours.ts'
import { crowdedTexts, cutTables } from './crowded-texts.ts'

const TOKEN = 'test'.repeat(8)
const WIDTHS = [360, 800, 1200]
const HOSTILE = '</script><img src=x onerror=document.title="run">'
const WEB = { namespace: 'shop', service: 'web' }

let scene: ConsoleScene
let browser: Browser
let url: string
let isReachable = true

beforeAll(async () => {
  scene = await openConsoleScene(TOKEN)
  const { name: cluster, client, metrics, record } = scene
  metrics.relay.readFrom(() => [
    {
      cluster,
      synced: true,
      watches: [{ kind: 'pods', failing: !isReachable, objects: 1 }],
      lanes: [{ lane: 'live', pending: 3, oldestSeconds: 1 }],
    },
  ])
  await putSlice(client, sliceOfWeb('web-a', `${'r'.repeat(90)}${'u'.repeat(6)}${'t'.repeat(4)}`))
  await putSlice(client, sliceOfWeb('web-b', 'rr'))
  const key = { cluster, ...WEB }
  record.observer.onEvent?.([key])
  const written = { key, created: 0, updated: 1, deleted: 0, attempts: 1 }
  metrics.observer.onReconciled?.(written)
  record.observer.onReconciled?.(written)
  url = await scene.page.listen(0)
  browser = await openBrowser()
  happen('the first one')
})
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await scene?.stop()
})

/** Has a key fail, with these words on the page. */
function happen(text: string, key: Partial<typeof WEB> = {}, page = scene.page): void {
  page.observer.onFailed?.({ cluster: scene.name, ...WEB, ...key }, new Error(text))
}

/** Shows a page with figures in it. Returns it with the browser's complaints. */
async function show(
  width = 1200,
  choice = `#${scene.name}/shop/web`,
): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.context.newPage()
  onTestFinished(() => page.close())
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:'))
      complaints.push(`asks for ${request.url()}`)
  })
  await page.setViewportSize({ width, height: 800 })
  await page.goto(url + choice)
  await expect.poll(() => page.locator('#writes').innerText()).not.toBe('–')
  if (choice !== '') await expect.poll(() => page.locator('svg.cells path').count()).toBe(6)
  return { page, complaints }
}

describe('the console’s page', () => {
  it.each(WIDTHS)('has its charts and slices drawn %i pixels wide, and scrolls down alone', async (width) => {
    const many = {
      key: { cluster: scene.name, ...WEB },
      created: 0,
      updated: 90_000_000,
      deleted: 0,
      attempts: 1,
    }
    scene.record.observer.onReconciled?.(many)
    const { page, complaints } = await show(width)
    await expect
      .poll(() => page.locator('.charts text').allTextContents())
      .toContainEqual(expect.stringMatching(/^\d+,000,000$/))
    const lines = page.locator('.charts svg path.line')
    expect(await lines.count()).toBe(4)
    for (const line of await lines.all())
      await expect.poll(() => line.getAttribute('d')).toMatch(/^M[\d.]+ [\d.]+L[\d.]+ [\d.]+/)
    for (const chart of await page.locator('.charts svg').all()) {
      const box = await chart.boundingBox()
      expect(box?.width).toBeGreaterThan(250)
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
    }
    const cells = (state: string) => page.locator(`svg.cells .state-${state}`).first().getAttribute('d')
    expect([...((await cells('r')) ?? '').matchAll(/M/g)]).toHaveLength(90)
    expect([...((await cells('u')) ?? '').matchAll(/M/g)]).toHaveLength(6)
    expect([...((await cells('t')) ?? '').matchAll(/M/g)]).toHaveLength(4)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(await crowdedTexts(page)).toEqual([])
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
    expect(await cutTables(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('differs from text to ground enough to be read, in both themes', async () => {
    const { page } = await show()
    const grounds: (string | undefined)[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const ground = await colourOf(page.locator('body'), 'backgroundColor')
      const raised = await colourOf(page.locator('.tiles > div').first(), 'backgroundColor')
      grounds.push(ground)
      for (const place of [
        'h1',
        'h2',
        'h3',
        'header p',
        '#connection',
        'label',
        'summary',
        'th',
        'td',
        'time',
        '.kind',
        '#events a',
        'footer',
      ])
        expect(
          contrast(await colourOf(page.locator(place).first(), 'color'), ground),
          place,
        ).toBeGreaterThanOrEqual(4.5)
      for (const place of ['dt', 'dd', 'dd + dd', 'button', 'input', 'select'])
        expect(
          contrast(await colourOf(page.locator(place).first(), 'color'), raised),
          place,
        ).toBeGreaterThanOrEqual(4.5)
      for (const place of ['.line-1', '.line-2'])
        expect(
          contrast(await colourOf(page.locator(place).first(), 'stroke'), ground),
          place,
        ).toBeGreaterThan(3)
      for (const place of ['.state-r', '.state-u', '.state-t'])
        expect(contrast(await colourOf(page.locator(place).first(), 'fill'), ground), place).toBeGreaterThan(
          3,
        )
    }
    expect(new Set(grounds).size).toBe(2)
  })

  it('leads the keyboard to all that can be used, and shows a Service that is typed', async () => {
    const { page } = await show(800, '')
    const reached: string[] = []
    const press = async (): Promise<void> => {
      await page.keyboard.press('Tab')
      const focused = page.locator(':focus')
      const kind = await focused.evaluate(({ nodeName }) => nodeName)
      const attributes = ['aria-label', 'id'].map((name) => focused.getAttribute(name))
      const [label, id] = await Promise.all(attributes)
      reached.push(`${kind} ${label ?? id ?? (await focused.innerText())}`)
    }
    while (reached.at(-1) !== 'INPUT choice-service' && reached.length < 20) await press()
    await page.keyboard.type('shop/web')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('svg.cells path').count()).toBe(6)
    while (!reached.at(-1)?.startsWith('A ') && reached.length < 40) await press()
    expect(reached).toEqual([
      'BUTTON pause',
      'SUMMARY As a table: Writes a second',
      'SUMMARY As a table: Keys waiting',
      'SUMMARY As a table: Delay',
      'SELECT choice-cluster',
      'INPUT choice-service',
      'BUTTON Show',
      'SECTION Slices of a Service: endpoints',
      'SUMMARY As a table: Slices of a Service',
      'SECTION Table: Clusters',
      'SECTION What happened, the latest first',
      `A ${scene.name} shop/web`,
    ])
  })

  it('has all that is drawn as a table, and names each figure, chart and region', async () => {
    const { page } = await show()
    const figures = ['Writes a second', 'Keys waiting', 'Delay', 'Slices of a Service']
    for (const name of figures) {
      const figure = page.getByRole('figure', { name, exact: true })
      expect(await figure.getByRole('img', { name: /\w/ }).count()).toBe(1)
      await figure.locator('summary').click()
      const table = figure.getByRole('region', { name: `Table: ${name}` })
      await expect.poll(() => table.getByRole('rowheader').count()).toBeGreaterThan(0)
    }
    const slices = page.getByRole('region', { name: 'Table: Slices of a Service' })
    expect(await slices.getByRole('row').allInnerTexts()).toEqual([
      'slice\tendpoints\tready\tnot ready\tterminating\tmanaged by',
      'web-a\t100\t90\t6\t4\tSliceflow',
      'web-b\t2\t2\t0\t0\tSliceflow',
    ])
    expect(await page.locator('#slices-note').innerText()).toBe(
      `shop/web of ${scene.name}: 2 slices, 102 endpoints, 92 ready`,
    )
  })

  it('shows what changes, without being asked', async () => {
    const { page } = await show()
    await putSlice(scene.client, sliceOfWeb('web-b', 'rur'))
    onTestFinished(() => putSlice(scene.client, sliceOfWeb('web-b', 'rr')))
    await expect.poll(() => page.locator('#slices-note').innerText()).toContain('103 endpoints, 92 ready')
    happen('just now')
    await expect.poll(() => page.locator('#events li').first().innerText()).toContain('just now')
  })

  it('lists what waits for a person with the command that answers it, ten of a kind, for as long as it waits', async () => {
    const { page, complaints } = await show(390)
    const lines = page.locator('#tasks li')
    const note = page.locator('#tasks-note')
    expect([await note.innerText(), await lines.count()]).toEqual(['Nothing.', 0])
    const names = [HOSTILE, ...Array.from({ length: 11 }, (_, index) => `web-${index}`)]
    const hold = (isHeld: boolean): void => {
      for (const service of names) {
        const key = { cluster: scene.name, namespace: 'shop', service }
        const guarded = { acted: { held: Number(isHeld) }, isBlocked: isHeld }
        const outcome = { key, created: 0, updated: 0, deleted: 0, attempts: 1, guarded }
        scene.record.observer.onReconciled?.(outcome)
      }
    }
    hold(true)
    onTestFinished(() => hold(false))
    await expect.poll(() => lines.count()).toBe(10)
    expect(await note.innerText()).toBe('Each with the command that answers it. 2 more are not listed.')
    expect(await lines.first().innerText()).toContain(`shop/${HOSTILE}: a plan is held`)
    expect(await lines.nth(1).getByRole('code').innerText()).toBe(
      `sliceflow release --context ${scene.name} shop/web-0`,
    )
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const place of ['.kind', '.command'])
        expect(
          contrast(
            await colourOf(lines.first().locator(place), 'color'),
            await colourOf(page.locator('.command').first(), 'backgroundColor'),
          ),
          place,
        ).toBeGreaterThanOrEqual(4.5)
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    expect(await page.locator('img').count()).toBe(0)
    hold(false)
    await expect.poll(() => note.innerText()).toBe('Nothing.')
    expect([await lines.count(), complaints]).toEqual([0, []])
  })

  it('stands still while it is paused, and then shows all', async () => {
    const { page } = await show()
    await page.getByRole('button', { name: 'Pause' }).click()
    const before = await page.locator('#events').innerText()
    happen('while it was paused')
    const other = await show()
    await expect.poll(() => other.page.locator('#events').innerText()).toContain('while it was paused')
    expect(await page.locator('#events').innerText()).toBe(before)
    await page.getByRole('button', { name: 'Pause', pressed: true }).click()
    await expect.poll(() => page.locator('#events').innerText()).toContain('while it was paused')
  })

  it('takes text of others for text, wherever it stands', async () => {
    const { page, complaints } = await show()
    happen(HOSTILE, { namespace: HOSTILE, service: HOSTILE })
    const line = page.locator('#events li').first()
    await expect.poll(() => line.innerText()).toContain(`${HOSTILE}/${HOSTILE} ${HOSTILE}`)
    await line.getByRole('link').click()
    await expect
      .poll(() => page.getByRole('alert').innerText())
      .toContain('That is not the name of a Service')
    expect(await page.locator('#choice-service').inputValue()).toBe(`${HOSTILE}/${HOSTILE}`)
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.title()).toBe('Sliceflow')
    expect(complaints).toEqual([])
  })

  it('has a screen reader say what is wrong, and of nothing that goes on all the time', async () => {
    const { page } = await show()
    const status = page.getByRole('status')
    expect(await status.innerText()).toBe('')
    happen('a failure as any other')
    await expect.poll(() => page.locator('#events li').first().innerText()).toContain('as any other')
    expect(await status.innerText()).toBe('')
    isReachable = false
    onTestFinished(() => {
      isReachable = true
    })
    await expect.poll(() => status.innerText()).toBe(`Cluster ${scene.name} is unreachable`)
    expect(await page.locator('#clusters td').first().innerText()).toBe('unreachable')
  })

  it('comes back by itself once the server is back, and says why it does not', async () => {
    const { page } = await show()
    const connection = page.locator('#connection')
    const { port } = new URL(url)
    const said = (text: string | RegExp) => expect.poll(() => connection.innerText()).toMatch(text)
    await scene.page.stop()
    await said('Sliceflow does not answer')
    const changed = await scene.restart()
    await changed.listen(Number(port))
    await said('Sliceflow was started again: open the URL that it printed')
    await changed.stop()
    const back = await scene.restart(TOKEN)
    expect(await back.listen(Number(port))).toBe(url)
    await said(/^live$/)
    await expect.poll(() => page.locator('svg.cells path').count()).toBe(6)
    happen('after all that', {}, back)
    await expect.poll(() => page.locator('#events li').first().innerText()).toContain('after all that')
  })
})
