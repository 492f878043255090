import { rows } from '../fixtures/portal.ts'
import { expect, test } from '../fixtures/test.ts'
import { report } from './figures.ts'

/** Encodings that the browser accepts: all current ones, or those without brotli, as behind some proxies. */
const accepted = { brotli: ['br', 'gzip', 'deflate'], gzip: ['gzip', 'deflate'] } as const

interface Loaded {
  kind: string
  address: string
  /** The size of the body as it was sent. */
  bytes: number
}

test('loading a listing with an empty cache', async ({ browser, signedIn }) => {
  const loaded: Record<string, Loaded[]> = {}
  for (const [name, encodings] of Object.entries(accepted)) {
    const context = await browser.newContext({ storageState: await signedIn('manager@northgate.example') })
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    // Chromium has this command, but Playwright's types do not.
    await session.send('Network.setAcceptedEncodings' as never, { encodings: [...encodings] } as never)
    await page.addInitScript(() => {
      performance.setResourceTimingBufferSize(1000)
      const watch = new MutationObserver(() => {
        if (!document.querySelector('tbody tr[data-row]')) return
        watch.disconnect()
        performance.mark('rows are shown')
      })
      watch.observe(document, { childList: true, subtree: true })
    })
    await page.goto('/northgate/EmergencyLights')
    await expect(rows(page).first()).toBeVisible()
    // Requests that started before the rows were shown count, even if they finish later.
    await page.waitForLoadState('load')
    loaded[name] = await page.evaluate(() => {
      const [{ startTime: shown }] = performance.getEntriesByName('rows are shown') as [PerformanceMark]
      const [document] = performance.getEntriesByType('navigation') as [PerformanceNavigationTiming]
      const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
      return [document, ...resources.filter(({ startTime }) => startTime <= shown)].map(
        ({ name: address, initiatorType, encodedBodySize }) => {
          const { pathname } = new URL(address)
          const extension = /\.(\w+)$/.exec(pathname)?.[1]
          const kind = pathname.startsWith('/api/') ? 'api' : (extension ?? initiatorType)
          return { kind, address: pathname, bytes: encodedBodySize }
        },
      )
    })
    await context.close()
  }
  report(loaded)
})
