import type { Page } from '@playwright/test'

/**
 * How long a person reads a page before pressing something, in ms. Loading that finishes within this time is not
 * measured.
 */
const reading = 1000

export const waitToRead = (page: Page) => page.waitForTimeout(reading)

/** Resolves with the time, in ms since the epoch, at which a text matching `selector` was painted. */
export function paintedText(page: Page, selector: string, text: string): Promise<number> {
  return page.evaluate(
    ([where, what]) =>
      new Promise<number>((resolve) => {
        const look = () => {
          if (![...document.querySelectorAll(where!)].some((one) => one.textContent.includes(what!))) return
          watch.disconnect()
          requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())))
        }
        const watch = new MutationObserver(look)
        watch.observe(document.body, { childList: true, subtree: true, characterData: true })
        look()
      }),
    [selector, text],
  )
}

/** Sends the figures to the benchmark that started this test. */
export function report(figures: object): void {
  console.log(`figures ${JSON.stringify(figures)}`)
}
