import axe from 'axe-core'
import { expect } from 'vitest'

/** WCAG 2.2, levels A and AA. */
const criteria = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** The colour rules: only these can differ between light and dark. */
export const colourRules = ['color-contrast', 'link-in-text-block']

interface Scope {
  /** Rules by name, instead of all rules of the criteria. */
  rules?: string[]
  /** The checked part of the page, the root by default; dialogs and menus are outside the root. */
  part?: Element
  /** A selector of excluded elements. */
  exclude?: string
}

/** Violations of WCAG 2.2, levels A and AA, on the current page, each with its element. */
export async function findViolations({ rules, part = document.getElementById('root')!, exclude }: Scope = {}): Promise<
  string[]
> {
  scrollTo({ top: 0, behavior: 'instant' })
  const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition)
  await Promise.allSettled(transitions.map(({ finished }) => finished))
  const { violations } = await axe.run(
    { include: part, ...(exclude && { exclude }) },
    {
      runOnly: rules ? { type: 'rule', values: rules } : { type: 'tag', values: criteria },
      resultTypes: ['violations'],
      iframes: false,
    },
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
  )
}

/**
 * Fails with each violation of WCAG 2.2, levels A and AA, on the current page or a part of it. Dialogs and menus are
 * outside the root: `document.body` includes them.
 */
export async function expectNoViolations(part?: Element): Promise<void> {
  expect(await findViolations({ ...(part && { part }) })).toEqual([])
}
