import type { Page } from '@playwright/test'

/** The value below which a share of the samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN)
}

export const spread = (samples: readonly number[]) => ({
  p50: percentile(samples, 0.5),
  p95: percentile(samples, 0.95),
  p99: percentile(samples, 0.99),
  longest: percentile(samples, 1),
})

/** Ms that somebody looks at a page before they press something: what the page still does after it is there is not what they wait for. */
const reading = 1000

/** Waits until a page has been looked at. */
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

/** Tells the bench that started this what was measured. */
export function tell(figures: object): void {
  console.log(`figures ${JSON.stringify(figures)}`)
}
