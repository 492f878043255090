import type { Page } from '@playwright/test'

/** Ms that a person reads a page before they press something: what the page still does meanwhile is no part of what is measured. */
const reading = 1000

/** Waits until a person would have read a page. */
export const looked = (page: Page) => page.waitForTimeout(reading)

/** Resolves with the time, in ms since the epoch, at which a text of the page that `selector` finds was painted. */
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

/** Gives the samples to the bench that started this test. */
export function report(figures: object): void {
  console.log(`figures ${JSON.stringify(figures)}`)
}
