import type { Locator } from 'vitest/browser'
import { locators } from 'vitest/browser'
import { expect } from 'vitest'

declare module 'vitest/browser' {
  interface LocatorSelectors {
    /** For what has no role or name of its own, such as the foot of a card. */
    getByCss(selector: string): Locator
  }
}
locators.extend({ getByCss: (selector: string) => `css=${selector}` })

/** Waits until so many elements are there. */
export const expectCount = (what: Locator, count: number): Promise<void> =>
  expect.poll(() => what.elements().length).toBe(count)

/** Waits until the elements have these texts in this order, and no others are there. */
export const expectTexts = (what: Locator, texts: readonly (string | RegExp)[]): Promise<void> =>
  expect
    .poll(() => textsOf(what))
    .toEqual(texts.map((text): unknown => (typeof text === 'string' ? text : expect.stringMatching(text))))

/** What stands in the elements, without the line breaks of the page. */
export const textsOf = (what: Locator): string[] =>
  what.elements().map((one) => (one as HTMLElement).innerText.replaceAll(/\s+/g, ' ').trim())
