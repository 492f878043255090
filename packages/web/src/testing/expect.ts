import type { Locator } from 'vitest/browser'
import { locators } from 'vitest/browser'
import { expect } from 'vitest'

declare module 'vitest/browser' {
  interface LocatorSelectors {
    /** For elements without a role or name, such as the footer of a card. */
    getByCss(selector: string): Locator
  }
}
locators.extend({ getByCss: (selector: string) => `css=${selector}` })

/** Waits until there are exactly this many elements. */
export const expectCount = (what: Locator, count: number): Promise<void> =>
  expect.poll(() => what.elements().length).toBe(count)

/** Waits until the elements have exactly these texts in this order. */
export const expectTexts = (what: Locator, texts: readonly (string | RegExp)[]): Promise<void> =>
  expect
    .poll(() => textsOf(what))
    .toEqual(texts.map((text): unknown => (typeof text === 'string' ? text : expect.stringMatching(text))))

/** The texts of the elements, without line breaks. */
export const textsOf = (what: Locator): string[] =>
  what.elements().map((one) => (one as HTMLElement).innerText.replaceAll(/\s+/g, ' ').trim())
