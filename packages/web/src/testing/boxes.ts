import type { Locator } from 'vitest/browser'

/** The bounding box of an element in the window, in pixels. */
export const boxOf = (what: Locator): DOMRect => what.element().getBoundingClientRect()

/** The texts that are cut off in an element. */
export const cutTexts = (within: Element): string[] =>
  [within, ...within.querySelectorAll<HTMLElement>('*')]
    .filter((one) => one.scrollWidth > one.clientWidth && getComputedStyle(one).overflowX === 'hidden')
    .filter((one) => !one.closest('.visually-hidden, svg'))
    .map((one) => one.textContent)
