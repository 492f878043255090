import type { Page } from '@playwright/test'
import { demoHomes } from '@caretaker/demo/fixtures.ts'
import { expect, test } from '../fixtures/test.ts'
import { looked, spread, tell } from './figures.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 20)
/** What every home has, and what one with sensors has besides. */
const always = ['Property Information', 'Property Details']
const ofSensors = [...always, 'Home now', 'Damp and mould risk']

/** Presses the link that is pointed at, and gives the ms until the home's name and these cards are painted and nothing is loading. */
const pressed = (page: Page, reference: string, cards: readonly string[]) =>
  page.evaluate(
    ([name, wanted]) =>
      new Promise<number>((resolve) => {
        const link = [...document.querySelectorAll<HTMLElement>('main a')].find((one) => one.textContent === name)!
        const look = () => {
          const titles = [...document.querySelectorAll('main section h2')].map((one) => one.textContent)
          if (document.querySelector('main h1')?.textContent !== name || document.querySelector('main [aria-busy]'))
            return
          if (!wanted.every((title) => titles.includes(title))) return
          watch.disconnect()
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)))
        }
        const watch = new MutationObserver(look)
        watch.observe(document.body, { childList: true, subtree: true, attributes: true, characterData: true })
        const begun = performance.now()
        link.click()
      }),
    [reference, cards] as const,
  )

/** As somebody does who has read the list: the pointer comes to rest on the link, and presses it. */
async function open(page: Page, reference: string, cards: readonly string[]): Promise<number> {
  await page.getByRole('link', { name: reference, exact: true }).first().hover()
  await looked(page)
  return pressed(page, reference, cards)
}

test('a home from the press on its row to the picture', async ({ pageOf }) => {
  const page = await pageOf('manager@northgate.example')
  const links = page.locator('main [role="row"] a, main tbody a')
  const homes: number[] = []
  for (let round = 0; round < rounds; round++) {
    // A fresh page, and another home each time: nothing of it is known yet.
    await page.goto('/northgate/Properties')
    await expect(links.first()).toBeVisible()
    const names = (await links.allTextContents()).filter((name) => name.startsWith('NG-'))
    homes.push(await open(page, names[round % names.length]!, always))
  }
  const sensed: number[] = []
  // A new demo judges its rooms a while after it has started.
  await page.goto(`/northgate/Properties?search=${demoHomes.damp}`)
  await links.filter({ hasText: demoHomes.damp }).click()
  await expect(page.getByRole('heading', { name: ofSensors.at(-1)! })).toBeVisible({ timeout: 90_000 })
  for (let round = 0; round < rounds; round++) {
    await page.goto(`/northgate/Properties?search=${demoHomes.damp}`)
    await expect(links.filter({ hasText: demoHomes.damp })).toBeVisible()
    sensed.push(await open(page, demoHomes.damp, ofSensors))
  }
  tell({ rounds, homeMs: spread(homes), homeWithSensorsMs: spread(sensed) })
})
